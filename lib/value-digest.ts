import { sha256 } from "./sha256.ts";

/** Twelve hexadecimal digits; the same for objects that differ only in the order of their keys, as Pulumi hands them on. */
export function valueDigest(value: unknown): string {
  const text = JSON.stringify(value, (_key, each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
  return sha256(text).slice(0, 12);
}
