import { etcdHealth, type EtcdHealthReport, type EtcdMember } from "../lib/etcd/health.ts";
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
      return drift.length === 0 && same(now.members, state.members) ? { state: {} } : { state: now, drift };
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

async function observe({ endpoints, ...connection }: EtcdHealthInputs): Promise<EtcdHealthReport> {
  const client = new EtcdClient(connection);
  try {
    return await etcdHealth(client, endpoints);
  } finally {
    client.close();
  }
}

function shortcomings({ members }: EtcdHealthReport, expectedMembers: number): string[] {
  const voters = members.filter((member) => !member.learner).length;
  return [
    ...(voters === expectedMembers ? [] : [`${voters} members, want ${expectedMembers}`]),
    ...members.filter((member) => !member.healthy).map((member) => `${member.name || member.id}: ${member.problem}`),
    ...members.flatMap((member) => member.alarms.map((alarm) => `${member.name}: alarm ${alarm}`)),
  ];
}

/** Alike but for what changes all the time. */
function same(now: readonly EtcdMember[], then: readonly EtcdMember[] = []): boolean {
  const lasting = (members: readonly EtcdMember[]) =>
    JSON.stringify(
      members.map((member) => ({ ...member, leader: false, dbSize: 0, dbSizeInUse: 0 })),
      sorted,
    );
  return lasting(now) === lasting(then);
}

/** Objects with their keys in order: the state does not keep ours. */
function sorted(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
