import { isDeepStrictEqual } from "node:util";
import { unknownValue } from "../toolchain/pulumi/unknown-value.ts";

/** Inputs, or inputs and outputs, as Pulumi hands them over. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- what Pulumi hands over is not typed
export type Props = Record<string, any>;

/** Whether a value, or something in it, is not known yet. */
export function isUnknown(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).some(isUnknown);
  return value === unknownValue;
}

/** Those inputs that are known as a whole. */
export function known<T extends object>(inputs: T): Partial<T> {
  return Object.fromEntries(Object.entries(inputs).filter(([, value]) => !isUnknown(value))) as Partial<T>;
}

/** Replaces unknown values by undefined, also deep inside. */
export function withoutUnknown<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutUnknown) as T;
  if (typeof value !== "object" || value === null) return value === unknownValue ? (undefined as T) : value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutUnknown(each)])) as T;
}

/** Whether two values are the same on the wire; absent is the same as null. */
export function same(old: unknown, now: unknown): boolean {
  return isDeepStrictEqual(clean({ value: old ?? null }), clean({ value: now ?? null }));
}

/** What the wire can carry: no undefined, no Date, nothing with a prototype of its own. */
export function clean<T extends object>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** Those of the named properties that are there. */
export function pick(props: Props, names: readonly string[]): Props {
  return Object.fromEntries(names.filter((name) => props[name] !== undefined).map((name) => [name, props[name]]));
}

/** All properties but the named ones. */
export function omit(props: Props, names: readonly string[]): Props {
  return Object.fromEntries(Object.entries(props).filter(([name]) => !names.includes(name)));
}
