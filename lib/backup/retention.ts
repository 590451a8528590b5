import { type Manifest, newestFirst, verifyLevels } from "../snapshots/manifest.ts";

/** How many scheduled snapshots stay. Rules are independent: what any of them keeps, stays. */
export interface Keep {
  /** That many of the newest. */
  readonly last: number;
  /** The newest of each of that many hours, days, weeks (from Monday) that have a snapshot; UTC. */
  readonly hourly: number;
  readonly daily: number;
  readonly weekly: number;
}

/** What retention looks at. */
export type Dated = Pick<Manifest, "id" | "reason" | "clusterId" | "revision" | "createdAt" | "verified">;

/**
 * The snapshots that may go, oldest first, so that an interrupted run leaves the newer ones. Only scheduled ones are
 * ever among them; those taken on request stay until somebody deletes them. Of each level of verification, the newest
 * snapshot that was proved to that level or beyond stays whatever the rules say.
 *
 * Newest is by {@link newestFirst}: a clock that jumped costs at most a place in an hour, day or week, never the newest.
 *
 * @param current ID of the present cluster: its snapshots are the newest, whatever the times of a former cluster's
 */
export function expired<T extends Dated>(snapshots: readonly T[], keep: Keep, current?: string): T[] {
  const taken = snapshots.filter(({ reason }) => reason === "scheduled");
  const scheduled = newestFirst(taken, current === undefined ? [] : [current]);
  const kept = new Set<T | undefined>([
    ...scheduled.slice(0, keep.last),
    ...newestOfEach(scheduled, hour, keep.hourly),
    ...newestOfEach(scheduled, day, keep.daily),
    ...newestOfEach(scheduled, week, keep.weekly),
    ...verifyLevels.map((_, least) => scheduled.find(({ verified }) => verifyLevels.indexOf(verified.level) >= least)),
  ]);
  for (const snapshot of latestOfEach(
    scheduled.filter((each) => kept.has(each)),
    scheduled,
  ))
    kept.add(snapshot);
  return scheduled.filter((snapshot) => !kept.has(snapshot)).reverse();
}

/**
 * Which of several clusters is the newest follows from the latest times of their snapshots. If a clock has jumped, that
 * time may belong to a snapshot that would go, and without it another cluster would be the newest: so the latest of
 * each stays.
 */
function latestOfEach<T extends Dated>(staying: readonly T[], scheduled: readonly T[]): T[] {
  const clusters = [...new Set(staying.map(({ clusterId }) => clusterId))];
  if (clusters.length < 2) return [];
  return clusters.map((cluster) =>
    scheduled
      .filter(({ clusterId }) => clusterId === cluster)
      .reduce((latest, each) => (each.createdAt > latest.createdAt ? each : latest)),
  );
}

function newestOfEach<T extends Dated>(
  newestFirst: readonly T[],
  period: (time: number) => number,
  count: number,
): T[] {
  const newest = new Map<number, T>();
  for (const snapshot of newestFirst) {
    const at = period(Date.parse(snapshot.createdAt));
    if (newest.size < count && !newest.has(at)) newest.set(at, snapshot);
  }
  return [...newest.values()];
}

const hour = (time: number): number => Math.floor(time / 3_600_000);
const day = (time: number): number => Math.floor(hour(time) / 24);
/** 1 January 1970 was a Thursday. */
const week = (time: number): number => Math.floor((day(time) + 3) / 7);
