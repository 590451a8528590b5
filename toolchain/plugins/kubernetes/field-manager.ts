/** Under which name fields are owned: https://kubernetes.io/docs/reference/using-api/server-side-apply/#managers */
import type { Properties } from "../server/index.ts";
import { annotation, isAnnotationTrue, PATCH_FIELD_MANAGER, PATCH_FORCE } from "./annotations.ts";
import { FIELD_MANAGER, stateText } from "./checkpoint.ts";
import type { Cluster } from "./cluster.ts";
import { referenceOf } from "./cluster.ts";
import { uniqueName } from "./naming.ts";
import { apiVersionOf, at, kindOf, nameOf, namespaceOf, setNamespace } from "./object.ts";
import type { KubeObject } from "./object.ts";
import type { Settings } from "./settings.ts";

/** The manager of objects that are created rather than applied. */
export const CREATOR = "pulumi-kubernetes";

/** The user's choice, else the one in the state, else a new one. */
export function fieldManagerOf(settings: Settings, state: Properties, inputs: KubeObject): string {
  if (!settings.enableServerSideApply) return CREATOR;
  return annotation(inputs, PATCH_FIELD_MANAGER) || stateText(state, FIELD_MANAGER) || uniqueName("pulumi-kubernetes-");
}

/** Whether to take fields over from other managers. */
export function isForced(
  inputs: KubeObject,
  live: KubeObject | undefined,
  { preview, settings }: { preview: boolean; settings: Settings },
): boolean {
  if (isAnnotationTrue(inputs, PATCH_FORCE) || settings.enablePatchForce) return true;
  if (live === undefined) return preview;
  const entries = managedFields(live);
  if (entries.length === 0) return true;
  return preview && entries.some(({ operation, manager }) => operation === "Update" && creators.includes(manager));
}

/** Gives up the fields a manager owns: an apply that names none. */
export async function relinquish(
  cluster: Cluster,
  object: KubeObject,
  fieldManager: string,
  signal: AbortSignal,
): Promise<void> {
  const empty: KubeObject = {
    apiVersion: apiVersionOf(object),
    kind: kindOf(object),
    metadata: { name: nameOf(object) },
  };
  setNamespace(empty, namespaceOf(object));
  await cluster.apply(empty, { fieldManager, signal });
}

/**
 * Turns the fields that were created or applied on the client's side into fields of `fieldManager`, so that leaving
 * one out of a later apply removes it.
 */
export async function adoptFields(
  cluster: Cluster,
  live: KubeObject,
  fieldManager: string,
  signal: AbortSignal,
): Promise<KubeObject> {
  const entries = managedFields(live);
  const adopted = entries.filter(isAdoptable);
  if (adopted.length === 0) return live;
  const own = entries.find(({ manager, operation }) => manager === fieldManager && operation === "Apply");
  const first = own ?? { ...adopted[0]!, manager: fieldManager, operation: "Apply" };
  const merged = adopted.reduce((fields, entry) => mergeFields(fields, entry.fieldsV1), first.fieldsV1);
  const others = entries.filter((entry) => entry !== own && !adopted.includes(entry));
  const value = [...others, { ...first, fieldsV1: merged }];
  const patch = [{ op: "replace", path: "/metadata/managedFields", value }];
  return cluster.patch(referenceOf(live), patch, "application/json-patch+json", { signal });
}

/** Managers of earlier versions of the plugin, by operating system. */
const creators = ["pulumi-resource-kubernetes", "pulumi-kubernetes", "pulumi-kubernetes.exe"];

function isAdoptable({ manager, operation, subresource }: ManagedFields): boolean {
  if (subresource) return false;
  if (manager.startsWith("kubectl")) return true;
  return operation === "Update" && ["before-first-apply", ...creators].some((name) => manager.startsWith(name));
}

interface Fields {
  readonly [field: string]: Fields;
}
export interface ManagedFields {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly fieldsV1: Fields;
}

export function managedFields(object: KubeObject): readonly ManagedFields[] {
  return (at(object, "metadata", "managedFields") ?? []) as unknown as readonly ManagedFields[];
}

export function mergeFields(a: Fields = {}, b: Fields = {}): Fields {
  const merged: Record<string, Fields> = { ...a };
  for (const [key, fields] of Object.entries(b)) merged[key] = mergeFields(merged[key], fields);
  return merged;
}
