/** Kubernetes objects as JSON, in which a preview may leave parts unknown. */
import { isList, isMap, reveal, Unknown } from "../server/index.ts";
import type { Properties, Value } from "../server/index.ts";

export type Field = null | boolean | number | string | Unknown | Field[] | KubeObject;
export interface KubeObject {
  [key: string]: Field;
}

export function isObject(field: Field | undefined): field is KubeObject {
  return typeof field === "object" && field !== null && !Array.isArray(field) && !(field instanceof Unknown);
}

/** The field at a path, `undefined` when any part of it is missing. */
export function at(object: KubeObject, ...path: string[]): Field | undefined {
  let field: Field | undefined = object;
  for (const key of path) field = isObject(field) ? field[key] : undefined;
  return field;
}

/** The text at a path; empty when it is missing, unknown or not text. */
export function textAt(object: KubeObject, ...path: string[]): string {
  const field = at(object, ...path);
  return typeof field === "string" ? field : "";
}

/** Sets a field and makes the maps above it; a part that is unknown or not a map stays as it is. */
export function setAt(object: KubeObject, value: Field, ...path: string[]): void {
  const [key, ...rest] = path;
  if (key === undefined) return;
  if (rest.length === 0) object[key] = value;
  else {
    const child = (object[key] ??= {});
    if (isObject(child)) setAt(child, value, ...rest);
  }
}

export function removeAt(object: KubeObject, ...path: string[]): void {
  const parent = at(object, ...path.slice(0, -1));
  if (isObject(parent)) delete parent[path.at(-1)!];
}

export const nameOf = (object: KubeObject): string => textAt(object, "metadata", "name");
export const namespaceOf = (object: KubeObject): string => textAt(object, "metadata", "namespace");
export const kindOf = (object: KubeObject): string => textAt(object, "kind");
export const apiVersionOf = (object: KubeObject): string => textAt(object, "apiVersion");

/** As the CLI shows it and the engine stores it: `namespace/name`, or `name` alone. */
export function idOf(object: KubeObject): string {
  const namespace = namespaceOf(object);
  return namespace ? `${namespace}/${nameOf(object)}` : nameOf(object);
}

/** The parts of an id. */
export function parseId(id: string): { namespace: string; name: string } {
  const [first = "", second] = id.split("/");
  return second === undefined ? { namespace: "", name: first } : { namespace: first, name: second };
}

/** Sets or, when empty, removes the namespace. */
export function setNamespace(object: KubeObject, namespace: string): void {
  if (namespace) setAt(object, namespace, "metadata", "namespace");
  else removeAt(object, "metadata", "namespace");
}

/** A deep copy; unknown parts stay the same object. */
export function clone<T extends Field>(field: T): T;
export function clone(field: Field): Field {
  if (Array.isArray(field)) return field.map((each) => clone(each));
  if (!isObject(field)) return field;
  return Object.fromEntries(Object.entries(field).map(([key, each]) => [key, clone(each)]));
}

export function hasUnknown(field: Field | undefined): boolean {
  if (Array.isArray(field)) return field.some(hasUnknown);
  if (isObject(field)) return Object.values(field).some(hasUnknown);
  return field instanceof Unknown;
}

/** The object in a resource's properties: secrets opened, the SDK's spelling of CRD extensions undone. */
export function fromProperties(properties: Properties): KubeObject {
  return fromValue(reveal(properties)) as KubeObject;
}

/** The object as properties in the SDK's spelling: `x_kubernetes_...`, as identifiers cannot have dashes. */
export function toProperties(object: KubeObject): Record<string, Value> {
  return toValue(object) as Record<string, Value>;
}

function fromValue(value: Value): Field {
  if (isList(value)) return value.map(fromValue);
  if (isMap(value)) {
    const entries = Object.entries(value).filter(([, each]) => each !== undefined);
    return Object.fromEntries(entries.map(([key, each]) => [dashes.get(key) ?? key, fromValue(each)]));
  }
  if (value === undefined) return null;
  if (typeof value === "object" && value !== null && !(value instanceof Unknown)) {
    throw new Error("assets, archives and resources are not Kubernetes fields");
  }
  return value;
}

function toValue(field: Field): Value {
  if (Array.isArray(field)) return field.map(toValue);
  if (!isObject(field)) return field;
  return Object.fromEntries(Object.entries(field).map(([key, each]) => [underscores.get(key) ?? key, toValue(each)]));
}

const extensions = [
  "embedded-resource",
  "int-or-string",
  "list-map-keys",
  "list-type",
  "map-type",
  "preserve-unknown-fields",
  "validations",
].map((name) => `x-kubernetes-${name}`);
const dashes = new Map(extensions.map((name) => [name.replaceAll("-", "_"), name]));
const underscores = new Map(extensions.map((name) => [name, name.replaceAll("-", "_")]));
