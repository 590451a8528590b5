import { execFileSync } from "node:child_process";

/** `nobody` of every distribution. */
export const nobody = 65534;

/**
 * Why no other user can be had here; undefined when one can. What is to be tried as such a user is skipped with this reason,
 * but never in CI.
 *
 * @throws in CI, when none can
 */
export function withoutNobody(subject: string): string | undefined {
  const missing = missingHere();
  if (missing === undefined) return undefined;
  if (process.env["CI"]) throw new Error(`a user without rights: ${missing}`);
  console.warn(`SKIPPED, ${subject}: ${missing}`);
  return missing;
}

function missingHere(): string | undefined {
  if (process.platform !== "linux") return "needs Linux";
  if (process.getuid?.() !== 0) return "needs root, to become another user; every other test here has run without it";
  try {
    execFileSync("setpriv", ["--version"]);
    return undefined;
  } catch {
    return "needs setpriv (Debian: util-linux)";
  }
}
