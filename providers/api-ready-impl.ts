import { setTimeout as sleep } from "node:timers/promises";
import { connectAlone } from "../lib/kube/client.ts";
import { isDistrusted, isMisnamed, isTransient } from "../lib/kube/error.ts";
import { parseKubeconfig } from "../lib/kube/kubeconfig.ts";
import { deadlineIn, messageOf, waitFor } from "../lib/wait.ts";
import type { ApiReadyInputs, ApiReadyOutputs } from "./api-ready.ts";
import { implement } from "./implementation.ts";
import { checkKubeconfigs } from "./kubeconfig-check.ts";

export const provider = implement<ApiReadyInputs, ApiReadyOutputs>({
  inputs: { kubeconfig: "update", timeoutSeconds: "ignore" },
  id: ({ kubeconfig }) => parseKubeconfig(kubeconfig).server,
  check: (inputs) => checkKubeconfigs(inputs, ["kubeconfig"]),
  create: (inputs) => ready(inputs, 1, isMisnamed),
  update: (inputs) => ready(inputs, answersAfterChange, isDistrusted),
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

/**
 * An API server that is about to go shows its previous certificate as long as connections still reach it: even beside
 * its successor, until every node has heard of the change. This many connections in a row, a tenth of a second apart,
 * must not find one.
 */
const answersAfterChange = 15;

/** @param ofBefore what an outgoing server may be like */
async function ready(
  { kubeconfig, timeoutSeconds }: ApiReadyInputs,
  answers: number,
  ofBefore: (error: unknown) => boolean,
): Promise<ApiReadyOutputs> {
  const attempt = async () => {
    await readyz(kubeconfig);
    for (let more = answers - 1; more > 0; more--) {
      await sleep(100);
      await readyz(kubeconfig);
    }
  };
  await waitFor("the API server to be ready", deadlineIn(timeoutSeconds), attempt, {
    fatal: (error) => !isTransient(error) && !ofBefore(error),
  });
  return { kubeconfig };
}

async function readyz(kubeconfig: string): Promise<void> {
  const client = await connectAlone(kubeconfig);
  try {
    await client.request("GET", "/readyz", { timeout: 5000 });
  } finally {
    client.close();
  }
}
