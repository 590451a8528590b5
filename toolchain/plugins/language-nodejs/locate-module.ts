import { createRequire } from "node:module";
import { join } from "node:path";

/**
 * Path of a module as the program would load it.
 *
 * @param install the command that would install it
 * @throws in the official host's words when it is not there
 */
export function locateModule(name: string, programDirectory: string, install: string): string {
  try {
    return createRequire(join(programDirectory, "_")).resolve(name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
    throw new Error(`It looks like the Pulumi SDK has not been installed. Have you run ${install}?\n`, {
      cause: error,
    });
  }
}
