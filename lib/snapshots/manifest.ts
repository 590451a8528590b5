import { z } from "zod";
import { jsonOf } from "../../spec/values/json-of.ts";

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.number().int().nonnegative();
/** 64-bit number, decimal, as etcd's gateway writes it. */
const long = z.string().regex(/^\d+$/);
const hexId = z.string().regex(/^[0-9a-f]+$/);

const snapshotId = z.string().regex(/^\d{8}T\d{6}Z-r\d+-[0-9a-f]{6}$/, "is not the id of a snapshot");

/** The prefix of all keys that Kubernetes writes, for an etcd by itself: each control plane in it has its own below. */
export const wholeDatabase = "/";

/** How far a snapshot has been verified; each level includes the ones before it. */
export const verifyLevels = ["sha", "status", "restore"] as const;

/**
 * What is known about a snapshot. It lies beside the data as `<id>.json` and is written after them: data without a
 * manifest are not a snapshot. A later verification of the same data replaces `verified`; nothing else changes.
 */
export const manifest = z.object({
  format: z.literal(1),
  id: snapshotId,
  /** The deployment whose data it holds: the whole database, whatever prefix its Karmada uses. */
  deployment: z.string().min(1),
  reason: z.enum(["on-demand", "scheduled", "before-change", "emergency"]),
  /** RFC 3339, by the clock of the machine that took it: order snapshots with {@link newestFirst} instead. */
  createdAt: z.iso.datetime(),

  /**
   * The data as stored in the target, encrypted or not: file name beside the manifest, digest as `sha256sum` prints it.
   */
  file: z.string().regex(/^[\w.-]+$/),
  sha256,
  sizeBytes: count.positive(),
  compression: z.literal("none"),
  encryption: z.discriminatedUnion("algorithm", [
    z.object({ algorithm: z.literal("none") }),
    /** `keyId` tells keys apart without telling anything about them. */
    z.object({ algorithm: z.literal("AES-256-GCM"), keyId: hexId }),
  ]),

  /** etcd's own snapshot file inside: its size, and the digest etcd ends it with (of all but these last 32 bytes). */
  database: z.object({ sizeBytes: count.positive(), sha256 }),
  /** Exact with `status` and above; else the revision at its start, and it may hold some later ones. */
  revision: long,
  raftIndex: long,
  /** Output of `etcdutl snapshot status`, from level `status` on. Counts of tools before 3.6 mean something else. */
  dbHash: z
    .string()
    .regex(/^[0-9a-f]{1,8}$/)
    .optional(),
  totalKeys: count.optional(),

  clusterId: hexId,
  memberId: hexId,
  memberName: z.string(),
  etcdVersion: z.string(),
  /** Storage version of the file; empty from members before 3.6. */
  storageVersion: z.string(),
  karmadaVersion: z.string().optional(),
  /** Where the Karmada keeps its keys. A snapshot of an external etcd holds everybody else's keys as well. */
  keyPrefix: z.string(),

  /**
   * Snapshots of the clusters that hold some kinds of this deployment's objects, each begun before this one, so that
   * what they refer to is in it. With this manifest, which is written last, all of them are one snapshot.
   */
  parts: z.array(z.object({ name: z.string(), deployment: z.string(), id: snapshotId, sha256 })).optional(),

  verified: z.object({ level: z.enum(verifyLevels), at: z.iso.datetime() }),
});

export type Manifest = z.output<typeof manifest>;
/** A snapshot that belongs to another one. */
export type Part = NonNullable<Manifest["parts"]>[number];
export type VerifyLevel = (typeof verifyLevels)[number];
export type Reason = Manifest["reason"];

/** The name under which snapshots of a deployment's further cluster are kept: deployment names have no dots. */
export const partDeployment = (deployment: string, name: string): string => `${deployment}.${name}`;

/**
 * Whether snapshots under this name are of a further cluster, which holds only some kinds of objects: there may be none
 * yet.
 */
export const isPart = (deployment: string): boolean => deployment.includes(".");

/** Name of the file that holds a snapshot's manifest. */
export const manifestFile = (id: string): string => `${id}.json`;

/** Name of the file that holds a snapshot's data. */
export const dataFile = (id: string, encrypted: boolean): string => (encrypted ? `${id}.db.aes` : `${id}.db`);

/**
 * Name of the file that says that a snapshot's data are being stored, or are stored but not verified yet. It is made
 * before the data and removed after the manifest is written: whatever is killed in between, the data are known not to
 * be a snapshot.
 */
export const unfinishedFile = (id: string): string => `${id}.unfinished`;

/** Every name a file of a snapshot can have, the manifest first: without it the rest is no longer a snapshot. */
export const filesOf = (id: string): string[] => [
  manifestFile(id),
  dataFile(id, false),
  dataFile(id, true),
  unfinishedFile(id),
];

/** The ID of the snapshot that a file belongs to, if it belongs to one: all its files are named after it. */
export const idOfFile = (file: string): string => file.replace(/\..*$/, "");

/** The id of the snapshot whose manifest has this name; undefined when it is the name of something else. */
export function idOfManifest(file: string): string | undefined {
  return file.endsWith(".json") && manifest.shape.id.safeParse(file.slice(0, -5)).success
    ? file.slice(0, -5)
    : undefined;
}

/** @throws with everything wrong with the text */
export function parseManifest(text: string): Manifest {
  const result = manifest.safeParse(jsonOf(text));
  if (result.success) return result.data;
  const wrong = result.error.issues.map(({ path, message }) => `${path.join(".") || "all of it"}: ${message}`);
  throw new Error(`the manifest is not as it must be: ${wrong.join("; ")}`);
}

export const manifestText = (value: Manifest): string => JSON.stringify(value, null, 2) + "\n";

/**
 * Newest first. Within a cluster the revision decides, because clocks jump and revisions do not; between clusters (a
 * restore makes a new one) the newest time of each.
 *
 * @param current IDs of the present cluster: its snapshots come first, whatever the times of a former cluster's
 */
export function newestFirst<T extends Pick<Manifest, "clusterId" | "revision" | "createdAt">>(
  list: readonly T[],
  current: readonly string[] = [],
): T[] {
  const newest = new Map<string, string>();
  for (const { clusterId, createdAt } of list) {
    if (createdAt > (newest.get(clusterId) ?? "")) newest.set(clusterId, createdAt);
  }
  const latest = ({ clusterId }: T) => `${newest.get(clusterId)} ${clusterId}`;
  const isFormer = ({ clusterId }: T) => Number(!current.includes(clusterId));
  return list.toSorted(
    (a, b) =>
      isFormer(a) - isFormer(b) ||
      compare(latest(b), latest(a)) ||
      compare(BigInt(b.revision), BigInt(a.revision)) ||
      compare(b.createdAt, a.createdAt),
  );
}

function compare<T extends string | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
