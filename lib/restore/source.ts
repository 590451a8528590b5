import type { EncryptionSettings } from "../../spec/snapshots/encryption.ts";
import type { Digest } from "../digested.ts";
import { proveFile } from "../etcd/runtime/snapshot-file.ts";
import { encryptionKey, keyFor } from "../snapshots/key.ts";
import { newestFirst, type Manifest } from "../snapshots/manifest.ts";
import { openTarget } from "../snapshots/open-target.ts";
import type { TargetSettings } from "../snapshots/target-settings.ts";
import type { Listing } from "../snapshots/target.ts";
import { snapshotStatus } from "../snapshots/tools.ts";
import { valueDigest } from "../value-digest.ts";

/** What data are restored from. */
export type RestoreSource =
  | {
      readonly kind: "snapshot";
      readonly target: TargetSettings;
      /** The deployment whose snapshots are searched. */
      readonly deployment: string;
      /** One of them, or `latest`. */
      readonly id: string;
      readonly encryption: EncryptionSettings;
      /**
       * IDs of the present clusters, as the operator gives them for the first one (`replaceClusterId`): the latest is
       * taken from those, whatever the times of former clusters' snapshots.
       */
      readonly there?: string | undefined;
      /** Only what it holds of this further cluster. */
      readonly part?: string | undefined;
    }
  /** A file that `etcdctl snapshot save` or anything like it has made. */
  | { readonly kind: "file"; readonly path: string }
  /** The data of a member of the very cluster that is replaced, from one survivor. */
  | { readonly kind: "member"; readonly member: string };

type SnapshotSource = Extract<RestoreSource, { kind: "snapshot" }>;

/** The field in which the operator names the cluster to be replaced, see the locks of a restore. */
export const clusterFieldOf = (source: RestoreSource): string =>
  source.kind === "snapshot" && source.part !== undefined ? `overrides.${source.part}` : "replaceClusterId";

/**
 * What tells one source from another: a digest of what the operator gave, without its secrets.
 *
 * @param pin the digest that the snapshot has to have, if one was given
 */
export function sourceDigest(source: RestoreSource, pin: string | undefined): string {
  if (source.kind !== "snapshot") return valueDigest([source, pin]);
  const { target, deployment, id, part } = source;
  return valueDigest([target, deployment, id, part, pin]);
}

/** A source with its separately kept secret. */
export function withSecret(source: RestoreSource, secretKey: string | undefined): RestoreSource {
  if (secretKey === undefined || source.kind !== "snapshot" || source.target.kind !== "s3") return source;
  const { credentials } = source.target;
  if (credentials.kind !== "keys") return source;
  return { ...source, target: { ...source.target, credentials: { ...credentials, secretAccessKey: secretKey } } };
}

/** Exactly what is restored, determined before anything is done. */
export interface PinnedSource {
  /** Where it is: `s3://backup/prod/20261121T020000Z-r481233-a1b2c3.db`. */
  readonly uri: string;
  /** Digest of the stored data; absent for a member, whose data may still change. */
  readonly sha256?: string;
  /** Size of a snapshot in a file, and the etcd digest at its end. */
  readonly database?: Digest;
  readonly manifest?: Manifest;
  /** Revision of a file's data, decimal; absent if etcdutl was not installed yet. */
  readonly revision?: string;
  /** The highest revision of any snapshot there, decimal: the data have been that far. */
  readonly lastSeenRevision?: string;
}

/** What a snapshot must satisfy to be used. */
export interface SourceRules {
  /** Name of the deployment that it is restored to. */
  readonly deployment: string;
  /** Version of the etcd that will run. */
  readonly etcdVersion: string;
  /** Digest required by the operator. */
  readonly sha256?: string;
  readonly allowForeignSnapshot: boolean;
  /** Path of etcdutl on this machine, which may not be there yet. */
  readonly etcdutl?: string;
}

