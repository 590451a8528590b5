import { homedir } from "node:os";
import { join } from "node:path";

/** The checkout's own directory; what is generated goes below its git-ignored `.pulumi`. */
export const checkout = join(import.meta.dirname, "..", "..");

/** PULUMI_HOME of the stand-ins. */
export const standInHome = join(checkout, ".pulumi", "home");

/** The user's own PULUMI_HOME, also for a command started by one that has the stand-ins' home in its environment. */
export function userHome(env: NodeJS.ProcessEnv): string {
  const named = env["PULUMI_HOME"];
  return named && named !== standInHome ? named : join(env["HOME"] || homedir(), ".pulumi");
}
