import type { EtcdRuntimeAddress } from "../lib/etcd/runtime/runtime.ts";

/** What runs a managed etcd, and so has its data: it goes by `placement.kind`. */
export type PlacementKind = EtcdRuntimeAddress["kind"];

/** How the data of a Karmada come to another etcd. */
export const byNewDeployment =
  `a new deployment moves them by a snapshot: docs/recovery.md, "A: to other hosts, or another data centre"; ` +
  `where there is nothing to keep yet, destroy this one first`;

/**
 * What speaks against another kind of placement for a managed etcd: what runs its members there sees neither those that
 * run nor their data. Undefined where it is the same, or one of the two is not known.
 */
export function otherPlacement(from: PlacementKind | undefined, to: PlacementKind | undefined): string | undefined {
  if (from === undefined || to === undefined || from === to) return undefined;
  const why = `this Karmada has its data in an etcd of placement.kind: ${from}, and one of placement.kind: ${to} would begin without them`;
  return `${why}\nset placement.kind: ${from} again; ${byNewDeployment}`;
}
