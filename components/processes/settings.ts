import type { ComponentSettings as Choices } from "../../spec/control-plane/control-plane.ts";
import type { Resources } from "../../spec/values/resources.ts";
import { file, type Process, text, type Text } from "../process.ts";

/** What an operator can set for any program of the control plane. */
export type ComponentSettings = Omit<Choices, "replicas">;

/**
 * The flags from the settings, placed after a program's own: pflag takes the last value of a flag, so the operator's
 * extra arguments win; for list flags it takes all values.
 */
export function settingsArgs(settings: ComponentSettings): readonly Text[] {
  const gates = Object.entries(settings.featureGates).map(([gate, on]) => `${gate}=${on}`);
  return [
    ...(gates.length > 0 ? [`--feature-gates=${gates.sort().join(",")}`] : []),
    `--v=${settings.logLevel}`,
    ...extraArgs(settings.extraArgs),
  ];
}

/** Flags by name, as arguments in the order of their names. */
export function extraArgs(flags: Choices["extraArgs"]): readonly Text[] {
  return Object.entries(flags)
    .sort(([a], [b]) => (`${a}=` < `${b}=` ? -1 : 1))
    .map(([flag, value]) => text`--${flag}=${typeof value === "string" ? value : file(givenFile(value.file))}`);
}

/** The key, among a program's files, of one that the operator gives it. */
export const givenFile = (name: string): string => `given/${name}`;

/** The part of a Process that has the files an operator gives it. */
export const givenFiles = (files: Readonly<Record<string, unknown>>): Process["files"] =>
  Object.fromEntries(Object.keys(files).map((name) => [givenFile(name), { from: "given" }]));

/** The part of a Process with its limits and requests. */
export function limits(settings: { readonly resources?: Resources }): Pick<Process, "limits" | "requests"> {
  const { requests = {}, ...limits } = settings.resources ?? {};
  return {
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(Object.keys(requests).length > 0 && { requests }),
  };
}
