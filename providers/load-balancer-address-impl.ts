import { isDeepStrictEqual } from "node:util";
import { connect, type KubeClient, type KubeObject } from "../lib/kube/client.ts";
import { deadlineIn, messageOf, Pending, waitFor } from "../lib/wait.ts";
import { type Before, type Derived, implement } from "./implementation.ts";
import type { LoadBalancerAddressInputs, LoadBalancerAddressOutputs } from "./load-balancer-address.ts";

type Inputs = LoadBalancerAddressInputs;

export const provider = implement<Inputs, LoadBalancerAddressOutputs>({
  inputs: {
    kubeconfig: "update",
    namespace: "replace",
    service: "replace",
    annotations: "update",
    timeoutSeconds: "ignore",
    // Compared with the output instead.
    address: "ignore",
    addresses: "ignore",
  },
  id: ({ namespace, service }) => `${namespace}/${service}`,
  derive: seenNow,
  diff: ({ address = "" }, { addresses }) => ({ changes: addresses !== undefined && !addresses.includes(address) }),
  create: (inputs) => assigned(inputs),
  update(inputs, { annotations, address }) {
    const isEdited = annotations !== undefined && !isDeepStrictEqual(annotations, inputs.annotations);
    return assigned(inputs, address, isEdited);
  },
  async read(state) {
    const found = await (await connect(state.kubeconfig)).find(pathOf(state));
    const address = found && leading(addressesOf(found), state.address);
    return {
      state: address === undefined ? {} : { address },
      ...(found === undefined && { drift: [`the Service ${nameOf(state)} is gone`] }),
    };
  },
  delete: async () => {},
});

/**
 * The address that is assigned now. Where none is to be seen it is no difference, and a preview of another difference
 * goes on with the last one. Nothing before the first `up`, whose preview cannot know it.
 */
async function seenNow(inputs: Partial<Inputs>, { inputs: then, drifted }: Before<Inputs>): Promise<Derived<Inputs>> {
  const { kubeconfig, namespace, service, annotations } = inputs;
  if (then === undefined) return { inputs: {} };
  const isSame = isDeepStrictEqual([then.kubeconfig, then.annotations], [kubeconfig, annotations]) && !drifted;
  const last = isSame || then.address === undefined ? {} : { address: then.address };
  if (kubeconfig === undefined || namespace === undefined || service === undefined) return { inputs: last };
  try {
    const found = await (await connect(kubeconfig)).find(pathOf({ namespace, service }), { timeout: lookMilliseconds });
    if (found === undefined) console.log(goneOf({ namespace, service }, drifted));
    const addresses = found === undefined ? [] : addressesOf(found);
    const address = leading(addresses, then.address);
    return { inputs: address === undefined ? last : { address, addresses } };
  } catch (error) {
    // The namespace has said why its cluster does not answer.
    console.debug(messageOf(error));
    return { inputs: last };
  }
}

const lookMilliseconds = 5000;

const goneOf = (service: Named, isSeen: boolean): string =>
  `warning: the Service ${nameOf(service)} is gone, and its load balancer with it: ` +
  (isSeen
    ? "where the new one gets another address, certificates and kubeconfigs are made for that"
    : "`up --refresh` makes it anew");

/** @param former the address until now, which it may keep; after an edit, once no other one comes */
async function assigned(inputs: Inputs, former = "", isEdited = false): Promise<LoadBalancerAddressOutputs> {
  const { timeoutSeconds } = inputs;
  const client = await connect(inputs.kubeconfig);
  const what = `a load balancer for the Service ${nameOf(inputs)}`;
  const kept = deadlineIn(Math.min(keptSeconds, timeoutSeconds / 2));
  const address = await waitFor(what, deadlineIn(timeoutSeconds), async () => {
    const found = addressesOf(await client.get(pathOf(inputs)));
    if (isEdited && found.includes(former) && kept.left() > 0) return new Pending(`it is still ${former}`);
    return leading(found, former, inputs.address) ?? new Pending(await whyNone(client, inputs));
  });
  if (isEdited && address === former)
    console.log(`${nameOf(inputs)}: it is still ${former}; if it gets another address later, run \`up\` again`);
  return { address };
}

/** How long another address is waited for after an edit that need not bring one. */
const keptSeconds = 60;

type Named = Pick<Inputs, "namespace" | "service">;

const nameOf = ({ namespace, service }: Named): string => `${namespace}/${service}`;

const pathOf = ({ namespace, service }: Named): string => `/api/v1/namespaces/${namespace}/services/${service}`;

/** Several where it is made of nodes, in an order that another node, or one that is not ready, changes. */
function addressesOf({ status }: KubeObject): string[] {
  const ingress = (status?.loadBalancer?.ingress ?? []) as { readonly ip?: string; readonly hostname?: string }[];
  return ingress.flatMap(({ ip, hostname }) => ip ?? hostname ?? []);
}

/** The first of the known ones that still leads there, since clients have it; else the first of all. */
const leading = (addresses: readonly string[], ...known: readonly (string | undefined)[]): string | undefined =>
  known.find((each) => each !== undefined && addresses.includes(each)) ?? addresses[0];

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
