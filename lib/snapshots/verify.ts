import { DamagedSnapshot, plainContent, storedContent, toTheEnd, withPlainFile } from "./contents.ts";
import type { DrillResult } from "./drill.ts";
import type { EncryptionKey } from "./key.ts";
import { isPart, type Manifest, type VerifyLevel, wholeDatabase } from "./manifest.ts";
import type { SnapshotTarget } from "./target.ts";
import { type EtcdTools, type SnapshotStatus, snapshotStatus } from "./tools.ts";

export interface VerifyOptions {
  readonly key?: EncryptionKey | undefined;
  /** Needed from level `status` on. */
  readonly tools?: EtcdTools | undefined;
  /** An existing directory with room for the database, twice for a drill. */
  readonly scratch: string;
}

export interface Proof {
  /** Updated with the new verification, for `target.commit`. */
  readonly manifest: Manifest;
  /** Result of the restore drill, at level `restore`. */
  readonly drill?: DrillResult;
}

/**
 * Verifies a stored snapshot again, from what the target returns now. `sha`: every byte is as stored, which needs no
 * key even if it is encrypted. `status`: etcd's tool can read its structure, and finds what the manifest says.
 * `restore`: an etcd starts from it and serves the keys.
 *
 * @throws DamagedSnapshot when it is damaged; other errors mean that it could not be judged
 */
export async function verifySnapshot(
  target: SnapshotTarget,
  manifest: Manifest,
  level: VerifyLevel,
  options: VerifyOptions,
): Promise<Proof> {
  const proved = () => ({ ...manifest, verified: { level, at: new Date().toISOString() } });
  if (level === "sha") {
    const whole = options.key === undefined || manifest.encryption.algorithm === "none";
    await toTheEnd(whole ? storedContent(target, manifest) : plainContent(target, manifest, options.key));
    return { manifest: proved() };
  }
  return withPlainFile(target, manifest, options, async (path) => {
    const subject = `${target.uri}/${manifest.file}`;
    const { status, drill } = await proveFile(path, level, manifest, options);
    const different = differences(manifest, status);
    if (different.length > 0) throw new DamagedSnapshot(`${subject}: it is another snapshot: ${different.join(", ")}`);
    return { manifest: { ...proved(), ...status }, ...(drill !== undefined && { drill }) };
  });
}

/** The verdict of etcd's tools on a plain snapshot file that is known to be complete. */
export async function proveFile(
  path: string,
  level: Exclude<VerifyLevel, "sha">,
  {
    deployment,
    keyPrefix,
    database,
  }: Pick<Manifest, "deployment" | "keyPrefix"> & { readonly database: Pick<Manifest["database"], "sizeBytes"> },
  { tools, scratch }: VerifyOptions,
): Promise<{ readonly status: SnapshotStatus; readonly drill?: DrillResult }> {
  if (tools === undefined) throw new Error(`proving a snapshot by ${level} takes etcd's programs, and none were given`);
  const status = await snapshotStatus(tools, path);
  if (level === "status") return { status };
  const seconds = secondsFor(database.sizeBytes);
  // An etcd by itself is there before the first control plane that uses it.
  const mayBeEmpty = isPart(deployment) || keyPrefix === wholeDatabase;
  // execa, with which it starts etcd, takes 13 MB that most snapshots need not spend.
  const { drill } = await import("./drill.ts");
  return {
    status,
    drill: await drill(tools, path, { scratch, keyPrefix, least: mayBeEmpty ? 0 : 1, seconds }),
  };
}

/** Time limit for work on a database of this size: a slow disk or network gives 5 MB a second. */
export const secondsFor = (bytes: number): number => 60 + bytes / 5_000_000;

function differences(manifest: Manifest, status: SnapshotStatus): string[] {
  return (["dbHash", "revision", "totalKeys"] as const).flatMap((name) =>
    manifest[name] === undefined || manifest.verified.level === "sha" || manifest[name] === status[name]
      ? []
      : `${name} is ${status[name]}, want ${manifest[name]}`,
  );
}
