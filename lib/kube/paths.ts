/** The path of an object of a namespace, or of all of its kind: what is used of the host cluster's groups. */
export function namespacedPath(namespace: string, kind: string, name?: string): string {
  const group = kind === "statefulsets" || kind === "deployments" ? "/apis/apps/v1" : "/api/v1";
  return `${group}/namespaces/${namespace}/${kind}${name === undefined ? "" : `/${name}`}`;
}
