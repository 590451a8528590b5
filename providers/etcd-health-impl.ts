import { etcdHealth, type EtcdMember } from "../lib/etcd/health.ts";
import { EtcdClient } from "../lib/etcd/client.ts";
import { deadlineIn, messageOf, Pending, waitFor } from "../lib/wait.ts";
import type { EtcdHealthInputs, EtcdHealthOutputs } from "./etcd-health.ts";
import { checkEtcd } from "./etcd-check.ts";
import { implement } from "./implementation.ts";

export const provider = implement<EtcdHealthInputs, EtcdHealthOutputs>({
  inputs: {
    endpoints: "update",
    ca: "update",
    certificate: "update",
    key: "update",
    expectedMembers: "update",
    timeoutSeconds: "ignore",
  },
  id: ({ endpoints }) => endpoints.join(","),
  check: checkEtcd,
  create: healthy,
  update: healthy,
  async read(state) {
    try {
      const now = await observe(state);
      const drift = shortcomings(now, state.expectedMembers);
      if (state.clusterId !== undefined && now.clusterId !== state.clusterId) {
        drift.push(`cluster ID: is ${now.clusterId}, was ${state.clusterId}`);
      }
      return drift.length === 0 && same(now, state) ? { state: {} } : { state: now, drift };
    } catch (error) {
      return { state: {}, drift: [messageOf(error)] };
    }
  },
  delete: async () => {},
});

async function healthy(inputs: EtcdHealthInputs): Promise<EtcdHealthOutputs> {
  const { expectedMembers, timeoutSeconds } = inputs;
  return waitFor(`${expectedMembers} healthy etcd members`, deadlineIn(timeoutSeconds), async () => {
    const report = await observe(inputs);
    const missing = shortcomings(report, expectedMembers);
    return missing.length === 0 ? report : new Pending(missing.join("; "));
  });
}

async function observe({ endpoints, ...connection }: EtcdHealthInputs): Promise<EtcdHealthOutputs> {
  const client = new EtcdClient(connection);
  try {
    const { clusterId, state, conditions, tolerates, members } = await etcdHealth(client, endpoints);
    return { clusterId, state, conditions, tolerates, members };
  } finally {
    client.close();
  }
}

function shortcomings({ members }: EtcdHealthOutputs, expectedMembers: number): string[] {
  const voters = members.filter((member) => !member.learner).length;
  return [
    ...(voters === expectedMembers ? [] : [`${voters} members, want ${expectedMembers}`]),
    ...members.filter((member) => !member.healthy).map((member) => `${member.name || member.id}: ${member.problem}`),
    ...members.flatMap((member) => member.alarms.map((alarm) => `${member.name}: alarm ${alarm}`)),
  ];
}

/** Alike but for what changes all the time. */
function same(now: EtcdHealthOutputs, then: Partial<EtcdHealthOutputs>): boolean {
  const lasting = ({ state, conditions, tolerates, members = [] }: Partial<EtcdHealthOutputs>) =>
    JSON.stringify(
      { state, conditions, tolerates, members: members.map((member) => ({ ...member, ...figures })) },
      sorted,
    );
  return lasting(now) === lasting(then);
}

/** What comes and goes, or settles by itself a few seconds after the start. */
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

/** Objects with their keys in order: the state does not keep ours. */
function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
