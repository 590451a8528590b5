import type { KubeClient, KubeObject } from "../kube/client.ts";
import { retryTransient } from "../kube/retry-transient.ts";
import { whyStillThere } from "../kube/namespace-end.ts";
import { Pending, waitFor, type Deadline } from "../wait.ts";
import { accountFor, accountsOf } from "./accounts.ts";
import { cleanAsItself } from "./cleanup-as-itself.ts";
import { clusterNamespace, impersonator, paths, roleOf, serviceAccountOf } from "./names.ts";
import { ensureRights, removeAccount } from "./service-account.ts";
import { forgetPlane, sharedWith } from "./sharing.ts";
import { remove, tokensOf } from "./tokens.ts";

/** How a member is cleaned. */
export interface Cleaning {
  /** Whether the login is the account to be removed. Then nothing checks whether all is gone. @default false */
  readonly asItself?: boolean;
  /** UID of the kube-system of the plane that it leaves. @default no longer known */
  readonly planeUid?: string | undefined;
}

/**
 * Deletes what the control plane has in a member, and, with its last account, what all accounts share; returns when
 * that is gone. Deletes nothing while another plane uses the same account. An agent's and an estimator's account go
 * with their owners.
 * @returns what was left on purpose, in sentences
 */
export const cleanMember = (
  member: KubeClient,
  cluster: string,
  deadline: Deadline,
  how: Cleaning = {},
): Promise<string[]> =>
  retryTransient("the member to delete what Karmada has there", deadline, () => clean(member, cluster, deadline, how));

async function clean(
  member: KubeClient,
  cluster: string,
  deadline: Deadline,
  { asItself = false, planeUid }: Cleaning,
): Promise<string[]> {
  const account = accountFor("plane", cluster);
  const planes = await forgetPlane(member, cluster, planeUid);
  if (planes.length > 0) {
    // `preserve` may have removed some of them.
    await ensureRights(member, account);
    return [`service account ${account.name} stays: ${sharedWith(cluster, planes)}`];
  }
  if (!asItself) await removeAccount(member, account);
  const tokens = await tokensOf(member, { account: impersonator, cluster });
  const ours = tokens.filter(({ metadata }) => metadata?.name !== impersonator);
  await Promise.all(ours.map((secret) => remove(member, secret)));
  if (!asItself) return dropNamespace(member, cluster, deadline);
  const stays = othersStay(await othersIn(member, cluster)) ?? (await unmarked(member));
  if (stays === undefined) await dropImpersonator(member);
  await cleanAsItself(member, cluster, stays === undefined ? [paths.namespace(clusterNamespace)] : [], deadline);
  return stays === undefined ? [] : [stays];
}

/**
 * Deletes what all accounts share, with the last of them. It stays if something of others is in it, such as the account
 * of a second control plane.
 * @returns why it was left, in sentences
 */
export async function dropNamespace(member: KubeClient, cluster: string, deadline: Deadline): Promise<string[]> {
  const left = await accountsLeft(member);
  const ours = accountsOf(cluster).map(({ name }) => name);
  if (left.some((name) => ours.includes(name))) return [];
  const stays = othersStay(left);
  if (stays !== undefined) return [stays];
  await dropImpersonator(member);
  return deleteNamespace(member, deadline);
}

/** Accounts there that do not belong to this registration, such as those of a second control plane. */
export async function othersIn(member: KubeClient, cluster: string): Promise<string[]> {
  const ours = accountsOf(cluster).map(({ name }) => name);
  return (await accountsLeft(member)).filter((name) => !ours.includes(name));
}

/** What {@link cleanMember} would delete, to tell an operator whose member does not answer. */
export const leftovers = (cluster: string): string[] => [...grants(cluster), propagated];

/** The part of that made by a join: Karmada's access. */
export const grants = (cluster: string): string[] => [
  `namespace ${clusterNamespace} with the service accounts ${serviceAccountOf(cluster)} and ${impersonator}`,
  `ClusterRole and ClusterRoleBinding ${roleOf(cluster)} (full rights) and ${impersonator}`,
];

/** What Karmada has put into a member, to tell an operator who is to delete it. */
export const propagated = "objects labelled karmada.io/managed=true";

/** Accounts in the namespace that are neither shared nor Kubernetes' own. */
async function accountsLeft(member: KubeClient): Promise<string[]> {
  const path = `${paths.namespace(clusterNamespace)}/serviceaccounts`;
  const list = await member.find<{ items: KubeObject[] }>(path);
  return (list?.items ?? [])
    .map(({ metadata }) => metadata?.name ?? "")
    .filter((name) => name !== impersonator && name !== "default");
}

const othersStay = (others: readonly string[]): string | undefined =>
  others.length === 0
    ? undefined
    : `namespace ${clusterNamespace} stays: it holds ${others.map((name) => `service account ${name}`).join(", ")}`;

/** Why the namespace is not ours to delete. */
async function unmarked(member: KubeClient): Promise<string | undefined> {
  const { metadata } = (await member.find(paths.namespace(clusterNamespace))) ?? {};
  return metadata === undefined || metadata.labels?.["karmada.io/system"] === "true"
    ? undefined
    : `namespace ${clusterNamespace} stays: it is not marked as Karmada's (karmada.io/system=true)`;
}

async function dropImpersonator(member: KubeClient): Promise<void> {
  await Promise.all([
    deleteImpersonation(member),
    member.delete(paths.secret(impersonator)),
    member.delete(paths.serviceAccount(impersonator)),
  ]);
}

/** Karmada's own objects go with its works, unless it could no longer reach the member. */
async function deleteImpersonation(member: KubeClient): Promise<void> {
  const binding = await member.find(paths.clusterRoleBinding(impersonator));
  if (binding !== undefined && binding.subjects?.[0]?.namespace !== clusterNamespace) return;
  await member.delete(paths.clusterRoleBinding(impersonator));
  await member.delete(paths.clusterRole(impersonator));
}

async function deleteNamespace(member: KubeClient, deadline: Deadline): Promise<string[]> {
  const path = paths.namespace(clusterNamespace);
  const stays = await unmarked(member);
  if (stays !== undefined) return [stays];
  await member.delete(path);
  const gone = async () => {
    const rest = await member.find(path);
    return rest === undefined ? undefined : new Pending(whyStillThere(rest));
  };
  await waitFor(`namespace ${clusterNamespace} to be gone`, deadline, gone, { maxInterval: 100 });
  return [];
}
