import type { KubeClient } from "../../lib/kube/client.ts";

/**
 * Makes a ServiceAccount in the namespace `default`, which has no rights yet.
 *
 * @param admin kubeconfig of the same server, as JSON
 * @returns its kubeconfig
 */
export async function accountKubeconfig(client: KubeClient, admin: string, name: string): Promise<string> {
  const accounts = "/api/v1/namespaces/default/serviceaccounts";
  await client.create(accounts, { metadata: { name } });
  const { status } = await client.create(`${accounts}/${name}/token`, { spec: {} });
  const users = [{ name: "test", user: { token: status?.["token"] as string } }];
  return JSON.stringify({ ...(JSON.parse(admin) as object), users });
}

/** Gives that account rights in all namespaces. The API server goes by them a moment later. */
export async function grant(client: KubeClient, name: string, rules: readonly object[]): Promise<void> {
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  await client.create(`${rbac}/clusterroles`, { metadata: { name }, rules });
  await client.create(`${rbac}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
    subjects: [{ kind: "ServiceAccount", name, namespace: "default" }],
  });
}
