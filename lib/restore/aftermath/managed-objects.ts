import type { KubeClient, KubeObject } from "../../kube/client.ts";
import { pagesOf } from "../../kube/listed.ts";
import { proxyPath } from "../../members/names.ts";

/** An object that Karmada has put into a member. */
export interface ManagedObject {
  readonly cluster: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid: string;
  /** Its path in the member's API. */
  readonly path: string;
  /** The Work it came from: `karmada-es-member1/nginx-687f7fb96f`. */
  readonly work: string;
}

/**
 * Label of every object that Karmada puts into a member (karmada's `pkg/util/constants.go` and
 * `work/v1alpha1/well_known_constants.go`).
 */
const managed = "karmada.io/managed=true";
const workNamespace = "work.karmada.io/namespace";
const workName = "work.karmada.io/name";

/** Everything in a member that a Work has put there, of whatever kind. */
export async function managedObjects(plane: KubeClient, cluster: string): Promise<ManagedObject[]> {
  const resources = await listableResources(plane, cluster);
  const lists = await Promise.all(resources.map((resource) => listed(plane, cluster, resource)));
  return lists.flat();
}

interface Resource {
  /** `/api/v1`, `/apis/apps/v1`. */
  readonly base: string;
  readonly plural: string;
  readonly kind: string;
}

interface ApiResourceList {
  readonly resources?: readonly { readonly name: string; readonly kind: string; readonly verbs?: readonly string[] }[];
}

/** Each kind once, in the version the member prefers. */
async function listableResources(plane: KubeClient, cluster: string): Promise<Resource[]> {
  const proxy = proxyPath(cluster);
  const { groups = [] } = await plane.get<{ groups?: { preferredVersion: { groupVersion: string } }[] }>(
    `${proxy}/apis`,
  );
  const bases = ["/api/v1", ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)];
  const lists = await Promise.all(bases.map((base) => plane.find<ApiResourceList>(`${proxy}${base}`)));
  return lists.flatMap((list, i) =>
    (list?.resources ?? [])
      .filter(({ name, verbs = [] }) => !name.includes("/") && verbs.includes("list") && verbs.includes("delete"))
      .map(({ name, kind }) => ({ base: bases[i] ?? "", plural: name, kind })),
  );
}

async function listed(plane: KubeClient, cluster: string, { base, plural, kind }: Resource): Promise<ManagedObject[]> {
  const path = `${proxyPath(cluster)}${base}/${plural}`;
  const found: ManagedObject[] = [];
  for await (const page of pagesOf(plane, path, { query: { labelSelector: managed }, optional: true }))
    found.push(...page.flatMap((object) => described(object, { cluster, base, plural, kind }) ?? []));
  return found;
}

function described(
  { metadata = {} }: KubeObject,
  { cluster, base, plural, kind }: Resource & { readonly cluster: string },
): ManagedObject | undefined {
  const { name = "", namespace, uid = "", annotations = {} } = metadata;
  const [from, work] = [annotations[workNamespace], annotations[workName]];
  if (from === undefined || work === undefined) return undefined;
  const place = namespace === undefined ? "" : `/namespaces/${namespace}`;
  return {
    cluster,
    kind,
    ...(namespace !== undefined && { namespace }),
    name,
    uid,
    path: `${base}${place}/${plural}/${name}`,
    work: `${from}/${work}`,
  };
}
