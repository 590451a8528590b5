import { EtcdKeys } from "../lib/etcd/keys.ts";
import { EtcdClient, EtcdError } from "../lib/etcd/client.ts";
import { observeEtcd } from "../lib/etcd/health.ts";
import { deadlineIn, messageOf, waitFor } from "../lib/wait.ts";
import { checkEtcd } from "./etcd-check.ts";
import { sameHealth } from "./etcd-health-same.ts";
import type { ExternalEtcdInputs, ExternalEtcdOutputs } from "./external-etcd.ts";
import { implement, type Problem } from "./implementation.ts";

export const provider = implement<ExternalEtcdInputs, ExternalEtcdOutputs>({
  inputs: {
    endpoints: "update",
    ca: "update",
    certificate: "update",
    key: "update",
    prefix: "replace",
    owner: "replace",
    adopt: "ignore",
    timeoutSeconds: "ignore",
  },
  id: ({ prefix }) => prefix,
  check: (inputs) => [...checkEtcd(inputs), ...checkPrefix(inputs.prefix)],
  create: accept,
  update: accept,
  async read(state) {
    const { endpoints, prefix, owner } = state;
    try {
      return await using(state, async (client) => {
        const noted = await new EtcdKeys(client, first(endpoints)).get(noteBelow(prefix));
        const health = await healthOf(client, endpoints);
        return {
          state: sameHealth(health, state) ? {} : health,
          drift: noted === owner ? [] : [`${prefix}: ${noted ?? "nobody"} is noted as its owner`],
        };
      });
    } catch (error) {
      return { state: {}, drift: [messageOf(error)] };
    }
  },
  async delete(state) {
    const { endpoints, prefix, owner } = state;
    await using(state, async (client) => {
      const keys = new EtcdKeys(client, first(endpoints));
      const note = noteBelow(prefix);
      if ((await keys.get(note)) !== owner) return;
      const others = (await keys.list(`${prefix}/`, 2)).filter((key) => key !== note);
      if (others.length === 0) await keys.delete(note);
    }).catch((error: unknown) => {
      console.warn(`${prefix}: the note of its owner stays: ${messageOf(error)}`);
    });
  },
});

/** Where the owner is noted. Kubernetes keeps nothing of its own there. */
const noteBelow = (prefix: string) => `${prefix}/karmada-pulumi/owner`;

function checkPrefix(prefix: string | undefined): Problem[] {
  if (prefix === undefined || /^(\/[\w.-]+)+$/.test(prefix)) return [];
  return [{ property: "prefix", reason: `got "${prefix}", want a path without a slash at its end, such as /karmada` }];
}

async function accept(inputs: ExternalEtcdInputs): Promise<ExternalEtcdOutputs> {
  const { endpoints, timeoutSeconds } = inputs;
  return using(inputs, async (client) => {
    const fit = () => proveFit(client, endpoints);
    const facts = await waitFor("etcd to be fit for use", deadlineIn(timeoutSeconds), fit, {
      fatal: (error) => error instanceof Unfit || (error instanceof EtcdError && error.code !== 14),
    });
    await takePrefix(new EtcdKeys(client, first(endpoints)), inputs);
    await Promise.all(endpoints.map((endpoint) => new EtcdKeys(client, endpoint).probe(inputs.prefix)));
    return { ...facts, ...(await healthOf(client, endpoints)) };
  });
}

async function healthOf(client: EtcdClient, endpoints: readonly string[]) {
  const { state, conditions, tolerates, members } = await observeEtcd(client, endpoints);
  return { state, conditions, tolerates, members };
}

class Unfit extends Error {}

async function proveFit(
  client: EtcdClient,
  endpoints: readonly string[],
): Promise<Pick<ExternalEtcdOutputs, "clusterId" | "versions">> {
  const seen = await Promise.all(
    endpoints.map(async (endpoint) => {
      const status = await client.call<Status>(endpoint, "maintenance/status", {});
      if (status.leader === undefined) throw new Error(`${endpoint}: knows no leader`);
      if (status.isLearner === true) throw new Unfit(`${endpoint}: is a learner, give the endpoints of voters`);
      return { endpoint, version: status.version ?? "", clusterId: BigInt(status.header.cluster_id).toString(16) };
    }),
  );
  const ids = new Set(seen.map(({ clusterId }) => clusterId));
  if (ids.size > 1) {
    const list = seen.map(({ endpoint, clusterId }) => `${endpoint} of ${clusterId}`).join(", ");
    throw new Unfit(`the endpoints are of different clusters: ${list}`);
  }
  const versions = Object.fromEntries(seen.map(({ endpoint, version }) => [endpoint, version]));
  return { clusterId: seen[0]?.clusterId ?? "", versions };
}

interface Status {
  readonly header: { readonly cluster_id: string };
  readonly version?: string;
  readonly leader?: string;
  readonly isLearner?: boolean;
}

/** Notes the owner below the prefix. The note is the first key of ours: keys without it are somebody else's. */
async function takePrefix(keys: EtcdKeys, { prefix, owner, adopt = false }: ExternalEtcdInputs): Promise<void> {
  const note = noteBelow(prefix);
  const noted = await keys.get(note);
  if (noted === owner) return;
  if (noted !== undefined) {
    throw new Error(`${prefix} holds another Karmada, "${noted}"; choose another prefix for "${owner}"`);
  }
  const [foreign] = adopt ? [] : await keys.list(`${prefix}/`, 1);
  if (foreign !== undefined) {
    throw new Error(
      `${prefix} is not empty, it holds for instance ${foreign}; choose another prefix, or set adopt to take it over`,
    );
  }
  if (!(await keys.putIfAbsent(note, owner))) {
    throw new Error(`${prefix} was just taken by "${await keys.get(note)}"; choose another prefix for "${owner}"`);
  }
}

async function using<T>(inputs: ExternalEtcdInputs, run: (client: EtcdClient) => Promise<T>): Promise<T> {
  const client = new EtcdClient(inputs);
  try {
    return await run(client);
  } finally {
    client.close();
  }
}

const first = (endpoints: readonly string[]) => endpoints[0] ?? "";
