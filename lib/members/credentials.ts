import { isDeepStrictEqual } from "node:util";
import { deadlineIn, Pending, waitFor, type Deadline } from "../wait.ts";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { isTransient } from "../kube/error.ts";
import { clusterNamespace, impersonator, paths, roleOf, serviceAccountOf, systemLabels } from "./names.ts";

/** What Karmada may do in a member: everything, since anything may be propagated. */
const rules = [
  { apiGroups: ["*"], resources: ["*"], verbs: ["*"] },
  { nonResourceURLs: ["*"], verbs: ["get"] },
];

/** What a member gives to the control plane. */
export interface MemberCredentials {
  readonly token: string;
  readonly impersonatorToken: string;
  /** PEM of the member's own authority. */
  readonly ca: string;
}

/**
 * Makes sure that the member has Karmada's two service accounts, with rights for the first of them, and returns their
 * tokens. What is there is put right; what somebody else added stays.
 */
export async function ensureCredentials(
  member: KubeClient,
  cluster: string,
  deadline: Deadline,
): Promise<MemberCredentials> {
  await ensureNamespace(member, deadline);
  const account = serviceAccountOf(cluster);
  const [secret, impersonatorSecret] = await Promise.all([
    ensureToken(member, account, deadline),
    ensureToken(member, impersonator, deadline),
    member.apply(paths.clusterRole(roleOf(cluster)), role(cluster)),
    ensureBinding(member, cluster),
  ]);
  return {
    token: decode(secret.data.token),
    impersonatorToken: decode(impersonatorSecret.data.token),
    ca: decode(secret.data["ca.crt"] ?? ""),
  };
}

/** What of it is not as {@link ensureCredentials} left it, in sentences. */
export async function credentialDrift(member: KubeClient, cluster: string): Promise<string[]> {
  const account = serviceAccountOf(cluster);
  const wanted = {
    [`service account ${account}`]: paths.serviceAccount(account),
    [`service account ${impersonator}`]: paths.serviceAccount(impersonator),
    [`secret ${account}`]: paths.secret(account),
    [`secret ${impersonator}`]: paths.secret(impersonator),
    [`cluster role ${roleOf(cluster)}`]: paths.clusterRole(roleOf(cluster)),
    [`cluster role binding ${roleOf(cluster)}`]: paths.clusterRoleBinding(roleOf(cluster)),
  };
  const found = await Promise.all(
    Object.entries(wanted).map(async ([name, path]) => ({ name, object: await member.find(path) })),
  );
  return found.flatMap(({ name, object }) => {
    if (object === undefined) return [`${name}: is gone from the member`];
    const changed = object.rules !== undefined && !isDeepStrictEqual(object.rules, rules);
    return changed ? [`${name}: its rules were changed`] : [];
  });
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

/** A service account and its token, which the member's kube-controller-manager fills in. */
async function ensureToken(member: KubeClient, account: string, deadline: Deadline): Promise<KubeObject> {
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

const role = (cluster: string) => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: roleOf(cluster), labels: systemLabels },
  rules,
});

/** A binding's role cannot be changed: one that points elsewhere is made anew. */
async function ensureBinding(member: KubeClient, cluster: string): Promise<void> {
  const path = paths.clusterRoleBinding(roleOf(cluster));
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: roleOf(cluster) };
  const existing = await member.find(path);
  if (existing !== undefined && existing.roleRef?.name !== roleRef.name) await member.delete(path);
  await member.apply(path, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: roleOf(cluster), labels: systemLabels },
    roleRef,
    subjects: [{ kind: "ServiceAccount", name: serviceAccountOf(cluster), namespace: clusterNamespace }],
  });
}

const decode = (base64: string) => Buffer.from(base64, "base64").toString();
