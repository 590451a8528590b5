import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";

/** The checkout's own directory; what is generated goes below its git-ignored `.pulumi`. */
export const checkout = join(import.meta.dirname, "..", "..");

/** PULUMI_HOME of the stand-ins. */
export const standInHome = join(checkout, ".pulumi", "home");

/**
 * The user's own PULUMI_HOME, also for a command started by one that has the stand-ins' home in its environment: `.pulumi` of
 * `HOME` when it is there, else where pulumi looks, which asks the system whose the process is, whatever `HOME` says.
 */
export function userHome(env: NodeJS.ProcessEnv): string {
  const named = env["PULUMI_HOME"];
  if (named && named !== standInHome) return named;
  const ofHome = join(env["HOME"] || usualHome, ".pulumi");
  return existsSync(ofHome) ? ofHome : join(usualHome, ".pulumi");
}

/** What makes pulumi use that home; nothing where it does so by itself. */
export function userHomeEnvironment(env: NodeJS.ProcessEnv): { readonly PULUMI_HOME?: string } {
  const home = userHome(env);
  return home === join(usualHome, ".pulumi") ? {} : { PULUMI_HOME: home };
}

/**
 * What pulumi needs to name the user in its locks: where the system knows nothing of a user but the number, as in many a
 * container, it takes the name from `USER`, and makes no stack without (https://pkg.go.dev/os/user#Current).
 */
export function namelessUser(): { readonly USER?: string } {
  return homeOfSystem() === undefined ? { USER: String(process.getuid?.()) } : {};
}

/** https://github.com/pulumi/pulumi/blob/v3.259.0/sdk/go/common/util/pulumihome/pulumihome.go: of Go's `user.Current()`. */
const usualHome = homeOfSystem() ?? (process.env["HOME"] || "/");

/** Undefined where the system knows nothing of the user but the number. */
function homeOfSystem(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    return undefined;
  }
}
