import { failPoint } from "../../../fail-point.ts";
import { EtcdError } from "../../client.ts";
import { disarm } from "../../disarm.ts";
import type { EtcdMember } from "../../member.ts";
import { entryNamed, look, waitUntilWell, type MembershipContext } from "../context.ts";
import { nameOf, voters, type Situation } from "../situation.ts";
import { readableSize } from "../../../size.ts";

/**
 * A full database takes no writes, so the API server can no longer compact it. Compacting to the newest revision ends
 * watches that are behind; their clients list again. Writes are allowed again only once that has made room.
 */
export async function reclaim(context: MembershipContext, situation: Situation): Promise<void> {
  const leader = voters(situation).find((entry) => entry.leader);
  if (leader?.endpoint === undefined) throw new Error("nobody leads");
  const { endpoint } = leader;
  const { revision, members } = situation.facts.report;
  await context.client.call(endpoint, "kv/compaction", { revision, physical: true }, minute).catch(unlessCompacted);
  failPoint("membership/compacted");
  for (const entry of [...members.filter((each) => !each.leader), leader]) {
    await defragment(context, situation, nameOf(situation, entry));
  }
  const { report } = (await look(context)).facts;
  for (const entry of report.members) expectRoom(entry);
  const alarms = [
    ...report.members.flatMap(({ id, alarms }) => alarms.map((alarm) => ({ id, alarm }))),
    ...report.strayAlarms,
  ];
  for (const each of alarms.filter(({ alarm }) => alarm === "NOSPACE")) {
    await disarm(context.client, endpoint, each);
    failPoint("membership/alarm-cleared");
  }
}

/** The member answers nobody meanwhile; the others go on. */
export async function defragment(context: MembershipContext, situation: Situation, name: string): Promise<void> {
  const { endpoint, dbSize } = entryNamed(situation, name);
  if (endpoint === undefined) throw new Error(`${name}: cannot be reached to be defragmented`);
  await context.client.call(endpoint, "maintenance/defragment", {}, minute + Math.ceil(dbSize / slowest));
  failPoint("membership/defragmented");
  await waitUntilWell(context, [name]);
}

function expectRoom({ name, dbSizeInUse, dbSizeQuota }: EtcdMember): void {
  if (dbSizeQuota === 0 || dbSizeInUse < 0.8 * dbSizeQuota) return;
  throw new Error(
    `${name}: ${readableSize(dbSizeInUse)} of ${readableSize(dbSizeQuota)} are in use after compaction: it stays read-only; raise etcd.quota, where its disk has room for that, or delete objects`,
  );
}

function unlessCompacted(error: unknown): void {
  if (!(error instanceof EtcdError && /compacted/.test(error.message))) throw error;
}

const minute = 60_000;

/** Bytes a millisecond. */
const slowest = 10_000;
