/** Versions of Kubernetes' own APIs that are replaced or gone. */
import { deprecatedApis } from "./deprecated-apis.ts";
import type { Version } from "./deprecated-apis.ts";
import { groupVersionOf } from "./gvk.ts";
import type { GroupVersionKind } from "./gvk.ts";

/** What to tell a user of the API on a server of this version; `undefined` when all is well. */
export function deprecationWarning(
  gvk: GroupVersionKind,
  server: Version,
): { readonly message: string; readonly removed: boolean } | undefined {
  const api = `${groupVersionOf(gvk)}/${gvk.kind}`;
  const found = deprecatedApis[api];
  if (!found) return undefined;
  const { removed, since, replacement } = found;
  if (removed && compare(server, removed) >= 0) {
    const link = `https://git.k8s.io/kubernetes/CHANGELOG/CHANGELOG-${removed.join(".")}.md#deprecation`;
    return {
      removed: true,
      message: `apiVersion "${api}" was removed in Kubernetes ${removed.join(".")}. Use "${replacement}" instead.\nSee ${link} for more information.`,
    };
  }
  if (compare(server, since) < 0 || replacement === api) return undefined;
  const group = gvk.group.endsWith(".io") ? gvk.group : gvk.group.split(".").at(-1)!;
  const end = removed ? ` and not supported by Kubernetes v${removed.join(".")}+ clusters.` : ".";
  return {
    removed: false,
    message: `${groupVersionOf({ ...gvk, group })}/${gvk.kind} is deprecated by ${replacement}${end}`,
  };
}

function compare([major, minor]: Version, [otherMajor, otherMinor]: Version): number {
  return major - otherMajor || minor - otherMinor;
}
