import { createHash } from "node:crypto";
import type { Manifest } from "../../../lib/snapshots/manifest.ts";

/** A manifest of these bytes. */
export function sampleManifest(bytes: Buffer = Buffer.alloc(64), changes: Partial<Manifest> = {}): Manifest {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const id = changes.id ?? "20261121T120000Z-r42-abcdef";
  return {
    format: 1,
    id,
    deployment: "prod",
    reason: "on-demand",
    createdAt: "2026-11-21T12:00:00.000Z",
    file: `${id}.db`,
    sha256,
    sizeBytes: bytes.length,
    compression: "none",
    encryption: { algorithm: "none" },
    database: { sizeBytes: bytes.length, sha256 },
    revision: "42",
    raftIndex: "50",
    clusterId: "ab12",
    memberId: "cd34",
    memberName: "etcd-0",
    etcdVersion: "3.6.6",
    storageVersion: "3.6.0",
    keyPrefix: "/registry",
    verified: { level: "sha", at: "2026-11-21T12:00:01.000Z" },
    ...changes,
  };
}

/** The source of a restore that takes the latest of a directory. */
export const latestIn = (directory: string) =>
  ({
    kind: "snapshot",
    target: { kind: "local", directory },
    deployment: "prod",
    id: "latest",
    encryption: { kind: "none" },
  }) as const;

/** A stream of these bytes, in pieces. */
export async function* contentOf(bytes: Buffer, size = 10_000): AsyncGenerator<Buffer, void> {
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}

export async function bytesOf(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of content) all.push(piece);
  return Buffer.concat(all);
}
