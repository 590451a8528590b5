import { EtcdClient } from "../lib/etcd/client.ts";
import { runtimeAt } from "../lib/etcd/runtime/at.ts";
import { preparedBefore } from "../lib/restore/cluster.ts";
import { type FoundMembers, findMembers } from "../lib/restore/find-members.ts";
import { clusterThere, refusals } from "../lib/restore/locks.ts";
import type { RestoreMarker } from "../lib/etcd/runtime/marker.ts";
import { clusterFieldOf, pinSource, sourceDigest, withSecret, type PinnedSource } from "../lib/restore/source.ts";
import { lookAtTarget, type RestoreTarget } from "../lib/restore/target.ts";
import { messageOf } from "../lib/wait.ts";
import { unknownValue } from "../toolchain/pulumi/unknown-value.ts";
import type { EtcdRestoreInputs } from "./etcd-restore.ts";
import { type Before, type Derived, type Problem } from "./implementation.ts";

/**
 * Looks at the source and the target: pins the source, writes the plan, and refuses closed locks. Once for each
 * generation: pin and plan of one that is done or under way stay, so that they are never a difference.
 */
export async function planRestore(
  inputs: Partial<EtcdRestoreInputs>,
  { inputs: then }: Before<EtcdRestoreInputs>,
): Promise<Derived<EtcdRestoreInputs>> {
  if (then?.pinned !== undefined && then.generation === inputs.generation) {
    return { inputs: { pinned: then.pinned, ...(then.plan && { plan: then.plan }) } };
  }
  const needed = [inputs.cluster, inputs.runtime, inputs.members, inputs.source, inputs.etcdVersion, inputs.generation];
  if (needed.includes(undefined)) return { inputs: { pinned: unknownValue as never, plan: unknownValue as never } };
  return planned(inputs as EtcdRestoreInputs);
}

async function planned(news: EtcdRestoreInputs): Promise<Derived<EtcdRestoreInputs>> {
  const seen = await look(news);
  const { target } = seen;
  const problems: Problem[] = refusals({ ...news, clusterField: clusterFieldOf(news.source) }, target);
  const source = sourceDigest(news.source, news.sha256);
  const prepared = Object.values(preparedBefore({ ...news, source }, target) ?? {});
  if (prepared[0] !== undefined) return broughtToItsEnd(news, prepared as [RestoreMarker], target, problems);
  try {
    const found = await pinSource(withSecret(news.source, news.secretKey), {
      deployment: news.cluster,
      etcdVersion: news.etcdVersion,
      allowForeignSnapshot: news.allowForeignSnapshot,
      ...(news.sha256 !== undefined && { sha256: news.sha256 }),
      ...(news.etcdutl !== undefined && { etcdutl: news.etcdutl }),
    });
    return { inputs: { pinned: found, plan: sentences(news, found, seen) }, problems };
  } catch (error) {
    const reason = [messageOf(error), ...searchedHere(news)].join("; ");
    return { inputs: {}, problems: [...problems, { property: "source", reason }] };
  }
}

/**
 * The plan of a restore whose data lie ready. As long as etcd was not started with them the locks count; once that has
 * ended, it has to be that cluster which serves.
 */
function broughtToItsEnd(
  { generation }: EtcdRestoreInputs,
  markers: readonly [RestoreMarker, ...RestoreMarker[]],
  { working }: RestoreTarget,
  refused: Problem[],
): Derived<EtcdRestoreInputs> {
  const [{ sha256, clusterId, finishedAt }] = markers;
  const pinned = { uri: "data that lie ready", sha256 };
  if (finishedAt !== undefined) {
    const problems = working.includes(clusterId) ? [] : refused.filter(({ property }) => property === "generation");
    const plan = [`generation ${generation} was restored on ${finishedAt}: nothing is done`];
    return { inputs: { pinned, plan }, problems };
  }
  const problems = markers.some(({ startedAt }) => startedAt !== undefined) ? [] : refused;
  return { inputs: { pinned, plan: [`generation ${generation} was begun and is brought to its end`] }, problems };
}

type Seen = FoundMembers & { readonly target: RestoreTarget };

/** Before the first `up` there are neither certificates to ask with nor anybody to ask. */
async function look(inputs: EtcdRestoreInputs): Promise<Seen> {
  const runtime = runtimeAt(inputs.runtime);
  const known = [inputs.ca, inputs.certificate, inputs.key].every((pem) => pem?.includes("-----BEGIN"));
  const client = known ? new EtcdClient(inputs) : undefined;
  try {
    const found = await findMembers(runtime, inputs.members);
    return { ...found, target: await lookAtTarget(found.members, client) };
  } finally {
    client?.close();
  }
}

function sentences(
  inputs: EtcdRestoreInputs,
  { uri, manifest, revision }: PinnedSource,
  { target, former, unseen }: Seen,
): string[] {
  const there = clusterThere(target);
  const names = inputs.members.map(({ name }) => name).join(", ");
  const of = manifest === undefined ? "" : `, revision ${manifest.revision} of ${manifest.createdAt}`;
  return [
    `${there === "none" ? "fills an empty etcd" : `REPLACES cluster ${there}`} (${names}) by ${uri}${of}`,
    ...lost(manifest?.revision ?? revision, target),
    ...searchedHere(inputs),
    ...(former.length === 0 ? [] : [`ends ${former.map(({ label }) => label).join(", ")}, no member any more`]),
    ...unseen.map((host) => `${host} cannot be reached: an earlier member there is not seen, and keeps running`),
    ...(there === "none" ? [] : ["the previous data stay beside the new ones, under lower numbers"]),
    ...(inputs.programs.length === 0
      ? []
      : [`ends ${inputs.programs.join(", ")} before; they start again, in their order, with this up`]),
  ];
}

/**
 * If the cluster has been started anew since, and is not that far yet, its revisions say nothing about what is lost.
 */
export function lost(snapshot: string | undefined, { revision }: Pick<RestoreTarget, "revision">): string[] {
  if (snapshot === undefined || revision === 0n || revision < BigInt(snapshot)) return [];
  return [`${revision - BigInt(snapshot)} revisions after it are lost; the number goes on above ${revision}`];
}

/** On hosts the schedule has its directories there: what lies in one of the same path here is something else. */
export function searchedHere({ source, runtime }: Pick<EtcdRestoreInputs, "source" | "runtime">): string[] {
  if (source.kind !== "snapshot" || source.target.kind !== "local" || runtime.kind !== "hosts") return [];
  const { directory } = source.target;
  return [`${directory} is searched on this machine; what the schedule took into it lies on the host that took it`];
}
