import type { KubeClient } from "../kube/client.ts";
import { isForbidden } from "../kube/error.ts";
import { retryTransient } from "../kube/retry-transient.ts";
import { type Deadline, deadlineIn, Pending, waitFor } from "../wait.ts";
import { clusterNamespace, paths } from "./names.ts";
import { ensureRights, type Account, type Rule } from "./service-account.ts";

/**
 * Takes the right to delete from an account in a member, and returns when a deletion is refused there: what was
 * propagated stays, whatever Karmada does while the member leaves. The account itself goes with the member, unless that
 * joins again ({@link allowDeletion}). A member that does not answer gets at most half of the remaining time: it may have
 * to leave without this.
 */
export async function denyDeletion(member: KubeClient, account: Account, deadline: Deadline): Promise<void> {
  const patience = () => deadlineIn(Math.min(10, deadline.left() / 2000));
  const limit = () => rewriteRights(member, { ...account, rules: withoutDeletion });
  if (!(await retryTransient(`the member to limit service account ${account.name}`, patience(), limit))) return;
  await waitFor(
    `the member to refuse deletions by service account ${account.name}`,
    patience(),
    async () =>
      (await mayDelete(member, account)) ? new Pending("it still may delete; does another role let it?") : undefined,
    { interval: 50 },
  );
}

/** Gives an account back what {@link denyDeletion} took from it: the member has joined again. */
export async function allowDeletion(member: KubeClient, account: Account, deadline: Deadline): Promise<void> {
  const restore = () => rewriteRights(member, account);
  await retryTransient(`the member to give service account ${account.name} its rights back`, deadline, restore);
}

/** @returns whether it had rights there */
async function rewriteRights(member: KubeClient, account: Account): Promise<boolean> {
  if ((await member.find(paths.clusterRole(account.role))) === undefined) return false;
  await ensureRights(member, account);
  return true;
}

/** Enough to take labels off whatever was propagated, roles among it. */
const withoutDeletion: readonly Rule[] = [
  {
    apiGroups: ["*"],
    resources: ["*"],
    verbs: ["get", "list", "watch", "create", "update", "patch", "bind", "escalate", "impersonate"],
  },
  { nonResourceURLs: ["*"], verbs: ["get"] },
];

/** If the user may not ask, the rights as written count. */
async function mayDelete(member: KubeClient, { name, namespace = clusterNamespace }: Account): Promise<boolean> {
  const spec = {
    user: `system:serviceaccount:${namespace}:${name}`,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
    resourceAttributes: { group: "apps", resource: "deployments", verb: "delete" },
  };
  try {
    const review = await member.create("/apis/authorization.k8s.io/v1/subjectaccessreviews", {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      spec,
    });
    return review["status"]?.allowed === true;
  } catch (error) {
    if (isForbidden(error)) return false;
    throw error;
  }
}
