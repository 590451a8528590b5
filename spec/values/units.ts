import { text } from "../field.ts";
import type { z } from "zod";
import { shown } from "../wording.ts";

/** A length of time as Go and Kubernetes write it, in one unit: `30s`, `10m`, `720h`. */
export type Duration = `${number}${"s" | "m" | "h"}`;

/** A size in bytes as Kubernetes writes it: `512Mi`, `8Gi`. */
export type Size = `${number}${"Mi" | "Gi"}`;

const secondsOf = { s: 1, m: 60, h: 3600 };

/** How long something is valid, or after which it is due. */
export const duration = lengthOfTime("876000h", "a hundred years");
/** How long to wait for something: a Node.js timer has 31 bits for its milliseconds. */
export const wait = lengthOfTime("596h", "as long as a timer runs");

/** Programs count it in bytes, with 63 bits. */
export const size = text(/^[1-9]\d{0,8}(Mi|Gi)$/, 'a size such as "512Mi" or "8Gi"') as unknown as z.ZodType<
  Size,
  string
>;
/** Cores as Kubernetes writes them: `2` or `500m`. */
export const cores = text(/^[1-9](\d{0,5}|\d{0,8}m)$/, 'cores such as "2" or "500m", in quotes');
/** SHA-256 digest of some bytes. */
export const sha256 = text(/^[0-9a-f]{64}$/, "a SHA-256 digest in 64 hexadecimal digits");

const bytesOf = { Mi: 2 ** 20, Gi: 2 ** 30 };

function lengthOfTime(longest: Duration, why: string) {
  const pattern = /^[1-9]\d*[smh]$/;
  const inBound = (value: string) => !pattern.test(value) || seconds(value as Duration) <= seconds(longest);
  return text(pattern, 'a length of time such as "30s", "10m" or "720h"').refine(inBound, {
    error: ({ input }) => `got ${shown(input)}, want at most "${longest}", ${why}`,
  }) as unknown as z.ZodType<Duration, string>;
}

/** The seconds in a duration. */
export function seconds(value: Duration): number {
  return Number(value.slice(0, -1)) * secondsOf[value.slice(-1) as keyof typeof secondsOf];
}

/** The hours in a duration, of which each that begins counts: certificates are valid for whole ones. */
export const hours = (value: Duration): number => Math.ceil(seconds(value) / 3600);

/** A number of cores: `500m` is half a core. */
export const coresOf = (value: string): number =>
  value.endsWith("m") ? Number(value.slice(0, -1)) / 1000 : Number(value);

/** The bytes in a size. */
export function bytes(value: Size): number {
  return Number(value.slice(0, -2)) * bytesOf[value.slice(-2) as keyof typeof bytesOf];
}
