import { stat } from "node:fs/promises";

/** Go's words for a program that could not be started; Node's do not tell a missing directory from a missing program. */
export async function startError(error: NodeJS.ErrnoException, program: string, dir: string): Promise<string> {
  const reason = REASONS[error.code ?? ""] ?? error.message;
  const found = await stat(dir).catch((failure: NodeJS.ErrnoException) => failure);
  if (found instanceof Error) return `chdir ${dir}: ${REASONS[found.code ?? ""] ?? found.message}`;
  if (!found.isDirectory()) return `fork/exec ${program}: not a directory`;
  if (error.code === "ENOENT" && !program.includes("/")) {
    return `exec: ${JSON.stringify(program)}: executable file not found in $PATH`;
  }
  return `fork/exec ${program}: ${reason}`;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  ENOTDIR: "not a directory",
  EACCES: "permission denied",
  E2BIG: "argument list too long",
};
