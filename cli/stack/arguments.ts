import { parseArgs } from "node:util";
import { shown } from "../../spec/wording.ts";
import { refuseTakenByNpm } from "../../toolchain/npm-options.ts";

/** Arguments of the commands that work on a stack. */
export interface StackArguments {
  readonly stack: string;
  readonly help: boolean;
  /** The command's own switches that were given. */
  readonly flags: ReadonlySet<string>;
  /** Values of the command's own options that were given, by the option's name. */
  readonly values: Readonly<Record<string, string>>;
  /** For pulumi itself: what follows a second `--`. */
  readonly pulumi: readonly string[];
}

/**
 * Reads the command line.
 *
 * @param switches names of the command's own, without dashes
 * @param options names of those that take a value
 * @throws when an option is unknown, or npm took it for itself, or the stack's name is invalid
 */
export function stackArguments(
  argv: readonly string[],
  switches: readonly string[] = [],
  options: readonly string[] = [],
  env: Readonly<NodeJS.ProcessEnv> = process.env,
): StackArguments {
  const end = argv.indexOf("--");
  const [own, pulumi] = end < 0 ? [argv, []] : [argv.slice(0, end), argv.slice(end + 1)];
  const known = {
    stack: { type: "string", short: "s", default: "dev" },
    help: { type: "boolean", short: "h", default: false },
    ...Object.fromEntries(switches.map((name) => [name, { type: "boolean" } as const])),
    ...Object.fromEntries(options.map((name) => [name, { type: "string" } as const])),
  } as const;
  refuseTakenByNpm(own, known, env);
  const { values } = parseArgs({ args: [...own], options: known });
  const { stack, help, ...more } = values;
  if (!/^\w[\w.-]*(\/\w[\w.-]*){0,2}$/.test(stack))
    throw new Error(`--stack: got ${shown(stack)}, want the name of a stack`);
  const given = Object.entries(more);
  return {
    stack,
    help,
    flags: new Set(given.flatMap(([name, value]) => (typeof value === "string" ? [] : [name]))),
    values: Object.fromEntries(given.filter((each): each is [string, string] => typeof each[1] === "string")),
    pulumi,
  };
}
