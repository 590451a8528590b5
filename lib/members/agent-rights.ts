import { isDeepStrictEqual } from "node:util";
import type { KubeClient, KubeObject } from "../kube/client.ts";
import { isNotFound } from "../kube/error.ts";
import { agentUserOf, clusterNamespace, executionNamespaceOf, paths, systemLabels } from "./names.ts";

/**
 * Gives a member's agent the rights it needs on the plane and no more: of other members it sees only the Clusters.
 * Unlike upstream's, it may neither create nor change a Cluster, so that a leftover agent cannot register again.
 */
export async function grantAgent(plane: KubeClient, cluster: string): Promise<void> {
  const namespace = executionNamespaceOf(cluster);
  const metadata = { name: namespace, labels: systemLabels };
  await plane.apply(paths.namespace(namespace), { apiVersion: "v1", kind: "Namespace", metadata });
  for (const { path, body } of grants(cluster)) await plane.apply(path, body);
}

/** How it differs from what {@link grantAgent} made, in sentences. */
export async function grantDrift(plane: KubeClient, cluster: string): Promise<string[]> {
  const found = await Promise.all(
    grants(cluster).map(async ({ path, body }) => ({ body, object: await plane.find(path) })),
  );
  return found.flatMap(({ body, object }) => {
    const what = `${body.kind} ${body.metadata?.name}`;
    if (object === undefined) return [`${what}: is gone from the plane`];
    const changed = body.rules !== undefined && !isDeepStrictEqual(object.rules, body.rules);
    return changed ? [`${what}: its rules were changed`] : [];
  });
}

/**
 * Releases the rights that are kept through the deletion of the member's namespace on the plane, once nothing else is
 * left there: the agent needs them until it has removed what was propagated to the member.
 */
export async function releaseAgent(plane: KubeClient, cluster: string): Promise<void> {
  await Promise.all(
    grants(cluster)
      .filter(({ body }) => body.metadata?.finalizers !== undefined)
      .map(async ({ path }) => {
        const there = await plane.find(path);
        if (there?.metadata?.deletionTimestamp === undefined) return;
        await plane.merge(path, { metadata: { finalizers: null } }).catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
      }),
  );
}

/** Revokes all of it. */
export async function revokeAgent(plane: KubeClient, cluster: string): Promise<void> {
  await Promise.all(grants(cluster).map(({ path }) => plane.delete(path)));
  await releaseAgent(plane, cluster);
}

interface Grant {
  readonly path: string;
  readonly body: KubeObject;
}

/** Names as `karmadactl register` gives them, where it has such an object. */
function grants(cluster: string): Grant[] {
  const works = executionNamespaceOf(cluster);
  return [
    ...granted(cluster, `system:karmada:${cluster}:agent`, undefined, [
      rule("cluster.karmada.io", "clusters", ["list", "watch"]),
      rule("cluster.karmada.io", "clusters", ["get"], [cluster]),
      rule("cluster.karmada.io", "clusters/status", ["update"], [cluster]),
      rule("config.karmada.io", "resourceinterpreterwebhookconfigurations", read),
      rule("config.karmada.io", "resourceinterpretercustomizations", read),
      rule("", "namespaces", ["get"]),
      rule("", "services", ["list", "watch"]),
      rule("", "events", ["create", "patch", "update"]),
    ]),
    ...granted(cluster, `system:karmada:${cluster}:agent-heartbeat`, clusterNamespace, [
      rule("coordination.k8s.io", "leases", ["create"]),
      rule("coordination.k8s.io", "leases", ["get", "update"], [cluster]),
    ]),
    ...granted(cluster, `system:karmada:${cluster}:agent-work`, works, [
      rule("work.karmada.io", "works", [...read, "create", "update", "patch", "delete"]),
      rule("work.karmada.io", "works/status", ["update", "patch"]),
    ]),
  ];
}

const read = ["get", "list", "watch"];

/** Keeps a role and its binding while their namespace is being deleted: the API server goes by what is still there. */
const untilWithdrawn = "karmada-pulumi/withdrawn";

/** A role and a binding of the same name, in a namespace or cluster-wide. */
function granted(cluster: string, name: string, namespace: string | undefined, rules: readonly object[]): Grant[] {
  const kind = namespace === undefined ? "ClusterRole" : "Role";
  const at = namespace === undefined ? "" : `namespaces/${namespace}/`;
  const path = (plural: string) => `/apis/${rbac}/v1/${at}${plural}/${name}`;
  const common = {
    apiVersion: `${rbac}/v1`,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      labels: systemLabels,
      ...(namespace === executionNamespaceOf(cluster) && { finalizers: [untilWithdrawn] }),
    },
  };
  const roleRef = { apiGroup: rbac, kind, name };
  const subjects = [{ apiGroup: rbac, kind: "User", name: agentUserOf(cluster) }];
  return [
    { path: path(`${kind.toLowerCase()}s`), body: { ...common, kind, rules } },
    { path: path(`${kind.toLowerCase()}bindings`), body: { ...common, kind: `${kind}Binding`, roleRef, subjects } },
  ];
}

const rbac = "rbac.authorization.k8s.io";

function rule(group: string, resource: string, verbs: readonly string[], names?: readonly string[]) {
  return {
    apiGroups: [group],
    resources: [resource],
    verbs,
    ...(names !== undefined && { resourceNames: names }),
  };
}
