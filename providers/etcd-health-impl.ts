import { etcdHealth } from "../lib/etcd/health.ts";
import { EtcdClient } from "../lib/etcd/client.ts";
import { deadlineIn, messageOf, Pending, waitFor } from "../lib/wait.ts";
import type { EtcdHealthInputs, EtcdHealthOutputs } from "./etcd-health.ts";
import { checkEtcd } from "./etcd-check.ts";
import { sameHealth } from "./etcd-health-same.ts";
import { implement } from "./implementation.ts";

export const provider = implement<EtcdHealthInputs, EtcdHealthOutputs>({
  inputs: {
    endpoints: "update",
    ca: "update",
    certificate: "update",
    key: "update",
    expectedMembers: "update",
    restored: "update",
    after: "update",
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
      return drift.length === 0 && sameHealth(now, state) ? { state: {} } : { state: now, drift };
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
