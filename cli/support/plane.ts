import type { KubeClient, KubeObject } from "../../lib/kube/client.ts";
import { connect } from "../../lib/kube/client.ts";
import type { Source } from "./collect.ts";
import { eventsIn, listOf, shown } from "./objects.ts";

/** What the Karmada API tells: Clusters, events, and how many bindings and Works there are in which condition. */
export const planeParts = (kubeconfig: string): readonly Source[] =>
  Object.entries(readers).map(([name, read]) => {
    const path = `karmada/${name}.json`;
    return { path, seconds: 120, read: async (into) => into.put(path, await read(await connect(kubeconfig))) };
  });

const work = "/apis/work.karmada.io";

const readers: Readonly<Record<string, (plane: KubeClient) => Promise<object>>> = {
  clusters: (plane) => listOf(plane, "/apis/cluster.karmada.io/v1alpha1/clusters", cluster),
  events: (plane) => eventsIn(plane, "/api/v1/events"),
  "resource-bindings": (plane) => counted(plane, `${work}/v1alpha2/resourcebindings`, ["Scheduled", "FullyApplied"]),
  "cluster-resource-bindings": (plane) =>
    counted(plane, `${work}/v1alpha2/clusterresourcebindings`, ["Scheduled", "FullyApplied"]),
  works: (plane) => counted(plane, `${work}/v1alpha1/works`, ["Applied"]),
};

/** Headers for its proxy may be a login, and its list of APIs is long. */
function cluster({
  spec: { proxyHeader, ...spec } = {},
  status: { apiEnablements, ...status } = {},
  ...rest
}: KubeObject) {
  const headers = proxyHeader && { proxyHeader: Object.keys(proxyHeader as object) };
  const apis = Array.isArray(apiEnablements) && { apiEnablements: apiEnablements.length };
  return shown({ ...rest, spec: { ...spec, ...headers }, status: { ...status, ...apis } });
}

/** How many objects of a kind there are, and which lack a condition: no more of them, as Works hold what users deploy. */
async function counted(plane: KubeClient, path: string, wanted: readonly string[]): Promise<object> {
  const all = await listOf(plane, path, (object) => lacking(object, wanted));
  const without = all.filter(({ conditions }) => conditions.length > 0);
  const count = (type: string) =>
    without.filter(({ conditions }) => conditions.some((each) => each.type === type)).length;
  return {
    total: all.length,
    ...Object.fromEntries(wanted.map((type) => [`not${type}`, count(type)])),
    without: without.slice(0, mostShown),
  };
}

const mostShown = 500;

function lacking({ metadata = {}, status }: KubeObject, wanted: readonly string[]) {
  const found = (status?.conditions ?? []) as Readonly<Record<string, string>>[];
  const conditions = wanted.flatMap((type) => {
    const condition = found.find((each) => each["type"] === type);
    if (condition?.["status"] === "True") return [];
    const { status, reason, message, lastTransitionTime } = condition ?? {};
    return [{ type, status: status ?? "none", reason, message, lastTransitionTime }];
  });
  const { namespace, name } = metadata;
  return { namespace, name, conditions };
}
