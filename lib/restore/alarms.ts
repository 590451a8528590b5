import type { EtcdClient } from "../etcd/client.ts";
import { disarm } from "../etcd/disarm.ts";
import { etcdHealth } from "../etcd/health.ts";
import type { EtcdMember } from "../etcd/member.ts";
import { strayInWords, type StrayAlarm } from "../etcd/stray-alarm.ts";
import { messageOf } from "../wait.ts";
import type { RestoredMember } from "./token.ts";

/**
 * Ends the alarms that came with a snapshot, under IDs that no member has now: etcd would refuse writes to the restored
 * data. CORRUPT is over, since all members hold the same. NOSPACE stays if the database really is full: the reconciler
 * makes room in it.
 */
export async function disarmBrought(
  client: EtcdClient,
  members: readonly RestoredMember[],
  say: (sentence: string) => void,
): Promise<void> {
  const endpoints = members.map(({ clientUrl }) => clientUrl);
  const report = await etcdHealth(client, endpoints);
  const crowded = report.members.filter((member) => !hasRoom(member));
  for (const stray of report.strayAlarms) {
    if (stray.alarm === "NOSPACE" && crowded.length > 0) {
      const names = crowded.map(({ name }) => name).join(", ");
      say(`leaving the ${strayInWords(stray)}: the database of ${names} is full, the next up of its etcd makes room`);
      continue;
    }
    say(`ending the ${strayInWords(stray)}, which came with the snapshot`);
    await byAny(client, endpoints, stray);
  }
}

/**
 * By the size of the whole file, as etcd judges it; before 3.6 etcd does not report its quota, and raises the alarm
 * again by itself if there is no room.
 */
const hasRoom = ({ dbSize, dbSizeQuota }: EtcdMember): boolean => dbSizeQuota === 0 || dbSize < 0.8 * dbSizeQuota;

async function byAny(client: EtcdClient, endpoints: readonly string[], stray: StrayAlarm): Promise<void> {
  const errors: string[] = [];
  for (const endpoint of endpoints) {
    try {
      return await disarm(client, endpoint, stray);
    } catch (error) {
      errors.push(messageOf(error));
    }
  }
  throw new Error(`ending the ${strayInWords(stray)}, which came with the snapshot: ${errors.join("; ")}`);
}
