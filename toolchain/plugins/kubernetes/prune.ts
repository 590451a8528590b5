import { isObject } from "./object.ts";
import type { Field, KubeObject } from "./object.ts";

/** The part of `source` that has the shape of `shape`: what a server filled in is left out. */
export function prune(source: KubeObject, shape: KubeObject): KubeObject {
  const pruned: KubeObject = {};
  for (const [key, field] of Object.entries(source)) {
    const like = shape[key];
    if (like !== undefined) pruned[key] = pruneField(field, like);
  }
  return pruned;
}

function pruneField(field: Field, like: Field): Field {
  if (isObject(field) && isObject(like)) return prune(field, like);
  if (Array.isArray(field) && Array.isArray(like)) return pruneList(field, like);
  return field;
}

/** Elements are told apart by their place; surplus ones of `source` are left out. */
function pruneList(source: Field[], shape: Field[]): Field[] {
  const [first, firstLike] = [source[0], shape[0]];
  if (first === undefined || firstLike === undefined) return [];
  if (typeOf(first) !== typeOf(firstLike)) return source;
  return source.slice(0, shape.length).map((each, i) => pruneField(each, shape[i]!));
}

function typeOf(field: Field): string {
  if (Array.isArray(field)) return "list";
  return field === null ? "null" : isObject(field) ? "map" : typeof field;
}
