import { sha256 } from "./sha256.ts";
import { sortedJson } from "./sorted-json.ts";

/** Twelve hexadecimal digits; the same for objects that differ only in the order of their keys. */
export const valueDigest = (value: unknown): string => sha256(sortedJson(value)).slice(0, 12);
