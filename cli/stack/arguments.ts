import { parseArgs } from "node:util";

/** What `npm start` and `npm run destroy` are told. */
export interface StackArguments {
  readonly stack: string;
  readonly help: boolean;
  /** For pulumi itself: what follows a second `--`. */
  readonly pulumi: readonly string[];
}

/**
 * Reads the command line.
 *
 * @throws when an option is not known
 */
export function stackArguments(argv: readonly string[]): StackArguments {
  const end = argv.indexOf("--");
  const [own, pulumi] = end < 0 ? [argv, []] : [argv.slice(0, end), argv.slice(end + 1)];
  const { values } = parseArgs({
    args: [...own],
    options: {
      stack: { type: "string", short: "s", default: "dev" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  return { stack: values.stack, help: values.help, pulumi };
}
