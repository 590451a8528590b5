import type { EtcdMember } from "../../lib/etcd/member.ts";
import type { EtcdHealthOutputs } from "../etcd-health.ts";

type Health = Omit<EtcdHealthOutputs, "clusterId">;

/** Equal except for what changes all the time. */
export function sameHealth(now: Health, then: Partial<Health>): boolean {
  const lasting = ({ state, conditions, tolerates, members = [] }: Partial<Health>) =>
    JSON.stringify(
      { state, conditions, tolerates, members: members.map((member) => ({ ...member, ...figures })) },
      sorted,
    );
  return lasting(now) === lasting(then);
}

/** Values that fluctuate, or settle by themselves a few seconds after the start. */
const figures = {
  leader: false,
  role: "unknown",
  raftIndex: 0,
  raftAppliedIndex: 0,
  lag: 0,
  dbSize: 0,
  dbSizeInUse: 0,
  fragmentation: 0,
  storageVersion: "",
} satisfies Partial<EtcdMember>;

/** Objects with sorted keys: the state does not keep our order. */
function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
