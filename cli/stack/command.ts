import { misused } from "../misused.ts";
import { type StackArguments, stackArguments } from "./arguments.ts";
import { goOnUnread } from "./unread.ts";

/** A command of this repository that works on a stack. */
export interface Command {
  /** As it is typed: `npm run status`. */
  readonly name: string;
  readonly help: string;
  /** Its own switches, without dashes. @default none */
  readonly switches?: readonly string[];
  /** Its own options that take a value, without dashes. @default none */
  readonly options?: readonly string[];
  /** Interrupts reach it through the signal; pulumi gets them from the terminal itself. @returns the exit code */
  readonly run: (args: StackArguments, signal: AbortSignal) => Promise<number>;
}

/** A command line that cannot be meant so, in a sentence. */
export class WrongUsage extends Error {}

/** Runs a command: reads its arguments, prints its help, turns an error into one message and an exit code. */
export async function command({ name, help, switches, options, run }: Command): Promise<number> {
  goOnUnread(name);
  let args: StackArguments;
  try {
    args = stackArguments(process.argv.slice(2), switches, options);
  } catch (error) {
    return misused(name, error as Error);
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
    if (error instanceof WrongUsage) return misused(name, error);
    if (interrupted.signal.aborted) {
      console.error(`${name}: interrupted; the same command goes on where this one was`);
      return 130;
    }
    console.error(`${name}: ${(error as Error).message}`);
    return 1;
  }
}
