import type { KubeClient } from "../kube/client.ts";
import { isRefused, unlessGone } from "../kube/error.ts";
import { retryTransient } from "../kube/retry-transient.ts";
import type { Deadline } from "../wait.ts";
import { accountFor } from "./accounts.ts";
import { paths } from "./names.ts";
import { removeAccount } from "./service-account.ts";

/**
 * Removes Karmada's account from a member with a login that is this very account: whichever went first, its role, its
 * binding or its token, the login could not delete the rest. So the binding is made the owner of all of it, the last
 * call deletes that, and the member's garbage collector does the rest. Nobody can check whether it has.
 * @param more paths of what else is to go with it
 */
export async function cleanAsItself(
  member: KubeClient,
  cluster: string,
  more: readonly string[],
  deadline: Deadline,
): Promise<void> {
  // Nobody could remove that one later.
  await removeAccount(member, accountFor("estimator", cluster));
  const { name, role } = accountFor("plane", cluster);
  const binding = await member.get(paths.clusterRoleBinding(role));
  const ownerReferences = [
    { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRoleBinding", name: role, uid: binding.metadata?.uid },
  ];
  // Tokens go with their account.
  for (const path of [paths.clusterRole(role), paths.serviceAccount(name), ...more])
    await member.merge(path, { metadata: { ownerReferences } }).catch(unlessGone);
  await deleteBinding(member, role, deadline);
}

/** The rights to ask again go with it: if the answer is lost, a refusal of the next call says that it is gone. */
async function deleteBinding(member: KubeClient, role: string, deadline: Deadline): Promise<void> {
  let isLost = false;
  await retryTransient(`the member to delete ClusterRoleBinding ${role}`, deadline, async () => {
    try {
      await member.delete(paths.clusterRoleBinding(role), { propagationPolicy: "Background" });
    } catch (error) {
      if (isLost && isRefused(error)) return;
      isLost = true;
      throw error;
    }
  });
}
