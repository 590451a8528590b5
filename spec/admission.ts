import { admissionPlugins } from "./kubernetes-choices.ts";
import type { Problem } from "./problems.ts";

/** Finds admission plugins that would be on and off at once, with which kube-apiserver does not start. */
export function checkAdmission(
  { extraArgs }: { readonly extraArgs: Readonly<Record<string, unknown>> },
  path: Problem["path"],
): Problem[] {
  const { enabled, disabled } = { enabled: "enable-admission-plugins", disabled: "disable-admission-plugins" };
  const pluginsOf = (flag: string) => {
    const value = extraArgs[flag];
    return typeof value === "string" ? value.split(",").filter((plugin) => plugin !== "") : [];
  };
  const without = (flag: string, others: readonly string[], state: string) => {
    const wrong = pluginsOf(flag).filter((plugin) => others.includes(plugin));
    if (wrong.length === 0) return [];
    const message = `got "${pluginsOf(flag).join(",")}", want it without ${wrong.join(" and ")}: what is ${state} already cannot be the other as well`;
    return [{ path: [...path, "extraArgs", flag], message }];
  };
  return [
    ...without(enabled, admissionPlugins.off, "off"),
    ...without(disabled, [...admissionPlugins.on, ...pluginsOf(enabled)], "on"),
  ];
}
