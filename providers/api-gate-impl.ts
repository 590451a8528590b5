import { connect, type KubeClient } from "../lib/kube/client.ts";
import { isHopelessAtStart } from "../lib/kube/error.ts";
import { parseKubeconfig } from "../lib/kube/kubeconfig.ts";
import { admitPolicy } from "../lib/plane/admission.ts";
import { deadlineIn, messageOf, waitFor } from "../lib/wait.ts";
import type { ApiGateInputs, ApiGateOutputs } from "./api-gate.ts";
import { implement } from "./implementation.ts";
import { checkKubeconfigs } from "./kubeconfig-check.ts";

export const provider = implement<ApiGateInputs, ApiGateOutputs>({
  inputs: { kubeconfig: "update", timeoutSeconds: "ignore" },
  id: ({ kubeconfig }) => parseKubeconfig(kubeconfig).server,
  check: (inputs) => checkKubeconfigs(inputs, ["kubeconfig"]),
  create: pass,
  update: pass,
  async read({ kubeconfig }) {
    try {
      await works(await connect(kubeconfig));
      return { state: {} };
    } catch (error) {
      return { state: {}, drift: [`does not work: ${messageOf(error)}`] };
    }
  },
  delete: async () => {},
});

async function pass({ kubeconfig, timeoutSeconds }: ApiGateInputs): Promise<ApiGateOutputs> {
  const client = await connect(kubeconfig);
  await waitFor("the Karmada API to work", deadlineIn(timeoutSeconds), () => works(client), {
    fatal: isHopelessAtStart,
  });
  return { kubeconfig };
}

async function works(client: KubeClient): Promise<void> {
  await client.get("/apis/cluster.karmada.io/v1alpha1/clusters", { query: { limit: "1" }, timeout: 5000 });
  await admitPolicy(client);
}
