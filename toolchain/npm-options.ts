import { parseArgs, type ParseArgsConfig } from "node:util";

type Options = NonNullable<ParseArgsConfig["options"]>;

/**
 * Options that npm has too, which may stand in an .npmrc for npm's sake. A command without them prints something else, asks, or
 * uses the network, which does no harm. `dry-run` is not among them: a command without it changes what was only to be looked at.
 */
const npmsOwn: ReadonlySet<string> = new Set(["help", "json", "offline", "yes"]);

/**
 * Refuses a call that npm kept options of: without the lone `--` before them it takes them for its own, calls the script without
 * them, and leaves them in the environment only. The command would go on with its defaults, such as another stack.
 *
 * @param args what the command was called with
 * @param options that the command has, as `parseArgs` of node:util takes them
 * @throws naming those that are missing among the arguments, and how they are given
 */
export function refuseTakenByNpm(
  args: readonly string[],
  options: Options,
  env: Readonly<NodeJS.ProcessEnv> = process.env,
): void {
  const given = namesIn(args, options);
  const taken = Object.keys(options).filter((name) => !given.has(name) && isTaken(name, env));
  if (taken.length === 0) return;
  const names = taken.map((name) => `--${name}`).join(" and ");
  const call = taken.map((name) => written(name, options[name]!.type, env[variable(name)]!)).join(" ");
  throw new Error(
    `npm took ${names} for itself (${taken.map(variable).join(", ")}): options come after a lone --, as in ${script(env)} -- ${call}`,
  );
}

function namesIn(args: readonly string[], options: Options): ReadonlySet<string> {
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  return new Set(tokens.flatMap((token) => (token.kind === "option" ? [token.name] : [])));
}

/** Of an option that npm knows as well, empty is "no"; of another one it is what was typed, as in `--stack=`. */
function isTaken(name: string, env: Readonly<NodeJS.ProcessEnv>): boolean {
  const value = env[variable(name)];
  return value !== undefined && !npmsOwn.has(name) && (name !== "dry-run" || value !== "");
}

/** Where npm leaves an option for scripts. */
const variable = (name: string): string => `npm_config_${name.replaceAll("-", "_")}`;

/** What npm has of `--stack test` is "true", and the script gets `test` as a word. */
function written(name: string, type: "string" | "boolean", value: string): string {
  if (type === "boolean") return `--${name}`;
  return `--${name} ${value !== "true" && /^[\w./:@,+-]+$/.test(value) ? value : "..."}`;
}

/** How people call the script that npm runs. */
function script({ npm_lifecycle_event: name = "..." }: Readonly<NodeJS.ProcessEnv>): string {
  return name === "start" ? "npm start" : `npm run ${name}`;
}
