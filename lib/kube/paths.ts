/** The path of a namespaced object, or of all of its kind, for the host cluster's API groups in use. */
export function namespacedPath(namespace: string, kind: string, name?: string): string {
  const group = ofApps.has(kind) ? "/apis/apps/v1" : "/api/v1";
  return `${group}/namespaces/${namespace}/${kind}${name === undefined ? "" : `/${name}`}`;
}

const ofApps: ReadonlySet<string> = new Set(["statefulsets", "deployments", "replicasets"]);
