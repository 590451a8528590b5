import { Unknown } from "../server/index.ts";
import { isObject } from "./object.ts";
import type { Field, KubeObject } from "./object.ts";

/** The JSON merge patch (RFC 7386) that makes `to` of `from`; lists are compared as a whole. */
export function mergePatch(from: KubeObject, to: KubeObject): KubeObject {
  const patch: KubeObject = {};
  for (const [key, wanted] of Object.entries(to)) {
    const found = from[key];
    if (isObject(found) && isMapLike(wanted)) {
      const nested = mergePatch(found, asMap(wanted));
      if (Object.keys(nested).length > 0) patch[key] = nested;
    } else if (found === undefined || !equal(found, wanted)) {
      patch[key] = wanted;
    }
  }
  for (const key of Object.keys(from)) if (!(key in to)) patch[key] = null;
  return patch;
}

/** Deep equality; something unknown equals nothing. */
export function equal(a: Field, b: Field): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((each, i) => equal(each, b[i]!));
  if (isObject(a) && isObject(b)) {
    const keys = Object.keys(a);
    return keys.length === Object.keys(b).length && keys.every((key) => key in b && equal(a[key]!, b[key]!));
  }
  return !(a instanceof Unknown) && a === b;
}

/** The official plugin compares the JSON of its placeholder for an unknown value, which is a map. */
function isMapLike(field: Field): boolean {
  return isObject(field) || field instanceof Unknown;
}

function asMap(field: Field): KubeObject {
  return isObject(field) ? field : { Element: { V: "" } };
}
