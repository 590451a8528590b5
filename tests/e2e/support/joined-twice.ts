import type { KubeClient, KubeObject } from "../../../lib/kube/client.ts";

interface List {
  readonly items: readonly KubeObject[];
}

/** Accounts of Karmada's in a member that have another number of tokens than one, as `karmada-paris: 2`. */
export async function tokensNotOne(member: KubeClient): Promise<string[]> {
  const list = (kind: string) => member.get<List>(`/api/v1/namespaces/karmada-cluster/${kind}`);
  const [accounts, secrets] = await Promise.all([list("serviceaccounts"), list("secrets")]);
  const owners = secrets.items.map(({ metadata }) => metadata?.annotations?.["kubernetes.io/service-account.name"]);
  return accounts.items
    .map(({ metadata }) => metadata?.name ?? "")
    .filter((name) => name !== "default")
    .map((name) => `${name}: ${owners.filter((owner) => owner === name).length}`)
    .filter((found) => !found.endsWith(": 1"));
}

/** What the control plane has of clusters that have not joined it, as `namespaces karmada-es-paris`. */
export async function leftOfOthers(plane: KubeClient, joined: readonly string[]): Promise<string[]> {
  const names = async (path: string) => (await plane.get<List>(path)).items.map(({ metadata }) => metadata?.name ?? "");
  const [namespaces, secrets, roles] = await Promise.all([
    names("/api/v1/namespaces"),
    names("/api/v1/namespaces/karmada-cluster/secrets"),
    names("/apis/rbac.authorization.k8s.io/v1/clusterroles"),
  ]);
  const found = [
    ...namespaces.flatMap((name) => of("namespaces", name, /^karmada-es-(.+)$/)),
    ...secrets.flatMap((name) => of("secrets", name, /^(.+?)(?:-impersonator)?$/)),
    ...roles.flatMap((name) => of("clusterroles", name, /^system:karmada:(.+):agent$/)),
  ];
  return found.filter(({ cluster }) => !joined.includes(cluster)).map(({ title }) => title);
}

function of(kind: string, name: string, pattern: RegExp): { readonly cluster: string; readonly title: string }[] {
  const cluster = pattern.exec(name)?.[1];
  return cluster === undefined ? [] : [{ cluster, title: `${kind} ${name}` }];
}
