/** `runtime.options` of Pulumi.yaml. */
export interface Options {
  /** Whether the SDK compiles TypeScript itself, with ts-node. @default true */
  readonly typescript: boolean;
  /** Path of a tsconfig.json for it. @default found from the program directory */
  readonly tsconfig: string | undefined;
  /** Arguments for node, for instance `--max-old-space-size=4096`. @default none */
  readonly nodeargs: readonly string[];
  /** @default "auto": by the lock file */
  readonly packagemanager: PackageManager | "auto";
  /** Leave out devDependencies when installing. @default false */
  readonly production: boolean;
}
export type PackageManager = (typeof packageManagers)[number];
const packageManagers = ["npm", "yarn", "pnpm", "bun"] as const;

/** @throws when an option has the wrong type, in the official host's words */
export function parseOptions(options: Readonly<Record<string, unknown>>): Options {
  const { typescript = true, tsconfig, nodeargs = "", packagemanager = "auto", production = false } = options;
  if (typeof typescript !== "boolean") throw new Error("typescript option must be a boolean");
  if (tsconfig !== undefined && typeof tsconfig !== "string") throw new Error("tsconfigpath option must be a string");
  if (typeof nodeargs !== "string") throw new Error("nodeargs option must be a string");
  if (typeof production !== "boolean") throw new Error("production option must be a boolean");
  if (typeof packagemanager !== "string") throw new Error("packagemanager option must be a string");
  const manager = (["auto", ...packageManagers] as const).find((each) => each === packagemanager);
  if (manager === undefined) {
    throw new Error(`packagemanager option must be one of auto, npm, yarn, pnpm or bun, got "${packagemanager}"`);
  }
  return { typescript, tsconfig, nodeargs: splitWords(nodeargs), packagemanager: manager, production };
}

/** What the SDK's entry points read of the options. */
export function optionsEnvironment({ typescript, tsconfig }: Options): Record<string, string> {
  return {
    ...(typescript && { PULUMI_NODEJS_TYPESCRIPT: "true" }),
    ...(tsconfig && { PULUMI_NODEJS_TSCONFIG_PATH: tsconfig }),
  };
}

/** Splits like a shell: blanks separate, quotes and backslashes keep together. */
function splitWords(text: string): string[] {
  const word = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gs;
  if (text.replaceAll(word, "").trim() !== "") throw new Error("EOF found when expecting closing quote");
  return (text.match(word) ?? []).map((each) =>
    each.replaceAll(
      /\\(.)|"((?:[^"\\]|\\.)*)"|'([^']*)'/gs,
      (_, escaped?: string, double?: string, single?: string) =>
        escaped ?? double?.replaceAll(/\\(.)/gs, "$1") ?? single ?? "",
    ),
  );
}
