import type { EtcdClient } from "../etcd/client.ts";
import type { EtcdRuntime, FormerMember } from "../etcd/runtime/runtime.ts";
import { failPoint } from "../fail-point.ts";
import { deadlineIn, messageOf } from "../wait.ts";
import { disarmBrought } from "./alarms.ts";
import { bumpFor } from "./bump.ts";
import { findMembers } from "./find-members.ts";
import { deleteLeases } from "./leases.ts";
import { refusals, type RestoreLocks } from "./locks.ts";
import type { RestoreMarker } from "../etcd/runtime/marker.ts";
import { becomeServing } from "./serving.ts";
import { lookAtTarget, type RestoreTarget } from "./target.ts";
import { bootstrapOf, initialClusterOf, tokenOf, type RestoredMember } from "./token.ts";

/** What is to become of a cluster. */
export interface RestorePlan extends RestoreLocks {
  /** Name of the deployment. */
  readonly cluster: string;
  readonly members: readonly RestoredMember[];
  /** What the operator gave as the source, see `sourceDigest`: data that lie ready from another one are made anew. */
  readonly source: string;
  /** Programs that remember what was stored: they are stopped before etcd. */
  readonly programs: readonly string[];
  /** Where the Karmada keeps its keys. */
  readonly keyPrefix: string;
  /** The highest revision that is known to have existed; 0 when none is. */
  readonly lastSeenRevision: bigint;
  /** Path of etcdutl on this machine. */
  readonly etcdutl: string;
}

/** What a restore works with. */
export interface RestoreMeans {
  readonly runtime: EtcdRuntime;
  readonly client: EtcdClient;
  /** Brings the snapshot to this machine. */
  fetch(target: RestoreTarget): Promise<FetchedSnapshot>;
  /** Says what is being done. */
  say(sentence: string): void;
}

export interface FetchedSnapshot {
  readonly file: string;
  /** A database file without etcd's digest at its end. */
  readonly bare: boolean;
  readonly sha256: string;
  readonly revision: bigint;
  /** Rejects when the file does not match `sha256`, or when a corruption in it would escape etcdutl's own check. */
  readonly proved: Promise<void>;
  /** Reads every byte, if etcdutl failed on the file. @throws what is wrong with it */
  examine(): Promise<void>;
}

/** What each member notes of a restore, by its name: alike but for where its data are. */
type Markers = Readonly<Record<string, RestoreMarker>>;

/** What a restore has made of a cluster. */
export interface Restored {
  readonly clusterId: string;
  readonly token: string;
  readonly sha256: string;
  readonly replaced: string;
  readonly bumpRevision: string;
  readonly revision: string;
  readonly incarnations: Readonly<Record<string, number>>;
  /** How long etcd took: until the data lay ready, until it served them. */
  readonly seconds: { readonly prepared: number; readonly serving: number };
}

/**
 * Makes the data of every member from one snapshot, then stops all that runs, then starts all: nothing is stopped
 * before everything is ready, nothing started before everything is stopped. Interrupted anywhere, it continues from
 * what the members' markers say. The previous data stay where they are.
 *
 * @param servingSeconds how long etcd may take to serve the data once started with them; making them has limits of its
 * own
 */
export async function restoreCluster(
  plan: RestorePlan,
  means: RestoreMeans,
  servingSeconds: number,
): Promise<Restored> {
  const { runtime, client, say } = means;
  const began = performance.now();
  const found = await findMembers(runtime, plan.members);
  const target = await lookAtTarget(found.members, client);
  const markers = preparedBefore(plan, target) ?? (await prepare(plan, means, target));
  const prepared = performance.now();
  const [marker] = Object.values(markers) as [RestoreMarker];
  const isFinished = Object.values(markers).every(({ finishedAt }) => finishedAt !== undefined);
  failPoint("restore/prepared");
  if (!isFinished) {
    await stopEverything(plan, found.former, means, marker.token, target.leaders);
    failPoint("restore/stopped");
    await startAll(plan, means, markers);
    failPoint("restore/started");
  }
  const revision = await becomeServing(plan.members, marker.clusterId, means, deadlineIn(servingSeconds));
  if (!isFinished) {
    await disarmBrought(client, plan.members, say);
    await deleteLeases(client, plan.members, plan.keyPrefix);
    await Promise.all(plan.members.map(({ name }) => runtime.files(name).note("finishedAt")));
  }
  return {
    clusterId: marker.clusterId,
    token: marker.token,
    sha256: marker.sha256,
    replaced: marker.replaces,
    bumpRevision: marker.bumpRevision,
    revision,
    incarnations: Object.fromEntries(Object.entries(markers).map(([name, each]) => [name, each.incarnation])),
    seconds: { prepared: seconds(began, prepared), serving: seconds(prepared, performance.now()) },
  };
}

/**
 * The markers of all members, when they agree that this very restore was prepared. Its source may be another one only
 * where etcd was started with the data already.
 */
