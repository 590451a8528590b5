import type { KubeClient, KubeObject } from "../../../lib/kube/client.ts";

/** What beats like a heart, and what says what happened. */
const restless: ReadonlySet<string> = new Set(["events", "leases", "nodes"]);

/** The resource version and generation of every object in a cluster, by path and UID; a write of any kind changes the first. */
export async function resourceVersions(client: KubeClient): Promise<Record<string, string>> {
  const { groups } = await client.get<{ groups: { preferredVersion: { groupVersion: string } }[] }>("/apis");
  const versions = ["/api/v1", ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)];
  const all = versions.map(async (version) => {
    const { resources } = await client.get<{ resources: { name: string; verbs: string[] }[] }>(version);
    const listed = resources.filter(({ name, verbs }) => verbs.includes("list") && !restless.has(name));
    return (await Promise.all(listed.map(({ name }) => entriesOf(client, `${version}/${name}`)))).flat();
  });
  return Object.fromEntries((await Promise.all(all)).flat());
}

async function entriesOf(client: KubeClient, path: string): Promise<[string, string][]> {
  const { items } = await client.get<{ items: KubeObject[] | null }>(path);
  return (items ?? []).map(({ metadata: { namespace = "", name, uid, resourceVersion, generation } = {} }) => [
    `${path} ${namespace}/${name} ${uid}`,
    `${resourceVersion} ${generation}`,
  ]);
}
