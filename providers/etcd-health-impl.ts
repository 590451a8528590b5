import { EtcdClient } from "../lib/etcd/client.ts";
import { etcdHealth, type EtcdHealthReport } from "../lib/etcd/health.ts";
import { strayInWords } from "../lib/etcd/stray-alarm.ts";
import { deadlineIn, messageOf, Pending, waitFor } from "../lib/wait.ts";
import type { EtcdHealthInputs, EtcdHealthOutputs } from "./etcd-health.ts";
import { checkEtcd } from "./etcd/check.ts";
import { sameHealth } from "./etcd/health-same.ts";
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
      const report = await observe(state);
      const now = outputsOf(report);
      const drift = shortcomings(report, state.expectedMembers);
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
    return missing.length === 0 ? outputsOf(report) : new Pending(missing.join("; "));
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

const outputsOf = ({ clusterId, state, conditions, tolerates, members }: EtcdHealthReport): EtcdHealthOutputs => ({
  clusterId,
  state,
  conditions,
  tolerates,
  members,
});

function shortcomings({ members, strayAlarms }: EtcdHealthReport, expectedMembers: number): string[] {
  const voters = members.filter((member) => !member.learner).length;
  return [
    ...(voters === expectedMembers ? [] : [`${voters} members, want ${expectedMembers}`]),
    ...members.filter((member) => !member.healthy).map((member) => `${member.name || member.id}: ${member.problem}`),
    ...members.flatMap((member) => member.alarms.map((alarm) => `${member.name}: alarm ${alarm}`)),
    ...strayAlarms.map((stray) => `etcd: ${strayInWords(stray)}`),
  ];
}
