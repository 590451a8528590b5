import type { Sections } from "../deployment.ts";
import { hostsOf } from "../placement/hosts.ts";
import type { TypedKubernetes } from "../placement/kubernetes.ts";
import { endpointOfLoadBalancer } from "../placement/load-balancer.ts";
import { checkLogin } from "../placement/registry-login.ts";
import type { Problem } from "../problems.ts";
import type { TypedMember } from "./members.ts";

/** Properties of a control plane that decide which agents can reach it. */
export interface PlaneOfAgents {
  /** Whether it signs the certificates of agents registered with a bootstrap token. */
  readonly signsRequests: boolean;
  /** Names and addresses in the certificate of its API servers; `*` stands for one label. */
  readonly names: readonly string[];
  /** Why members cannot use the output `endpoint`; absent if they can. */
  readonly hidden?: string;
}

/** Properties of a deployment's control plane that decide which agents can reach it. */
export function planeOfAgents({ placement, pki }: Pick<Sections, "placement" | "pki">): PlaneOfAgents {
  const hidden = hiddenBy(placement);
  return {
    signsRequests: pki.signRequests ?? placement.kind !== "kubernetes",
    names: [...pki.extraNames, ...namesOf(placement)],
    ...(hidden !== undefined && { hidden }),
  };
}

/**
 * Finds agents without a purpose, that could not run where they should, or could not reach the control plane.
 * @param plane undefined as long as it is wrong itself
 */
export function checkAgents(members: readonly TypedMember[], plane: PlaneOfAgents | undefined): Problem[] {
  return members.flatMap((member, i) => {
    const { agent, syncMode, credentials } = member;
    if (agent === undefined) return [];
    const at = (field: string[], message: string) => ({ path: ["members", i, "agent", ...field], message });
    if (syncMode === "Push")
      return [at([], `no agent runs for it with syncMode "Push", want syncMode "Pull" or "auto", or no agent here`)];
    const signing = checkRegistration(agent, plane).map((message) => at(["registration"], message));
    if (agent.kind === "beside") return signing;
    if (credentials.kind === "simulated")
      return [at(["kind"], 'got "inMember", want "beside": the nodes of a simulated cluster run no pods')];
    return [
      ...signing,
      ...(reserved.includes(agent.namespace)
        ? [at(["namespace"], `got "${agent.namespace}", want one of its own: it is deleted with the agent`)]
        : []),
      ...checkServer(agent.server, plane).map((message) => at(["server"], message)),
      ...checkLogin(["members", i, "agent", "images", "login"], agent.images.login),
    ];
  });
}

/** In a host cluster nothing signs requests unless that is switched on. */
function checkRegistration(
  { registration }: NonNullable<TypedMember["agent"]>,
  plane: PlaneOfAgents | undefined,
): string[] {
  if (registration !== "bootstrapToken" || plane === undefined || plane.signsRequests) return [];
  return [
    'got "bootstrapToken", want "certificate", or pki.signRequests true: kube-controller-manager signs the request',
  ];
}

/** Namespaces that every member has, or Karmada does. */
const reserved: readonly string[] = ["default", "kube-system", "kube-public", "kube-node-lease", "karmada-cluster"];

const wanted = "want the address of the control plane as the member reaches it";

function checkServer(server: string | undefined, plane: PlaneOfAgents | undefined): string[] {
  if (server === undefined) return plane?.hidden === undefined ? [] : [`missing, ${wanted}: ${plane.hidden}`];
  const { hostname } = new URL(server);
  if (/^(localhost|127\.[0-9.]+)$/.test(hostname))
    return [`got "${server}", ${wanted}: a loopback address leads a pod to itself`];
  if (plane === undefined || plane.names.some((name) => covers(name, hostname))) return [];
  return [
    `got "${server}", want "${hostname}" among pki.extraNames: the certificate of the API servers is not valid for it`,
  ];
}

function hiddenBy(placement: Sections["placement"]): string | undefined {
  if (placement.kind === "local") return 'with placement.kind "local" it listens on a loopback address only';
  const { exposure } = placement.kind === "kubernetes" ? placement : {};
  if (exposure?.kind !== "clusterIP" || exposure.addresses.length > 0 || exposure.endpoint !== undefined) return;
  return 'with placement.exposure.kind "clusterIP" and no addresses only pods beside it do';
}

/** Names and addresses in the certificate of the API servers by default. */
function namesOf(placement: Sections["placement"]): readonly string[] {
  const hostOf = (url: string | undefined) => (url === undefined ? [] : [new URL(url).hostname]);
  switch (placement.kind) {
    case "local":
      return [];
    case "hosts": {
      const serving = hostsOf(placement, "kube-apiserver");
      const addresses = placement.hosts.flatMap(({ name, address }) => (serving.includes(name) ? [address] : []));
      return [...addresses, ...hostOf(endpointOfLoadBalancer(placement.loadBalancer))];
    }
    case "kubernetes": {
      const { exposure } = placement;
      return [...addressesOf(exposure), ...hostOf(exposure.endpoint)];
    }
  }
}

function addressesOf(exposure: TypedKubernetes["exposure"]): readonly string[] {
  switch (exposure.kind) {
    case "nodePort":
    case "clusterIP":
      return exposure.addresses;
    case "loadBalancer":
      return exposure.address === undefined ? [] : [exposure.address];
    case "ingress":
      return [exposure.host];
  }
}

/** As in certificates: `*` stands for one label, and case does not matter. @param hostname as in a URL, without any */
const covers = (name: string, hostname: string): boolean =>
  [hostname, hostname.replace(/^[^.]+/, "*")].includes(name.toLowerCase());
