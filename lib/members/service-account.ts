import { deadlineIn, Pending, waitFor, type Deadline } from "../wait.ts";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { isTransient } from "../kube/error.ts";
import { clusterNamespace, paths, systemLabels } from "./names.ts";

/** A rule of a ClusterRole. */
export type Rule =
  | { readonly apiGroups: string[]; readonly resources: string[]; readonly verbs: string[] }
  | { readonly nonResourceURLs: string[]; readonly verbs: string[] };

/** An account in a member, with a ClusterRole and a binding of one name. */
export interface Account {
  readonly name: string;
  readonly role: string;
  readonly rules: readonly Rule[];
}

/** Also used on the plane, where a namespace of the same name holds the secrets. */
export async function ensureNamespace(client: KubeClient, deadline: Deadline): Promise<void> {
  const path = paths.namespace(clusterNamespace);
  await waitFor(`namespace ${clusterNamespace} to be gone, it is being deleted`, deadline, async () => {
    const existing = await client.find(path);
    return existing?.metadata?.deletionTimestamp === undefined ? undefined : new Pending("it is still there");
  });
  const metadata = { name: clusterNamespace, labels: systemLabels };
  await client.apply(path, { apiVersion: "v1", kind: "Namespace", metadata });
}

/** Makes sure that an account is there with its rights, and returns its token's secret. */
export async function ensureAccount(member: KubeClient, account: Account, deadline: Deadline): Promise<KubeObject> {
  const [secret] = await Promise.all([
    ensureToken(member, account.name, deadline),
    member.apply(paths.clusterRole(account.role), roleOf(account)),
    ensureBinding(member, account),
  ]);
  return secret;
}

/** Takes an account away, with its rights and its token. */
export async function removeAccount(member: KubeClient, { name, role }: Account): Promise<void> {
  await Promise.all([
    member.delete(paths.clusterRoleBinding(role)),
    member.delete(paths.clusterRole(role)),
    member.delete(paths.secret(name)),
    member.delete(paths.serviceAccount(name)),
  ]);
}

/** A service account and its token, which the member's kube-controller-manager fills in. */
export async function ensureToken(member: KubeClient, account: string, deadline: Deadline): Promise<KubeObject> {
  const metadata = { name: account, namespace: clusterNamespace };
  const { metadata: { uid } = {} } = await member.apply(paths.serviceAccount(account), {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { ...metadata, labels: systemLabels },
  });
  const annotations = { "kubernetes.io/service-account.name": account };
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    type: "kubernetes.io/service-account-token",
    metadata: { ...metadata, annotations },
  };
  const owner = "kubernetes.io/service-account.uid";
  const stale = await member.find(paths.secret(account));
  const staleOwner = stale?.metadata?.annotations?.[owner];
  if (stale !== undefined && (stale.type !== secret.type || (staleOwner !== undefined && staleOwner !== uid))) {
    await member.delete(paths.secret(account));
  }
  await member.apply(paths.secret(account), secret);
  const patience = deadlineIn(Math.min(30, deadline.left() / 1000));
  return waitFor(
    `the token of service account ${account}`,
    patience,
    async () => {
      const filled = await member.get(paths.secret(account));
      if (filled.metadata?.annotations?.[owner] === uid && filled.data?.token !== undefined) return filled;
      return new Pending(
        "not filled in; the member's kube-controller-manager does that (serviceaccount-token-controller)",
      );
    },
    { interval: 20, maxInterval: 200, fatal: (error) => !isTransient(error) },
  );
}

/** The token in a secret, or another of its entries. */
export const decoded = (secret: KubeObject, key = "token"): string =>
  Buffer.from(secret.data?.[key] ?? "", "base64").toString();

const roleOf = ({ role, rules }: Account) => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: role, labels: systemLabels },
  rules,
});

/** A binding's role cannot be changed: one that points elsewhere is made anew. */
async function ensureBinding(member: KubeClient, { name, role }: Account): Promise<void> {
  const path = paths.clusterRoleBinding(role);
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role };
  const existing = await member.find(path);
  if (existing !== undefined && existing.roleRef?.name !== roleRef.name) await member.delete(path);
  await member.apply(path, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: role, labels: systemLabels },
    roleRef,
    subjects: [{ kind: "ServiceAccount", name, namespace: clusterNamespace }],
  });
}
