import { isDeepStrictEqual } from "node:util";
import { EtcdError, type EtcdClient, type EtcdConnection } from "../lib/etcd/client.ts";
import { DirectEtcdClient } from "../lib/etcd/direct/client.ts";
import { ModestEtcdClient } from "../lib/etcd/direct/modest-client.ts";
import { observeEtcd } from "../lib/etcd/health.ts";
import { EtcdKeys } from "../lib/etcd/keys.ts";
import { explainRights } from "../lib/etcd/rights.ts";
import { runtimeAt } from "../lib/etcd/runtime/at.ts";
import { deleteLeases } from "../lib/restore/leases.ts";
import { deadlineIn, messageOf, waitFor } from "../lib/wait.ts";
import { certificateProblems, checkEtcd } from "./etcd/check.ts";
import { sameHealth } from "./etcd/health-same.ts";
import type { ExternalEtcdInputs, ExternalEtcdOutputs } from "./external-etcd.ts";
import { proveFit, Unfit } from "./external-etcd/fit.ts";
import { leavePrefix, ownerDrift, takePrefix, whyTaken, withoutItsData } from "./external-etcd/owner.ts";
import { rightOn, rightToMaintain } from "./external-etcd/rights.ts";
import { implement, type Problem, type State } from "./implementation.ts";

export const provider = implement<ExternalEtcdInputs, ExternalEtcdOutputs>({
  inputs: {
    endpoints: "update",
    ca: "update",
    certificate: "update",
    key: "update",
    maintenanceCertificate: "update",
    maintenanceKey: "update",
    prefix: "replace",
    owner: "update",
    deployment: "update",
    adopt: "ignore",
    cluster: "update",
    runtime: "ignore",
    programs: "ignore",
    timeoutSeconds: "ignore",
  },
  id: ({ prefix }) => prefix,
  check: (inputs) => [
    ...checkEtcd(inputs),
    ...certificateProblems("maintenanceCertificate", inputs.maintenanceCertificate),
    ...checkPrefix(inputs.prefix),
  ],
  derive: async (inputs, { inputs: before }) => ({ inputs: {}, problems: await findUnfit(inputs, before) }),
  create: (inputs) => accept(inputs),
  async update(inputs, before) {
    const accepted = await accept(inputs, before);
    if (isRestored(inputs, before)) await dropLeases(inputs);
    return accepted;
  },
  async read(state) {
    const { endpoints, prefix, owner } = state;
    try {
      return await using(state, async (client) => {
        const drift = await ownerDrift(new EtcdKeys(client, first(endpoints)), prefix, owner);
        const health = await healthOf(client, state);
        return { state: sameHealth(health, state) ? {} : health, drift };
      });
    } catch (error) {
      return { state: {}, drift: [messageOf(error)] };
    }
  },
  async delete(state) {
    const { endpoints, prefix, owner } = state;
    await using(state, (client) => leavePrefix(new EtcdKeys(client, first(endpoints)), prefix, owner)).catch(
      (error: unknown) => {
        console.warn(`${prefix}: the note of its owner stays: ${messageOf(error)}`);
      },
    );
  },
});

function checkPrefix(prefix: string | undefined): Problem[] {
  if (prefix === undefined || /^(\/[\w.-]+)+$/.test(prefix)) return [];
  return [{ property: "prefix", reason: `got "${prefix}", want a path without a slash at its end, such as /karmada` }];
}

/**
 * Finds that the prefix is somebody else's, or that the etcd it is to have now, which may be another one, has none of its
 * data. One that does not answer yet is looked at in the `up`.
 */
async function findUnfit(
  inputs: Partial<ExternalEtcdInputs>,
  before: Partial<ExternalEtcdInputs> = {},
): Promise<Problem[]> {
  const { endpoints, ca, certificate, key, prefix } = inputs;
  if (!endpoints || !ca || !certificate || !key || !prefix) return [];
  const isNew = prefix !== before.prefix;
  if (!isNew && !mayBeAnother(inputs, before)) return [];
  const client = new ModestEtcdClient({ ca, certificate, key });
  try {
    const keys = new EtcdKeys(client, first(endpoints));
    const wanted = { ...inputs, prefix };
    const reason = isNew ? await whyTaken(keys, wanted) : await withoutItsData(keys, wanted, before.owner);
    return reason === undefined ? [] : [{ property: isNew ? "prefix" : "endpoints", reason }];
  } catch {
    return [];
  } finally {
    client.close();
  }
}

/** Whether it is reached in another way: one that was made anew where another was has its ID, but never its authority. */
const mayBeAnother = (now: Partial<ExternalEtcdInputs>, before: Partial<ExternalEtcdInputs>): boolean =>
  !isDeepStrictEqual([now.endpoints, now.ca, now.cluster], [before.endpoints, before.ca, before.cluster]);

