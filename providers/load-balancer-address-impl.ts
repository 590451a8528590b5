import { connect, type KubeClient, type KubeObject } from "../lib/kube/client.ts";
import { deadlineIn, Pending, waitFor } from "../lib/wait.ts";
import { implement } from "./implementation.ts";
import type { LoadBalancerAddressInputs, LoadBalancerAddressOutputs } from "./load-balancer-address.ts";

type Inputs = LoadBalancerAddressInputs;

export const provider = implement<Inputs, LoadBalancerAddressOutputs>({
  inputs: { kubeconfig: "update", namespace: "replace", service: "replace", timeoutSeconds: "ignore" },
  id: ({ namespace, service }) => `${namespace}/${service}`,
  create: assigned,
  update: assigned,
  async read(state) {
    const found = await (await connect(state.kubeconfig)).find(pathOf(state));
    const address = found && addressOf(found);
    return { state: address === undefined ? {} : { address } };
  },
  delete: async () => {},
});

async function assigned(inputs: Inputs): Promise<LoadBalancerAddressOutputs> {
  const { namespace, service, timeoutSeconds } = inputs;
  const client = await connect(inputs.kubeconfig);
  const what = `a load balancer for the Service ${namespace}/${service}`;
  const address = await waitFor(what, deadlineIn(timeoutSeconds), async () => {
    const found = await client.get(pathOf(inputs));
    return addressOf(found) ?? new Pending(await whyNone(client, inputs));
  });
  return { address };
}

const pathOf = ({ namespace, service }: Inputs): string => `/api/v1/namespaces/${namespace}/services/${service}`;

function addressOf({ status }: KubeObject): string | undefined {
  const [first] = (status?.loadBalancer?.ingress ?? []) as { readonly ip?: string; readonly hostname?: string }[];
  return first?.ip ?? first?.hostname;
}

/** In the words of the controller that tries to make it; they do not justify requiring another right. */
async function whyNone(client: KubeClient, { namespace, service }: Inputs): Promise<string> {
  const query = { fieldSelector: `involvedObject.kind=Service,involvedObject.name=${service}` };
  const { items } = await client
    .get<{ items: KubeObject[] }>(`/api/v1/namespaces/${namespace}/events`, { query })
    .catch(() => ({ items: [] }));
  const last = items.toSorted((a, b) => timeOf(a).localeCompare(timeOf(b))).at(-1);
  if (last === undefined) return "nobody has begun to make one: does the host cluster make load balancers?";
  return `${last["reason"]}: ${last["message"]}`;
}

const timeOf = (event: KubeObject): string => String(event["lastTimestamp"] ?? event["eventTime"] ?? "");
