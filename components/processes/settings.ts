import type { ComponentSettings as Choices } from "../../spec/control-plane.ts";
import type { Process, Text } from "../process.ts";

/** What an operator sets of any program of the control plane. */
export type ComponentSettings = Omit<Choices, "replicas">;

/**
 * The flags that follow from the settings, to stand behind a program's own: pflag takes the last value of a flag, so
 * the operator's extra arguments win.
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
export function extraArgs(flags: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(flags)
    .map(([flag, value]) => `--${flag}=${value}`)
    .sort();
}

/** The part of a Process that limits what it uses. */
export function limits(settings: Pick<ComponentSettings, "resources">): Pick<Process, "limits"> {
  return Object.keys(settings.resources).length > 0 ? { limits: settings.resources } : {};
}