/** Whether its stack tells of another cluster than the last time. */
const isRestored = (inputs: ExternalEtcdInputs, { cluster }: Partial<ExternalEtcdInputs>): boolean =>
  inputs.cluster !== undefined && cluster !== undefined && inputs.cluster !== cluster;

/** Stops what remembers other data than the restored ones, before it can act on them. */
async function stopWhatRemembers({ runtime, programs = [] }: ExternalEtcdInputs): Promise<void> {
  if (runtime === undefined) return;
  console.log(`the etcd was restored by its own stack: ending ${programs.join(", ")}, to start them anew`);
  await runtimeAt(runtime).halt(programs);
}

/** The holders of the leases in the data are these programs, or gone: nobody is to wait for them. */
function dropLeases(inputs: ExternalEtcdInputs): Promise<void> {
  const members = inputs.endpoints.map((clientUrl) => ({ clientUrl }));
  return using(inputs, (client) => deleteLeases(client, members, inputs.prefix));
}

/** @param before as in the state, whose owner is this deployment, too */
async function accept(
  inputs: ExternalEtcdInputs,
  before?: State<ExternalEtcdInputs, ExternalEtcdOutputs>,
): Promise<ExternalEtcdOutputs> {
  const { endpoints, timeoutSeconds } = inputs;
  const accepted = using(inputs, async (client) => {
    const fit = () => proveFit(client, endpoints);
    const facts = await waitFor("etcd to be fit for use", deadlineIn(timeoutSeconds), fit, {
      fatal: (error) => error instanceof Unfit || (error instanceof EtcdError && error.code !== 14),
    });
    proveSameCluster(facts.clusterId, inputs.cluster);
    await proveMaintenance(inputs);
    const keys = new EtcdKeys(client, first(endpoints));
    if (before !== undefined && (before.clusterId !== facts.clusterId || mayBeAnother(inputs, before))) {
      const reason = await withoutItsData(keys, inputs, before.owner);
      if (reason !== undefined) throw new Error(reason);
    }
    if (before !== undefined && isRestored(inputs, before)) await stopWhatRemembers(inputs);
    await takePrefix(keys, inputs, before?.owner);
    await Promise.all(endpoints.map((endpoint) => new EtcdKeys(client, endpoint).probe(inputs.prefix)));
    return { ...facts, ...(await healthOf(client, inputs)) };
  });
  return accepted.catch((error: unknown) => {
    throw explainRights(error, inputs.certificate, rightOn(inputs.prefix));
  });
}

/** What a stack tells of its etcd is as of its last `up`. */
function proveSameCluster(found: string, told: string | undefined): void {
  if (told === undefined || told === found) return;
  throw new Error(
    `it is cluster ${found}, and the stack that runs it tells of ${told}\nrun up with --refresh of that stack, then this up again`,
  );
}

/** With the certificate that has the most rights. */
async function healthOf(client: EtcdClient, inputs: ExternalEtcdInputs) {
  const keeper = keeperOf(inputs);
  const asking = keeper === undefined ? client : new ModestEtcdClient(keeper);
  try {
    const { state, conditions, tolerates, members } = await observeEtcd(asking, inputs.endpoints);
    return { state, conditions, tolerates, members };
  } finally {
    if (asking !== client) asking.close();
  }
}

/** Checks that the maintenance certificate really allows maintenance. */
async function proveMaintenance(inputs: ExternalEtcdInputs): Promise<void> {
  const keeper = keeperOf(inputs);
  if (keeper === undefined) return;
  const client = new DirectEtcdClient(keeper);
  try {
    // Before 3.6 everybody may see a member's status; this is for root alone in every version.
    await client.call(first(inputs.endpoints), "auth/user/list", {}, 5000);
  } catch (error) {
    throw explainRights(error, keeper.certificate, rightToMaintain);
  } finally {
    client.close();
  }
}

function keeperOf({ ca, maintenanceCertificate, maintenanceKey }: ExternalEtcdInputs): EtcdConnection | undefined {
  if (maintenanceCertificate === undefined || maintenanceKey === undefined) return undefined;
  return { ca, certificate: maintenanceCertificate, key: maintenanceKey };
}

async function using<T>(inputs: ExternalEtcdInputs, run: (client: EtcdClient) => Promise<T>): Promise<T> {
  const client = new ModestEtcdClient(inputs);
  try {
    return await run(client);
  } finally {
    client.close();
  }
}

const first = (endpoints: readonly string[]) => endpoints[0] ?? "";
