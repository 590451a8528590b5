import type { KubeObject } from "./object.ts";

/** The object as Kubernetes' own type of its kind would write it. */
export function normalizeTyped(object: KubeObject): KubeObject {
  return object;
}
