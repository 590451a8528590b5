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
