import type { Deployment } from "../deployment.ts";
import { bytes, type Size } from "../values/units.ts";
import { overrideMembers } from "./overrides.ts";

/**
 * Bytes beside the database on a member's volume: its log in pieces of 64 MB, of which it keeps five (`--max-wals`) and
 * prepares one, and some room (https://github.com/etcd-io/etcd/blob/v3.6.6/server/storage/wal/wal.go, `SegmentSizeBytes`).
 */
export const besideDatabase = bytes("512Mi");

/**
 * Volumes in a host cluster that a database may outgrow, a sentence each. An etcd that reaches its quota serves reads
 * and can be helped; one whose volume is full ends, and does not start again.
 */
export function volumeWarnings({ placement, etcd }: Pick<Deployment<unknown>, "placement" | "etcd">): string[] {
  if (placement.kind !== "kubernetes" || etcd.kind !== "managed" || placement.storage.hostPath !== undefined) return [];
  const { size } = placement.storage;
  const quotas: readonly (readonly [path: string, quota: Size])[] = [
    ["etcd.quota", etcd.quota],
    ...etcd.overrides.map(({ name, quota }) => [`etcd.overrides[${name}].quota`, quota] as const),
  ];
  return quotas
    .filter(([, quota]) => bytes(quota) + besideDatabase > bytes(size))
    .map(
      ([path, quota]) =>
        `${path}: a database of ${quota} with its log does not fit on a volume of ${size} (placement.storage.size); when that is full etcd ends and does not start again, where at its quota it would go on serving reads`,
    );
}

/** Bytes that the database of each member of our own may grow to. */
export function memberQuotas({ members, quota, overrides }: ManagedEtcd): Record<string, number> {
  const all = [
    { names: members, quota },
    ...overrides.map((each) => ({ names: overrideMembers(each), quota: each.quota })),
  ];
  return Object.fromEntries(all.flatMap(({ names, quota }) => names.map((name) => [name, bytes(quota)])));
}

type ManagedEtcd = Extract<Deployment<unknown>["etcd"], { kind: "managed" }>;
