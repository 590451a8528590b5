import { admissionPlugins } from "../placement/kubernetes-choices.ts";
import type { Problem } from "../problems.ts";

const [enabling, disabling] = ["enable-admission-plugins", "disable-admission-plugins"] as const;

/** Finds admission plugins that would be on and off at once, with which kube-apiserver does not start. */
export function checkAdmission(
  { extraArgs }: { readonly extraArgs: Readonly<Record<string, unknown>> },
  path: Problem["path"],
): Problem[] {
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
    ...without(enabling, admissionPlugins.off, "off"),
    ...without(disabling, [...admissionPlugins.on, ...pluginsOf(enabling)], "on"),
  ];
}
