import { connect, type KubeClient } from "../lib/kube/client.ts";
import { isHopelessAtStart, KubeError } from "../lib/kube/error.ts";
import { deadlineIn, messageOf, Pending, waitFor } from "../lib/wait.ts";
import { implement } from "./implementation.ts";
import { checkKubeconfigs } from "./kubeconfig-check.ts";
import type { ServedApisInputs, ServedApisOutputs } from "./served-apis.ts";

export const provider = implement<ServedApisInputs, ServedApisOutputs>({
  inputs: { kubeconfig: "update", apis: "update", timeoutSeconds: "ignore" },
  id: ({ apis }) => apis.join(),
  check: (inputs) => checkKubeconfigs(inputs, ["kubeconfig"]),
  create: served,
  update: served,
  async read({ kubeconfig, apis }) {
    try {
      const client = await connect(kubeconfig);
      const seen = await Promise.all(apis.map((api) => discover(client, api)));
      return {
        state: {},
        drift: seen.flatMap((each) => (each instanceof Pending ? [`not served: ${each.reason}`] : [])),
      };
    } catch (error) {
      return { state: {}, drift: [`not served: ${messageOf(error)}`] };
    }
  },
  delete: async () => {},
});

async function served({ kubeconfig, apis, timeoutSeconds }: ServedApisInputs): Promise<ServedApisOutputs> {
  const client = await connect(kubeconfig);
  const deadline = deadlineIn(timeoutSeconds);
  const wait = (api: string) =>
    waitFor(`the Karmada API to serve ${api}`, deadline, () => discover(client, api), { fatal: isHopelessAtStart });
  await Promise.all(apis.map(wait));
  return {};
}

/** If calls are not passed on, the aggregation layer says why in the APIService. */
async function discover(client: KubeClient, api: string): Promise<true | Pending> {
  try {
    await client.get(`/apis/${api}`, { timeout: 5000 });
    return true;
  } catch (error) {
    const why = error instanceof KubeError && error.status === 503 ? await unavailable(client, api) : undefined;
    if (why === undefined) throw error;
    return new Pending(`${messageOf(error)}: ${why}`);
  }
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly message?: string;
}

async function unavailable(client: KubeClient, api: string): Promise<string | undefined> {
  const name = api.split("/").reverse().join(".");
  const path = `/apis/apiregistration.k8s.io/v1/apiservices/${name}`;
  const { status } = await client.get<{ status?: { conditions?: readonly Condition[] } }>(path, { timeout: 5000 });
  return status?.conditions?.find(({ type, status }) => type === "Available" && status !== "True")?.message;
}
