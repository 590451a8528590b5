/** What a program accepts on its command line. */
export interface Flags {
  /** Names without dashes. */
  readonly flags: readonly string[];
  /** Feature gates and whether they are on by default. */
  readonly featureGates: Readonly<Record<string, boolean>>;
}

/**
 * Reads a program's own `--help`, as pflag (`-v, --v Level  ...`) and etcd (`--name 'default'`) write it. Deprecated
 * flags do not appear there.
 */
export function flagsOfHelp(help: string): Flags {
  const flags = [...help.matchAll(/^ +(?:-\w, )?--([a-z][-a-z0-9]*)/gm)].map((match) => match[1]!);
  const gates = [...help.matchAll(/(?:^|\s)(?:kube:)?([A-Z]\w*)=true\|false \([A-Z]+ - default=(true|false)\)/gm)];
  return {
    flags: [...new Set(flags)].filter((flag) => flag !== "help" && flag !== "version").sort(),
    featureGates: Object.fromEntries(gates.map(([, gate, on]) => [gate!, on === "true"] as const).sort()),
  };
}
