import { type StackArguments, stackArguments } from "./arguments.ts";
import { goOnUnread } from "./unread.ts";

/**
 * Runs a command of this repository: reads its arguments, prints its help, turns an error into one message and an exit
 * code. Interrupts reach `run` through the signal; pulumi gets them from the terminal itself.
 */
export async function command(
  name: string,
  help: string,
  run: (args: StackArguments, signal: AbortSignal) => Promise<number>,
  switches: readonly string[] = [],
  options: readonly string[] = [],
): Promise<number> {
  goOnUnread();
  let args: StackArguments;
  try {
    args = stackArguments(process.argv.slice(2), switches, options);
  } catch (error) {
    console.error(`${name}: ${(error as Error).message}\n${name} -- --help says more`);
    return 2;
  }
  if (args.help) {
    console.log(help);
    return 0;
  }
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  try {
    return await run(args, interrupted.signal);
  } catch (error) {
    if (interrupted.signal.aborted) {
      console.error(`${name}: interrupted; the same command goes on where this one was`);
      return 130;
    }
    console.error(`${name}: ${(error as Error).message}`);
    return 1;
  }
}
