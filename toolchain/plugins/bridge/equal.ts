import { Unknown } from "../server/index.ts";
import type { Plain } from "./schema.ts";

/** Whether two values are the same; an attribute without a value equals one that is left out. */
export function equal(a: Plain, b: Plain): boolean {
  if (a instanceof Unknown || b instanceof Unknown) return a instanceof Unknown && b instanceof Unknown;
  if (typeof a !== "object" || typeof b !== "object") return a === b;
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((each, i) => equal(each, b[i]));
  }
  const [left, right] = [a as Record<string, Plain>, b as Record<string, Plain>];
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].every((key) => equal(left[key], right[key]));
}
