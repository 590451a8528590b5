import { mayEverything, missingVerbs, type Right, titleOf } from "../kube/access.ts";
import type { KubeClient } from "../kube/client.ts";
import { clusterNamespace } from "./names.ts";

const declare = ["get", "create", "patch", "delete"];
const rbac = "rbac.authorization.k8s.io";

/**
 * The rights in a member that joining and leaving takes. Karmada is given every right there, which takes `escalate` and
 * `bind`.
 */
export const rightsInMember: readonly (Right & { readonly namespace?: string })[] = [
  { group: "", resource: "namespaces", verbs: declare, namespace: clusterNamespace },
  { group: "", resource: "serviceaccounts", verbs: declare, namespace: clusterNamespace },
  { group: "", resource: "secrets", verbs: ["list", ...declare], namespace: clusterNamespace },
  { group: rbac, resource: "clusterroles", verbs: [...declare, "escalate", "bind"] },
  { group: rbac, resource: "clusterrolebindings", verbs: declare },
];

/** @throws when the user of a member's kubeconfig lacks rights without which joining would fail halfway */
export async function refuseLackingRights(member: KubeClient): Promise<void> {
  if (await mayEverything(member)) return;
  const found = await Promise.all(
    rightsInMember.map(async ({ namespace, ...right }) => ({
      right,
      missing: await missingVerbs(member, right, namespace),
    })),
  );
  const lacking = found.filter(({ missing }) => missing.length > 0);
  if (lacking.length === 0) return;
  const each = lacking.map(({ right, missing }) => `${titleOf(right)} (${missing.join(", ")})`);
  throw new Error(
    `${member.server}: the kubeconfig's user lacks rights: ${each.join(", ")}\n` +
      "give the kubeconfig of an administrator: Karmada itself gets every right in a member",
  );
}
