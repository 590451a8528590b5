import type { RestoreTarget } from "./target.ts";

/** What an operator has to set for a restore to be done. Each of the three prevents one kind of accident. */
export interface RestoreLocks {
  /** Higher than that of every earlier restore: a restore is done once, not with every `up`. */
  readonly generation: number;
  /** The cluster whose data may go, see {@link clusterThere}: a restore meant for another place, or repeated, does not fit. */
  readonly replaceClusterId: string;
  /** The field in which the operator sets it, below `restore`. @default "replaceClusterId" */
  readonly clusterField?: string | undefined;
  /** That a working cluster is to go back in time all the same. */
  readonly overwriteHealthy: boolean;
}

/** Something that prevents a restore. */
export interface Refusal {
  readonly property: keyof RestoreLocks;
  readonly reason: string;
}

/**
 * What `replaceClusterId` has to be: the ID of the cluster that is there, comma-separated when the members belong to
 * different ones, `unknown` for data that cannot be read, `none` for no data at all.
 */
export function clusterThere({ clusters, unreadable }: RestoreTarget): string {
  const ids = [...new Set(clusters.map(({ id }) => id))].sort();
  if (ids.length > 0) return ids.join(",");
  return unreadable.length > 0 ? "unknown" : nothing;
}

const nothing = "none";

/** Every reason not to restore here; none when all locks are open. */
export function refusals(locks: RestoreLocks, target: RestoreTarget): Refusal[] {
  return [...checkGeneration(locks, target), ...checkCluster(locks, target), ...checkHealth(locks, target)];
}

function checkGeneration({ generation }: RestoreLocks, { markers }: RestoreTarget): Refusal[] {
  const done = Object.entries(markers).filter(([, marker]) => marker.startedAt !== undefined);
  const [member, last] = done.toSorted(([, a], [, b]) => b.generation - a.generation)[0] ?? [];
  if (last === undefined || last.generation < generation) return [];
  return [
    {
      property: "generation",
      reason:
        `got ${generation}, and generation ${last.generation} was restored on ${member} already ` +
        `(${last.startedAt}); for another restore want ${last.generation + 1} or higher`,
    },
  ];
}

function checkCluster(locks: RestoreLocks, target: RestoreTarget): Refusal[] {
  const { replaceClusterId, clusterField = "replaceClusterId" } = locks;
  const there = clusterThere(target);
  if (replaceClusterId === there) return [];
  return [
    {
      property: "replaceClusterId",
      reason:
        there === nothing
          ? `got "${replaceClusterId}", and there are no data of any cluster here; want "${nothing}"`
          : `got "${replaceClusterId}", and ${evidenceOf(target)}; set ${clusterField} to "${there}" if these data may go`,
    },
  ];
}

function evidenceOf({ clusters, unreadable }: RestoreTarget): string {
  if (clusters.length === 0) return `there are data that cannot be read (${unreadable.join(", ")})`;
  return clusters.map(({ id, evidence }) => `cluster ${id} is there (${evidence})`).join(", ");
}

function checkHealth({ overwriteHealthy }: RestoreLocks, { working, revision }: RestoreTarget): Refusal[] {
  if (working.length === 0 || overwriteHealthy) return [];
  return [
    {
      property: "overwriteHealthy",
      reason:
        `cluster ${working.join(" and ")} works (revision ${revision}), and a restore takes it back in time; ` +
        "set overwriteHealthy to true if that is what you want",
    },
  ];
}
