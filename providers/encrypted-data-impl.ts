import { connect } from "../lib/kube/client.ts";
import { writeAnew } from "../lib/kube/rewrite.ts";
import { deadlineIn } from "../lib/wait.ts";
import type { EncryptedDataInputs, EncryptedDataOutputs } from "./encrypted-data.ts";
import { implement } from "./implementation.ts";
import { checkKubeconfigs } from "./kubeconfig-check.ts";

export const provider = implement<EncryptedDataInputs, EncryptedDataOutputs>({
  inputs: {
    revision: "update",
    resources: "ignore",
    wanted: "ignore",
    karmadaKubeconfig: "ignore",
    timeoutSeconds: "ignore",
  },
  id: () => "encrypted-data",
  check: (inputs) => checkKubeconfigs(inputs, ["karmadaKubeconfig"]),
  create: (inputs) => writeAll(inputs),
  update: (inputs) => writeAll(inputs),
  delete: () => Promise.resolve(),
});

async function writeAll(inputs: EncryptedDataInputs): Promise<EncryptedDataOutputs> {
  const plane = await connect(inputs.karmadaKubeconfig);
  const deadline = deadlineIn(inputs.timeoutSeconds);
  let objects = 0;
  for (const resource of inputs.resources)
    objects += await writeAnew(plane, resource, deadline, { optional: !inputs.wanted.includes(resource) });
  return { objects };
}
