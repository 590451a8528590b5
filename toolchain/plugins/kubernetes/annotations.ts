/** What a user tells the plugin by annotations of a resource, and what the plugin notes there itself. */
import { at, isObject, setAt, textAt } from "./object.ts";
import type { KubeObject } from "./object.ts";

export const AUTONAMED = "pulumi.com/autonamed";
export const SKIP_AWAIT = "pulumi.com/skipAwait";
export const WAIT_FOR = "pulumi.com/waitFor";
const TIMEOUT_SECONDS = "pulumi.com/timeoutSeconds";
export const REPLACE_UNREADY = "pulumi.com/replaceUnready";
export const PATCH_FORCE = "pulumi.com/patchForce";
export const PATCH_FIELD_MANAGER = "pulumi.com/patchFieldManager";
const DELETION_PROPAGATION = "pulumi.com/deletionPropagationPolicy";
export const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** The annotation's value; empty when there is none. */
export function annotation(object: KubeObject, key: string): string {
  return textAt(object, "metadata", "annotations", key);
}

export function isAnnotationTrue(object: KubeObject, key: string): boolean {
  return annotation(object, key) === "true";
}

export function setAnnotation(object: KubeObject, key: string, value: string): void {
  setAt(object, value, "metadata", "annotations", key);
}

/** The annotation keys of an object. */
export function annotationKeys(object: KubeObject): string[] {
  const annotations = at(object, "metadata", "annotations");
  return isObject(annotations) ? Object.keys(annotations) : [];
}

/** How long to wait, in milliseconds: customTimeouts, else the annotation, else `undefined`. */
export function timeoutOf(object: KubeObject, timeoutSeconds: number | undefined): number | undefined {
  if (timeoutSeconds) return timeoutSeconds * 1000;
  const text = annotation(object, TIMEOUT_SECONDS);
  return /^[+-]?\d+$/.test(text) ? Number(text) * 1000 : undefined;
}

/** https://kubernetes.io/docs/concepts/architecture/garbage-collection/#cascading-deletion @default Foreground */
export function deletionPropagation(object: KubeObject): "Orphan" | "Background" | "Foreground" {
  switch (annotation(object, DELETION_PROPAGATION).toLowerCase()) {
    case "orphan":
      return "Orphan";
    case "background":
      return "Background";
    default:
      return "Foreground";
  }
}
