import { EtcdClient } from "../../lib/etcd/client.ts";
import { runtimeAt } from "../../lib/etcd/runtime/at.ts";
import type { RestoreMarker } from "../../lib/etcd/runtime/marker.ts";
import { preparedBefore } from "../../lib/restore/cluster.ts";
import { type FoundMembers, findMembers } from "../../lib/restore/find-members.ts";
import { clusterThere, refusals } from "../../lib/restore/locks.ts";
import { clusterFieldOf, pinSource, sourceDigest, withSecret, type PinnedSource } from "../../lib/restore/source.ts";
import { lookAtTarget, type RestoreTarget } from "../../lib/restore/target.ts";
import { messageOf } from "../../lib/wait.ts";
import { unknownValue } from "../../toolchain/pulumi/unknown-value.ts";
import type { EtcdRestoreInputs } from "../etcd-restore.ts";
import { type Before, type Derived, type Problem } from "../implementation.ts";

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
  return newPlan(inputs as EtcdRestoreInputs);
}

async function newPlan(news: EtcdRestoreInputs): Promise<Derived<EtcdRestoreInputs>> {
  const seen = await look(news);
  const { target } = seen;
  const problems: Problem[] = refusals({ ...news, clusterField: clusterFieldOf(news.source) }, target);
  const source = sourceDigest(news.source, news.sha256);
  const prepared = Object.values(preparedBefore({ ...news, source }, target) ?? {});
  if (prepared[0] !== undefined) return planOfPrepared(news, prepared as [RestoreMarker], target, problems);
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

/** The plan of a restore whose data lie ready: it goes on, or is over. */
function planOfPrepared(
  { generation }: EtcdRestoreInputs,
  markers: readonly [RestoreMarker, ...RestoreMarker[]],
  target: RestoreTarget,
  refused: readonly Problem[],
): Derived<EtcdRestoreInputs> {
  const [{ sha256, finishedAt }] = markers;
  const pinned = { uri: "data that lie ready", sha256 };
  const isOver = finishedAt !== undefined;
  const sentence = isOver
    ? `generation ${generation} was restored on ${finishedAt}: nothing is done`
    : `generation ${generation} was begun and is brought to its end`;
  return {
    inputs: { pinned, plan: [sentence] },
    problems: isOver ? problemsOnceOver(markers, target, refused) : problemsUnderWay(markers, refused),
  };
}

/** Once it is over, the cluster that was restored has to be the one that serves. */
const problemsOnceOver = (
  [{ clusterId }]: readonly [RestoreMarker, ...RestoreMarker[]],
  { working }: RestoreTarget,
  refused: readonly Problem[],
): Problem[] => (working.includes(clusterId) ? [] : refused.filter(({ property }) => property === "generation"));

/** The locks count as long as etcd was not started with the data. */
const problemsUnderWay = (markers: readonly RestoreMarker[], refused: readonly Problem[]): Problem[] =>
  markers.some(({ startedAt }) => startedAt !== undefined) ? [] : [...refused];

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
  const loss = lost(manifest?.revision ?? revision, target);
  if (loss !== undefined) console.log(`${inputs.cluster}: ${loss.soFar}`);
  const names = inputs.members.map(({ name }) => name).join(", ");
  const of = manifest === undefined ? "" : `, revision ${manifest.revision} of ${manifest.createdAt}`;
  return [
    `${there === "none" ? "fills an empty etcd" : `REPLACES cluster ${there}`} (${names}) by ${uri}${of}`,
    ...(loss === undefined ? [] : [loss.sentence]),
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
 * If the cluster has been started anew since, and is not that far yet, its revisions say nothing about what is lost. The
 * plan has no figures of it: a Karmada that works writes all the time, and a saved plan whose sentences have become
 * others is not carried out.
 *
 * @returns the sentence of the plan, and how much it is so far
 */
export function lost(
  snapshot: string | undefined,
  { revision }: Pick<RestoreTarget, "revision">,
): { readonly sentence: string; readonly soFar: string } | undefined {
  if (snapshot === undefined || revision === 0n || revision < BigInt(snapshot)) return undefined;
  return {
    sentence: `what was written after revision ${snapshot} is lost`,
    soFar: `${revision - BigInt(snapshot)} revisions are lost so far; the number goes on above ${revision}`,
  };
}

/** On hosts the schedule has its directories there: what lies in one of the same path here is something else. */
export function searchedHere({ source, runtime }: Pick<EtcdRestoreInputs, "source" | "runtime">): string[] {
  if (source.kind !== "snapshot" || source.target.kind !== "local" || runtime.kind !== "hosts") return [];
  const { directory } = source.target;
  return [`${directory} is searched on this machine; what the schedule took into it lies on the host that took it`];
}
