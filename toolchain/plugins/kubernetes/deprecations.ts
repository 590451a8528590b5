/** Versions of Kubernetes' own APIs that are replaced or gone. */
import { groupVersionOf } from "./gvk.ts";
import type { GroupVersionKind } from "./gvk.ts";

type Version = readonly [major: number, minor: number];

/** What to tell a user of the API on a server of this version; `undefined` when all is well. */
export function deprecationWarning(
  gvk: GroupVersionKind,
  server: Version,
): { readonly message: string; readonly removed: boolean } | undefined {
  const found = table[`${groupVersionOf(gvk)}/${gvk.kind}`];
  if (!found) return undefined;
  const { removed, since, replacement } = found;
  if (removed && compare(server, removed) >= 0) {
    const kind = `${groupVersionOf(gvk)}/${gvk.kind}`;
    const link = `https://git.k8s.io/kubernetes/CHANGELOG/CHANGELOG-${removed.join(".")}.md#deprecation`;
    return {
      removed: true,
      message: `apiVersion "${kind}" was removed in Kubernetes ${removed.join(".")}. Use "${replacement}" instead.\nSee ${link} for more information.`,
    };
  }
  if (compare(server, since) < 0) return undefined;
  const group = gvk.group.endsWith(".io") ? gvk.group : gvk.group.split(".").at(-1)!;
  const end = removed ? ` and not supported by Kubernetes v${removed.join(".")}+ clusters.` : ".";
  return {
    removed: false,
    message: `${group}/${gvk.version}/${gvk.kind} is deprecated by ${replacement}${end}`,
  };
}

function compare([major, minor]: Version, [otherMajor, otherMinor]: Version): number {
  return major - otherMajor || minor - otherMinor;
}

interface Deprecation {
  /** First version of the server that has the replacement. */
  readonly since: Version;
  /** First version of the server without the old API. */
  readonly removed?: Version;
  readonly replacement: string;
}

/** https://kubernetes.io/docs/reference/using-api/deprecation-guide/ */
const table: Readonly<Record<string, Deprecation>> = {};
