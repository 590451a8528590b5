import { parseArgs } from "node:util";
import { misused } from "./misused.ts";
import { goOnUnread } from "./stack/unread.ts";

/**
 * Runs a command that takes nothing but `--help`, so that mistaken arguments do not start it.
 *
 * @returns the exit code
 */
export async function plainCommand(name: string, help: string, run: () => Promise<void>): Promise<number> {
  goOnUnread(name);
  try {
    const { values } = parseArgs({ options: { help: { type: "boolean", short: "h" } } });
    if (values.help) {
      console.log(help);
      return 0;
    }
  } catch (error) {
    return misused(name, error as Error);
  }
  try {
    await run();
    return 0;
  } catch (error) {
    console.error(`${name}: ${(error as Error).message}`);
    return 1;
  }
}
