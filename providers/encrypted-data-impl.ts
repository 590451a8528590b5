import { formerPodsEnd } from "../lib/host-cluster/former-pods.ts";
import { connectAlone, type KubeClient } from "../lib/kube/client.ts";
import { noteTold } from "../lib/kube/encryption-note.ts";
import { writeAnew } from "../lib/kube/rewrite.ts";
import { type Deadline, deadlineIn } from "../lib/wait.ts";
import type { EncryptedDataInputs, EncryptedDataOutputs } from "./encrypted-data.ts";
import { implement } from "./implementation.ts";
import { checkKubeconfigs } from "./kubeconfig-check.ts";

export const provider = implement<EncryptedDataInputs, EncryptedDataOutputs>({
  inputs: {
    revision: "update",
    told: "update",
    encrypted: "update",
    by: "ignore",
    resources: "ignore",
    wanted: "ignore",
    karmadaKubeconfig: "ignore",
    pods: "ignore",
    timeoutSeconds: "ignore",
  },
  id: () => "encrypted-data",
  check: (inputs) => checkKubeconfigs(inputs, ["karmadaKubeconfig"]),
  create: (inputs) => keep(inputs),
  update: (inputs, before) => keep(inputs, before),
  delete: () => Promise.resolve(),
});

async function keep(
  inputs: EncryptedDataInputs,
  before?: EncryptedDataInputs & Partial<EncryptedDataOutputs>,
): Promise<EncryptedDataOutputs> {
  const { revision, objects } = before ?? {};
  const isWritten = revision === inputs.revision && objects !== undefined;
  if (inputs.pods !== undefined) await formerPodsEnd(inputs.pods, deadlineIn(endSeconds));
  // A connection from before may lead to one that has the former settings.
  const plane = await connectAlone(inputs.karmadaKubeconfig);
  try {
    const deadline = deadlineIn(inputs.timeoutSeconds);
    const kept = isWritten ? { objects } : await writeAll(plane, inputs, deadline);
    const { told, encrypted: resources, by = ["secretbox"] } = inputs;
    await noteTold(plane, told, { resources, by: resources.length > 0 ? by : [] }, deadline);
    return kept;
  } finally {
    plane.close();
  }
}

/** A pod of an API server gets less than half a minute to end, and counts as lost a minute later. */
const endSeconds = 120;

async function writeAll(
  plane: KubeClient,
  inputs: EncryptedDataInputs,
  deadline: Deadline,
): Promise<EncryptedDataOutputs> {
  let objects = 0;
  for (const resource of inputs.resources)
    objects += await writeAnew(plane, resource, deadline, { optional: !inputs.wanted.includes(resource) });
  return { objects };
}
