import { types } from "node:util";

/** What a disk may refuse: more bytes, or to be written by this user. */
export type DiskProblem = "full" | "locked";

const codes: Readonly<Record<DiskProblem, readonly string[]>> = {
  full: ["ENOSPC", "EDQUOT", "EFBIG"],
  locked: ["EACCES", "EROFS", "EPERM"],
};

/**
 * Whether an error, or what caused it, is a refusal of this machine's own disk.
 * @param below leaves out files elsewhere that may not be read
 */
export function diskProblem(error: unknown, below = "/"): DiskProblem | undefined {
  if (!types.isNativeError(error)) return undefined;
  const { code = "", syscall = "", path = below, dest, cause } = error as NodeJS.ErrnoException & { dest?: string };
  if (codes.full.includes(code)) return "full";
  // A firewall refuses connections, and a file without the right to be run refuses to start, by the same codes.
  const isOfFile = !/^(connect|spawn)/.test(syscall) && [path, dest].some((each) => each?.startsWith(below));
  return isOfFile && codes.locked.includes(code) ? "locked" : diskProblem(cause, below);
}
