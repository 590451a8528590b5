/** Group, version and kind: what a type token and an object say about the API to talk to. */
import { apiVersionOf, kindOf } from "./object.ts";
import type { KubeObject } from "./object.ts";

export interface GroupVersionKind {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Of a type token, `kubernetes:apps/v1:Deployment`; the kind of a Patch resource keeps its suffix. */
export function gvkOfType(type: string): GroupVersionKind {
  const [, module = "", kind = ""] = type.split(":");
  const parts = module.split("/");
  if (parts.length !== 2)
    throw new Error(`apiVersion does not have both a group and a version: ${JSON.stringify(module)}`);
  return { group: parts[0] === "core" ? "" : parts[0]!, version: parts[1]!, kind };
}

export function gvkOfObject(object: KubeObject): GroupVersionKind {
  const [first = "", second] = apiVersionOf(object).split("/");
  const group = second === undefined || first === "core" ? "" : first;
  return { group, version: second ?? first, kind: kindOf(object) };
}

/** `v1` or `apps/v1`. */
export function groupVersionOf({ group, version }: GroupVersionKind): string {
  return group ? `${group}/${version}` : version;
}

/** As client-go writes it in messages. */
export function gvkText({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}, Kind=${kind}`;
}

/** Whether the type manages single fields of an object that others own: `ConfigMapPatch` for a `ConfigMap`. */
export function isPatchType(type: string, object: KubeObject): boolean {
  return type.split(":").at(-1) === `${kindOf(object)}Patch`;
}

export function isCrd(object: KubeObject): boolean {
  return kindOf(object) === "CustomResourceDefinition" && apiVersionOf(object).startsWith("apiextensions.k8s.io/");
}

/** Secrets of the core group. */
export function isSecret(object: KubeObject): boolean {
  const { group, kind } = gvkOfObject(object);
  return group === "" && kind === "Secret";
}

export function isConfigMap(object: KubeObject): boolean {
  const { group, kind } = gvkOfObject(object);
  return group === "" && kind === "ConfigMap";
}
