import type { KubeObject } from "../kube/client.ts";
import { yamlText } from "../yaml-text.ts";

/** The text of an object's manifest. */
export const manifestText = (object: KubeObject): string => yamlText(manifestOf(object), { lineWidth: 0 });

/**
 * An object as a manifest, without the fields the server sets and without a Secret's data. Its UID stays, as the sign
 * that the object existed before. What is left is what Pulumi's provider takes for its inputs when it imports the
 * object:
 * https://github.com/pulumi/pulumi-kubernetes/blob/v4.32.0/provider/pkg/provider/provider.go (`Read`)
 */
export function manifestOf({ apiVersion, kind, metadata = {}, status: _, ...fields }: KubeObject): KubeObject {
  const { name, namespace, uid, labels = {}, annotations = {}, ...more } = metadata as Record<string, unknown>;
  const own = Object.entries(annotations as object).filter(([key]) => !serversAnnotations.has(key));
  const kept = Object.entries(more).filter(([key]) => !serversFields.has(key));
  const said =
    kind === "Secret" ? Object.entries(fields).filter(([key]) => !contents.has(key)) : Object.entries(fields);
  return withoutNulls({
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      uid,
      ...(Object.keys(labels as object).length > 0 && { labels }),
      ...(own.length > 0 && { annotations: Object.fromEntries(own) }),
      ...Object.fromEntries(kept),
    },
    ...Object.fromEntries(said),
  }) as KubeObject;
}

/** Where `kubectl apply` keeps what it was given, a Secret's contents too. */
export const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
const serversAnnotations: ReadonlySet<string> = new Set([lastApplied, "deployment.kubernetes.io/revision"]);
const serversFields: ReadonlySet<string> = new Set([
  "creationTimestamp",
  "generation",
  "managedFields",
  "resourceVersion",
  "selfLink",
]);
const contents: ReadonlySet<string> = new Set(["data", "stringData"]);

/** Older servers return `creationTimestamp: null` in a pod template. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const set = Object.entries(value).filter(([, field]) => field !== null && field !== undefined);
  return Object.fromEntries(set.map(([key, field]) => [key, withoutNulls(field)]));
}
