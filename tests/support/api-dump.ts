import type { KubeClient, KubeObject } from "../../lib/kube/client.ts";

/**
 * Everything that an API server has, of every kind that it lists, by path with its UID and content: what two of these have
 * in common was neither changed nor made anew in between. What servers note about themselves is left out.
 */
export async function dumpApi(client: KubeClient): Promise<Record<string, unknown>> {
  const { groups } = await client.get<{ groups: { preferredVersion: { groupVersion: string } }[] }>("/apis");
  const versions = ["/api/v1", ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)];
  const kinds = await Promise.all(
    versions.map(async (version) => {
      const { resources } = await client.get<{ resources: { name: string; verbs: string[] }[] }>(version);
      return resources.flatMap(({ name, verbs }) => (verbs.includes("list") ? [{ version, name }] : []));
    }),
  );
  const kept = kinds.flat().filter(({ name }) => !restless.has(name));
  const lists = await Promise.all(
    kept.map(async ({ version, name }) => {
      const { items } = await client.get<{ items: KubeObject[] }>(`${version}/${name}`);
      return items.map((object) => [`${version}/${name} ${titleOf(object)}`, contentOf(object)] as const);
    }),
  );
  return Object.fromEntries(lists.flat().sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Kinds of objects that come and go, or change, by themselves. */
const restless: ReadonlySet<string> = new Set(["events", "leases", "componentstatuses"]);

const titleOf = ({ metadata }: KubeObject) => `${metadata?.namespace ?? ""}/${metadata?.name ?? ""}`;

function contentOf({ metadata, ...rest }: KubeObject): unknown {
  const { managedFields: _, resourceVersion: _version, ...kept } = metadata as Record<string, unknown>;
  return { ...rest, metadata: kept };
}