export function preparedBefore(
  { cluster, generation, members, source }: Pick<RestorePlan, "cluster" | "generation" | "members" | "source">,
  { markers }: RestoreTarget,
): Markers | undefined {
  const initialCluster = initialClusterOf(members);
  const found = members.map(({ name }) => markers[name]);
  const [first] = found;
  const isStarted = found.some((marker) => marker?.startedAt !== undefined);
  const agree = found.every(
    (marker) =>
      marker?.generation === generation &&
      (isStarted || [undefined, source].includes(marker.source)) &&
      marker.initialCluster === initialCluster &&
      marker.token === tokenOf(cluster, marker.sha256, generation) &&
      marker.clusterId === first?.clusterId &&
      marker.bumpRevision === first.bumpRevision,
  );
  return agree ? (Object.fromEntries(members.map(({ name }, i) => [name, found[i]])) as never) : undefined;
}

async function prepare(
  plan: RestorePlan,
  { runtime, fetch, say }: RestoreMeans,
  target: RestoreTarget,
): Promise<Markers> {
  const closed = refusals(plan, target);
  if (closed.length > 0) {
    throw new Error(
      `${plan.cluster}: restoring: ${closed.map(({ property, reason }) => `${property}: ${reason}`).join("\n")}`,
    );
  }
  const snapshot = await fetch(target);
  const bumpRevision = bumpFor(snapshot.revision, lastSeen(plan, target));
  say(`making the data of ${plan.members.length} members from ${snapshot.file}`);
  const making = Promise.allSettled(
    plan.members.map((member) =>
      runtime.files(member.name).restore({
        member: member.name,
        etcdutl: plan.etcdutl,
        peerUrl: member.peerUrl,
        file: snapshot.file,
        bare: snapshot.bare,
        sha256: snapshot.sha256,
        proved: snapshot.proved,
        generation: plan.generation,
        source: plan.source,
        token: tokenOf(plan.cluster, snapshot.sha256, plan.generation),
        initialCluster: initialClusterOf(plan.members),
        bumpRevision,
        replaces: plan.replaceClusterId,
      }),
    ),
  );
  const [made, proof] = await Promise.all([making, settled(snapshot.proved)]);
  if (proof.status === "rejected") throw proof.reason;
  const failed = made.flatMap((each) => (each.status === "rejected" ? [messageOf(each.reason)] : []));
  if (failed.length > 0) {
    await snapshot.examine();
    throw new Error(
      `${plan.cluster}: restoring: the data of ${failed.length} of ${made.length} members could not be made, ` +
        `and nothing was stopped: ${failed.join("; ")}`,
    );
  }
  return Object.fromEntries(
    made.flatMap((each, i) => (each.status === "fulfilled" ? [[plan.members[i]?.name, each.value]] : [])),
  );
}

/**
 * Stops first the programs that would act on what they remember, then every member that does not run with the restored
 * data yet. Leaders go last: handing over to a member that is itself stopping takes seven seconds.
 */
async function stopEverything(
  plan: RestorePlan,
  former: readonly FormerMember[],
  { runtime, say }: RestoreMeans,
  token: string,
  leaders: readonly string[],
): Promise<void> {
  if (plan.programs.length > 0) say(`ending ${plan.programs.join(", ")}`);
  await runtime.halt(plan.programs);
  if (former.length > 0) say(`ending ${former.map(({ label }) => label).join(", ")}, no member any more`);
  const stop = async ({ name }: RestorePlan["members"][number]) => {
    const { running, bootstrap } = await runtime.observe(name);
    if (running && bootstrap?.token !== token) await runtime.stop(name);
  };
  await Promise.all([
    ...plan.members.filter(({ name }) => !leaders.includes(name)).map(stop),
    // Also one that does not run now: it would come back at the next boot.
    ...former.map(({ name, at }) => at.stop(name)),
  ]);
  await Promise.all(plan.members.filter(({ name }) => leaders.includes(name)).map(stop));
}

/** All at once: none serves before a majority runs. */
async function startAll({ members }: RestorePlan, { runtime, say }: RestoreMeans, markers: Markers): Promise<void> {
  say(`starting ${members.map(({ name }) => name).join(", ")} with the restored data`);
  await Promise.all(
    Object.entries(markers).map(async ([name, marker]) => {
      await runtime.files(name).note("startedAt");
      await runtime.start(name, bootstrapOf(marker));
    }),
  );
}

/**
 * A restore already done here tells us only by how much it raised the revision. Double that, so that writes made since
 * are covered. Data that etcd was never started with do not count.
 */
function lastSeen({ lastSeenRevision }: RestorePlan, { revision, markers }: RestoreTarget): bigint {
  const bumped = Object.values(markers)
    .filter(({ startedAt }) => startedAt !== undefined)
    .map(({ bumpRevision }) => 2n * BigInt(bumpRevision));
  return [lastSeenRevision, revision, ...bumped].reduce((a, b) => (a > b ? a : b));
}

const settled = async <T>(promise: Promise<T>) => (await Promise.allSettled([promise]))[0];

const seconds = (from: number, to: number): number => Math.round((to - from) / 100) / 10;
