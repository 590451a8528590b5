import { z } from "zod";

/**
 * What a restore leaves beside a member's data, as `.etcd-restore.json`: which restore it was, so that it is never done
 * twice, whatever Pulumi's state remembers, and continues where it was interrupted.
 */
export const marker = z.object({
  /** Number the operator gave the restore; the next one needs a higher one. */
  generation: z.number().int().positive(),
  /** What the operator gave as its source, see `sourceDigest`. @default not known, as of earlier releases */
  source: z.string().optional(),
  /** Digest of the snapshot, as its source names it. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  token: z.string(),
  initialCluster: z.string(),
  /** Decimal: added to the snapshot's revision. */
  bumpRevision: z.string().regex(/^\d+$/),
  /** Number of the data directory that was made. */
  incarnation: z.number().int().positive(),
  /** Numbers of data made before these that etcd was never started with, oldest first. @default none */
  superseded: z.array(z.number().int().positive()).optional(),
  /** Hexadecimal: the cluster the data form, and the one they replaced (`none` when there was none). */
  clusterId: z.string(),
  replaces: z.string(),
  preparedAt: z.iso.datetime(),
  /** When etcd was first started with the data; absent as long as they are only prepared. */
  startedAt: z.iso.datetime().optional(),
  /** When the cluster was found to serve them. */
  finishedAt: z.iso.datetime().optional(),
});

export type RestoreMarker = z.output<typeof marker>;

export const markerFile = ".etcd-restore.json";
