import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EtcdClient } from "../lib/etcd/client.ts";
import { runtimeAt } from "../lib/etcd/runtime/at.ts";
import type { EtcdRuntimeAddress } from "../lib/etcd/runtime/runtime.ts";
import { restoreCluster, type RestoreMeans, type RestorePlan } from "../lib/restore/cluster.ts";
import { fetchSource } from "../lib/restore/fetch.ts";
import { clusterFieldOf, sourceDigest, withSecret } from "../lib/restore/source.ts";
import { sha256 } from "../lib/sha256.ts";
import type { EtcdRestoreInputs, EtcdRestoreOutputs } from "./etcd-restore.ts";
import { planRestore } from "./etcd/restore-plan.ts";
import { implement, type State } from "./implementation.ts";

type Known = State<EtcdRestoreInputs, EtcdRestoreOutputs>;

export const provider = implement<EtcdRestoreInputs, EtcdRestoreOutputs>({
  inputs: {
    cluster: "replace",
    runtime: "ignore",
    members: "ignore",
    ca: "ignore",
    certificate: "ignore",
    key: "ignore",
    etcdutl: "ignore",
    etcdVersion: "ignore",
    generation: "update",
    source: "ignore",
    secretKey: "ignore",
    sha256: "ignore",
    replaceClusterId: "ignore",
    overwriteHealthy: "ignore",
    allowForeignSnapshot: "ignore",
    keyPrefix: "ignore",
    programs: "ignore",
    resume: "ignore",
    timeoutSeconds: "ignore",
    pinned: "ignore",
    plan: "ignore",
  },
  id: ({ cluster }) => `${cluster}/restore`,
  derive: planRestore,
  create: (inputs) => restore(inputs, {}),
  update: (inputs, state) => restore(inputs, state),
  delete: async () => {},
});

async function restore(inputs: EtcdRestoreInputs, before: Partial<Known>): Promise<EtcdRestoreOutputs> {
  const { pinned, etcdutl, generation } = inputs;
  const source = withSecret(inputs.source, inputs.secretKey);
  const runtime = runtimeAt(inputs.runtime);
  const client = new EtcdClient(inputs);
  const directory = workDirectory(inputs.runtime, inputs.cluster);
  const means: RestoreMeans = {
    runtime,
    client,
    say: (sentence) => console.log(sentence),
    fetch(target) {
      if (pinned === undefined) throw new Error(`${inputs.cluster}: restoring: what is restored was not looked at`);
      return fetchSource(source, pinned, target, { runtime, connection: inputs, etcdutl, directory });
    },
  };
  try {
    const {
      sha256: digest,
      replaced,
      ...restored
    } = await restoreCluster(planOf(inputs, before), means, inputs.timeoutSeconds);
    if (inputs.resume === true) await runtime.resume(inputs.programs);
    return { ...restored, restoredGeneration: generation, restoredSha256: digest, previousClusterId: replaced };
  } finally {
    client.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

function planOf(inputs: EtcdRestoreInputs, before: Partial<Known>): RestorePlan {
  const revisions = [before.revision, inputs.pinned?.lastSeenRevision].map((each) => BigInt(each ?? 0));
  return {
    ...inputs,
    source: sourceDigest(inputs.source, inputs.sha256),
    clusterField: clusterFieldOf(inputs.source),
    lastSeenRevision: revisions.reduce((a, b) => (a > b ? a : b)),
  };
}

/**
 * Where a snapshot is copied to during a restore: the same after an interruption, but different for each deployment.
 */
function workDirectory(address: EtcdRuntimeAddress, cluster: string): string {
  switch (address.kind) {
    case "local":
      return join(address.directory, `.restoring-${cluster}`);
    case "hosts":
    case "kubernetes":
      return join(tmpdir(), `karmada-restoring-${cluster}-${sha256(JSON.stringify(address)).slice(0, 12)}`);
  }
}
