import { isDeepStrictEqual } from "node:util";
import { Pending, waitFor, type Deadline } from "../wait.ts";
import type { KubeClient } from "../kube/client.ts";
import { retryTransient } from "../kube/retry-transient.ts";
import { whyStillThere } from "../kube/namespace-end.ts";
import { clusterNamespace, paths, systemLabels } from "./names.ts";
import { ensureToken, remove, tokensOf, type Rotation, type Tokens } from "./tokens.ts";

/** A rule of a ClusterRole. */
export type Rule =
  | { readonly apiGroups: string[]; readonly resources: string[]; readonly verbs: string[] }
  | { readonly nonResourceURLs: string[]; readonly verbs: string[] };

/** An account in a member, with a ClusterRole and a binding of the same name. */
export interface Account {
  readonly name: string;
  /** @default that of the accounts of a registration */
  readonly namespace?: string;
  readonly role: string;
  readonly rules: readonly Rule[];
}

/** Also used on the plane, where a namespace of the same name holds the secrets. */
export async function ensureNamespace(client: KubeClient, deadline: Deadline): Promise<void> {
  const path = paths.namespace(clusterNamespace);
  await waitFor(`namespace ${clusterNamespace} to be gone, it is being deleted`, deadline, async () => {
    const existing = await client.find(path);
    return existing?.metadata?.deletionTimestamp === undefined ? undefined : new Pending(whyStillThere(existing));
  });
  const metadata = { name: clusterNamespace, labels: systemLabels };
  const apply = () => client.apply(path, { apiVersion: "v1", kind: "Namespace", metadata });
  await retryTransient(`namespace ${clusterNamespace} to be written`, deadline, apply);
}

/** Makes sure that an account exists with its rights, and returns its tokens. */
export async function ensureAccount(
  member: KubeClient,
  account: Account,
  deadline: Deadline,
  rotation?: Rotation,
): Promise<Tokens> {
  const [tokens] = await Promise.all([
    ensureToken(member, { account: account.name }, deadline, rotation),
    retryTransient(`the rights of service account ${account.name} to be written`, deadline, () =>
      ensureRights(member, account),
    ),
  ]);
  return tokens;
}

/** Makes sure of the rights of an account, whether it exists or not. */
export async function ensureRights(member: KubeClient, account: Account): Promise<void> {
  await Promise.all([member.apply(paths.clusterRole(account.role), roleOf(account)), ensureBinding(member, account)]);
}

/** What of an account and its rights is gone or changed, in sentences. */
export async function rightsDrift(member: KubeClient, account: Account): Promise<string[]> {
  const { name, namespace, role, rules } = account;
  const wanted = {
    [`service account ${name}`]: paths.serviceAccount(name, namespace),
    [`cluster role ${role}`]: paths.clusterRole(role),
    [`cluster role binding ${role}`]: paths.clusterRoleBinding(role),
  };
  const found = await Promise.all(
    Object.entries(wanted).map(async ([what, path]) => ({ what, object: await member.find(path) })),
  );
  return found.flatMap(({ what, object }) => {
    if (object === undefined) return [`${what}: is gone from the member`];
    if (object.rules !== undefined && !isDeepStrictEqual(object.rules, rules))
      return [`${what}: its rules were changed`];
    const { roleRef, subjects } = bound(account);
    if (object.roleRef !== undefined && !isDeepStrictEqual([object.roleRef, object.subjects], [roleRef, subjects]))
      return [`${what}: its role or its subjects were changed`];
    return [];
  });
}

/** Removes an account, with its rights and its tokens. */
export async function removeAccount(member: KubeClient, account: Account): Promise<void> {
  const { name } = account;
  const tokens = await tokensOf(member, { account: name });
  await Promise.all([
    removeRights(member, account),
    ...tokens.map((secret) => remove(member, secret)),
    member.delete(paths.serviceAccount(name)),
  ]);
}

/** Removes the rights of an account. */
export async function removeRights(member: KubeClient, { role }: Account): Promise<void> {
  await Promise.all([member.delete(paths.clusterRoleBinding(role)), member.delete(paths.clusterRole(role))]);
}

const roleOf = ({ role, rules }: Account) => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: role, labels: systemLabels },
  rules,
});

/** A binding's role cannot be changed: one that points elsewhere is made anew. */
async function ensureBinding(member: KubeClient, account: Account): Promise<void> {
  const { role } = account;
  const path = paths.clusterRoleBinding(role);
  const { roleRef, subjects } = bound(account);
  const existing = await member.find(path);
  if (existing !== undefined && existing.roleRef?.name !== roleRef.name) await member.delete(path);
  await member.apply(path, {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: role, labels: systemLabels },
    roleRef,
    subjects,
  });
}

/** Which role its binding gives to whom. */
const bound = ({ name, namespace = clusterNamespace, role }: Account) => ({
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
  subjects: [{ kind: "ServiceAccount", name, namespace }],
});
