import { connect } from "../lib/kube/client.ts";
import { isMisnamed, isTransient } from "../lib/kube/error.ts";
import { parseKubeconfig } from "../lib/kube/kubeconfig.ts";
import { deadlineIn, messageOf, waitFor } from "../lib/wait.ts";
import type { ApiReadyInputs, ApiReadyOutputs } from "./api-ready.ts";
import { implement } from "./implementation.ts";
import { checkKubeconfigs } from "./kubeconfig-check.ts";

export const provider = implement<ApiReadyInputs, ApiReadyOutputs>({
  inputs: { kubeconfig: "update", timeoutSeconds: "ignore" },
  id: ({ kubeconfig }) => parseKubeconfig(kubeconfig).server,
  check: (inputs) => checkKubeconfigs(inputs, ["kubeconfig"]),
  create: ready,
  update: ready,
  async read(state) {
    try {
      await readyz(state.kubeconfig);
      return { state: {} };
    } catch (error) {
      return { state: {}, drift: [`not ready: ${messageOf(error)}`] };
    }
  },
  delete: async () => {},
});

async function ready({ kubeconfig, timeoutSeconds }: ApiReadyInputs): Promise<ApiReadyOutputs> {
  await waitFor("the API server to be ready", deadlineIn(timeoutSeconds), () => readyz(kubeconfig), {
    // One that is about to go shows the certificate of before, for as long as it is still led to.
    fatal: (error) => !isTransient(error) && !isMisnamed(error),
  });
  return { kubeconfig };
}

async function readyz(kubeconfig: string): Promise<void> {
  const client = await connect(kubeconfig);
  await client.request("GET", "/readyz", { timeout: 5000 });
}
