import type { KubeClient, KubeObject } from "../kube/client.ts";
import { dropOwned, ensureOwned, type Owned } from "../host-cluster/owned.ts";
import { namespacePath, ownerOf } from "../host-cluster/namespace.ts";
import { isForbidden } from "../kube/error.ts";
import type { Deadline } from "../wait.ts";
import { everything } from "./accounts.ts";
import { agentAccount, paths, systemLabels } from "./names.ts";
import { ensureRights, removeRights, rightsDrift, type Account } from "./service-account.ts";

/** Where an agent runs in its member: a namespace that it has to itself. */
export interface AgentHome {
  readonly namespace: string;
  /** Whose it is: the deployment and the member, in words. */
  readonly owner: string;
}

/** The home of a deployment's agent in a member. */
export const agentHome = (namespace: string, deployment: string, cluster: string): AgentHome => ({
  namespace,
  owner: `${deployment}${ofCluster(cluster)}`,
});

const ofCluster = (cluster: string): string => `, agent of ${cluster}`;

/**
 * The accounts of agents that run in a member under this name, of whichever deployment, by the owners that their
 * namespaces name. A user who may not list namespaces sees none.
 */
export async function agentHomeAccounts(member: KubeClient, cluster: string): Promise<Account[]> {
  try {
    const { items } = await member.get<{ items: KubeObject[] }>("/api/v1/namespaces");
    return items
      .filter((namespace) => ownerOf(namespace)?.endsWith(ofCluster(cluster)))
      .map(({ metadata }) => agentHomeAccount(metadata!.name!));
  } catch (error) {
    if (isForbidden(error)) return [];
    throw error;
  }
}

/**
 * Makes the namespace of an agent, and the account of its pod with the rights to propagate. The kubelet gives the pod
 * its token and rotates it; there is no permanent one. @returns the namespace's UID
 */
export async function ensureAgentHome(member: KubeClient, home: AgentHome, deadline: Deadline): Promise<string> {
  const uid = await ensureOwned(member, ownedBy(home), deadline);
  const account = agentHomeAccount(home.namespace);
  await member.apply(paths.serviceAccount(account.name, home.namespace), {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: account.name, namespace: home.namespace, labels: systemLabels },
    // Its pod requests the token explicitly; no other pod gets it automatically.
    automountServiceAccountToken: false,
  });
  await ensureRights(member, account);
  return uid;
}

/** How it differs from how it was made, in sentences; undefined when the namespace is gone. */
export async function agentHomeDrift(member: KubeClient, home: AgentHome): Promise<string[] | undefined> {
  const found = await member.find(namespacePath(home.namespace));
  if (found === undefined || ownerOf(found) !== home.owner) return undefined;
  return rightsDrift(member, agentHomeAccount(home.namespace));
}

/** Ends the agent, and removes everything it had there. */
export async function removeAgentHome(
  member: KubeClient,
  home: AgentHome,
  uid: string | undefined,
  timeoutSeconds: number,
): Promise<void> {
  await dropOwned(member, ownedBy(home), uid, timeoutSeconds);
  await removeRights(member, agentHomeAccount(home.namespace));
}

/** What {@link removeAgentHome} would delete, to tell an operator whose member does not answer. */
export const agentHomeLeftovers = ({ namespace }: AgentHome): string[] => [
  `namespace ${namespace} with the agent, which may still run`,
  `ClusterRole and ClusterRoleBinding ${roleIn(namespace)} (full rights)`,
];

const ownedBy = ({ namespace, owner }: AgentHome): Owned => ({ namespace, deployment: owner });

const roleIn = (namespace: string): string => `${agentAccount}:${namespace}`;

/** Service account of the agent's pod, with its role. */
export const agentHomeAccount = (namespace: string): Account & { readonly namespace: string } => ({
  name: agentAccount,
  namespace,
  role: roleIn(namespace),
  rules: everything,
});
