import { messageOf } from "../wait.ts";
import { TargetError, type TargetFault } from "./target.ts";

/** Does something in a directory; what the system says of it becomes an error of the target. @param what subject and action */
export async function saying<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TargetError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const fault = faults[code ?? ""];
    // An error of the data stream is not about this target.
    if (fault === undefined && code === undefined) throw error;
    const reason = reasons[code ?? ""] ?? messageOf(error);
    throw new TargetError(fault ?? "failed", `${what}: ${reason}`, { cause: error });
  }
}

const faults: Readonly<Record<string, TargetFault>> = {
  ENOSPC: "full",
  EDQUOT: "full",
  EACCES: "denied",
  EPERM: "denied",
  EROFS: "denied",
  ENOENT: "missing",
  ENOTDIR: "unfit",
  EEXIST: "failed",
  EIO: "unreachable",
  ESTALE: "unreachable",
  ETIMEDOUT: "unreachable",
};

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full; nothing of it was kept",
  EDQUOT: "the quota is used up; nothing of it was kept",
  EACCES: "this user may not",
  EPERM: "this user may not",
  EROFS: "the file system is read-only",
  ENOENT: "there is no such file",
};
