import { replaceFieldOf } from "../../../spec/etcd/overrides.ts";
import type { Situation } from "./situation.ts";

/** What to set for a member to get empty data: `set etcd.replace to {etcd-1: 1} to have it removed and added again`. */
export function replaceIt({ desired, known }: Pick<Situation, "desired" | "known">, name: string): string {
  const number = (desired.replace[name] ?? known.replaced[name] ?? 0) + 1;
  return `set ${replaceFieldOf(name)} to {${name}: ${number}} to have it removed and added again`;
}