/** @throws when there is no such snapshot, or it is not one to restore here */
export async function pinSource(source: RestoreSource, rules: SourceRules): Promise<PinnedSource> {
  switch (source.kind) {
    case "snapshot": {
      const target = await openTarget(source.target, { deployment: source.deployment });
      try {
        const listing = await target.list();
        const manifest = chosen(source, target.uri, listing);
        if (source.part !== undefined) return await pinPart(source, source.part, manifest, rules);
        refuseUnfit(manifest, rules);
        return pinned(source, target.uri, manifest, listing);
      } finally {
        target.close();
      }
    }
    case "file": {
      const [proved, revision] = await Promise.all([proveFile(source.path), revisionOf(source.path, rules)]);
      const { sha256, sizeBytes, databaseSha256 } = proved;
      refuseOther(source.path, sha256, rules);
      if (!rules.allowForeignSnapshot) {
        throw new Error(
          `${source.path}: a file by itself does not say which Karmada it is of; set allowForeignSnapshot to true if you know`,
        );
      }
      const database = { sizeBytes, sha256: databaseSha256 };
      return { uri: `file://${source.path}`, sha256, database, ...(revision && { revision }) };
    }
    case "member":
      return { uri: `member ${source.member}` };
  }
}

/** Absent if it cannot be told yet; the restore itself asks again. */
async function revisionOf(file: string, { etcdutl }: SourceRules): Promise<string | undefined> {
  if (etcdutl === undefined) return undefined;
  return snapshotStatus({ etcdutl, etcd: "" }, file).then(
    ({ revision }) => revision,
    () => undefined,
  );
}

/** The part that belongs to a snapshot, by its digest. */
async function pinPart(
  source: SnapshotSource,
  name: string,
  { id, parts = [] }: Manifest,
  rules: SourceRules,
): Promise<PinnedSource> {
  const part = parts.find((each) => each.name === name);
  if (part === undefined) {
    throw new Error(
      `snapshot ${id} holds nothing of the etcd "${name}", which came later; ` +
        "choose a newer one, or take it out of etcd.overrides until this one is restored",
    );
  }
  const target = await openTarget(source.target, { deployment: part.deployment });
  try {
    const listing = await target.list();
    const manifest = chosen(part, target.uri, listing);
    refuseUnfit(manifest, { ...rules, sha256: part.sha256 });
    return pinned(source, target.uri, manifest, listing);
  } finally {
    target.close();
  }
}

/**
 * @throws when it is encrypted with a key that is missing: that must show in the preview, not in the middle of an `up`
 */
function pinned(source: SnapshotSource, targetUri: string, manifest: Manifest, { snapshots }: Listing): PinnedSource {
  const { file, sha256, encryption } = manifest;
  const uri = `${targetUri}/${file}`;
  if (encryption.algorithm !== "none") keyFor(uri, encryption.keyId, encryptionKey(source.encryption));
  return { uri, sha256, manifest, lastSeenRevision: String(highest(snapshots)) };
}

function chosen(
  { id, deployment, there }: Pick<SnapshotSource, "id" | "deployment" | "there">,
  uri: string,
  { snapshots, damaged }: Listing,
): Manifest {
  const found =
    id === "latest" ? newestFirst(snapshots, there?.split(","))[0] : snapshots.find((each) => each.id === id);
  if (found !== undefined) return found;
  const what = id === "latest" ? `no snapshot of ${deployment}` : `no snapshot ${id} of ${deployment}`;
  const bad = damaged.filter((each) => id === "latest" || each.id === id).map((each) => `${each.id}: ${each.problem}`);
  throw new Error(`${uri}: there is ${what}${bad.length === 0 ? "" : ` that is whole: ${bad.join("; ")}`}`);
}

const highest = (snapshots: readonly Manifest[]): bigint =>
  snapshots.map(({ revision }) => BigInt(revision)).reduce((a, b) => (a > b ? a : b), 0n);

function refuseUnfit(manifest: Manifest, rules: SourceRules): void {
  const { id, deployment, etcdVersion } = manifest;
  refuseOther(id, manifest.sha256, rules);
  if (deployment !== rules.deployment && !rules.allowForeignSnapshot) {
    throw new Error(
      `snapshot ${id} is of the Karmada "${deployment}", and this one is "${rules.deployment}"; ` +
        "set allowForeignSnapshot to true if it is to become that one",
    );
  }
  if (minor(etcdVersion) > minor(rules.etcdVersion)) {
    throw new Error(
      `snapshot ${id} was made by etcd ${etcdVersion}, which etcd ${rules.etcdVersion} cannot read; set versions.etcd to ${etcdVersion}`,
    );
  }
}

function refuseOther(subject: string, sha256: string, rules: SourceRules): void {
  if (rules.sha256 === undefined || rules.sha256 === sha256) return;
  throw new Error(`${subject}: its SHA-256 is ${sha256}, want ${rules.sha256}`);
}

/** Comparable: `3006` of `3.6.8`. */
function minor(version: string): number {
  const [major = 0, second = 0] = version.split(".").map(Number);
  return major * 1000 + second;
}
