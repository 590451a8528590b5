import { EtcdKeys } from "../lib/etcd/keys.ts";
import { EtcdError, type EtcdClient, type EtcdConnection } from "../lib/etcd/client.ts";
import { DirectEtcdClient } from "../lib/etcd/direct/client.ts";
import { ModestEtcdClient } from "../lib/etcd/direct/modest-client.ts";
import { observeEtcd } from "../lib/etcd/health.ts";
import { explainRights } from "../lib/etcd/rights.ts";
import { deadlineIn, messageOf, waitFor } from "../lib/wait.ts";
import { certificateProblems, checkEtcd } from "./etcd-check.ts";
import { sameHealth } from "./etcd-health-same.ts";
import type { ExternalEtcdInputs, ExternalEtcdOutputs } from "./external-etcd.ts";
import { proveFit, Unfit } from "./external-etcd-fit.ts";
import { leavePrefix, ownerDrift, takePrefix } from "./external-etcd-owner.ts";
import { rightOn, rightToMaintain } from "./external-etcd-rights.ts";
import { implement, type Problem } from "./implementation.ts";

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
    timeoutSeconds: "ignore",
  },
  id: ({ prefix }) => prefix,
  check: (inputs) => [
    ...checkEtcd(inputs),
    ...certificateProblems("maintenanceCertificate", inputs.maintenanceCertificate),
    ...checkPrefix(inputs.prefix),
  ],
  create: (inputs) => accept(inputs),
  update: (inputs, { owner }) => accept(inputs, owner),
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

/** @param former the owner noted in the state, which is this deployment too */
async function accept(inputs: ExternalEtcdInputs, former?: string): Promise<ExternalEtcdOutputs> {
  const { endpoints, timeoutSeconds } = inputs;
  const accepted = using(inputs, async (client) => {
    const fit = () => proveFit(client, endpoints);
    const facts = await waitFor("etcd to be fit for use", deadlineIn(timeoutSeconds), fit, {
      fatal: (error) => error instanceof Unfit || (error instanceof EtcdError && error.code !== 14),
    });
    await proveMaintenance(inputs);
    await takePrefix(new EtcdKeys(client, first(endpoints)), inputs, former);
    await Promise.all(endpoints.map((endpoint) => new EtcdKeys(client, endpoint).probe(inputs.prefix)));
    return { ...facts, ...(await healthOf(client, inputs)) };
  });
  return accepted.catch((error: unknown) => {
    throw explainRights(error, inputs.certificate, rightOn(inputs.prefix));
  });
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
