import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pinSource } from "../../../lib/restore/source.ts";
import { encryptionKey } from "../../../lib/snapshots/key.ts";
import { type Manifest, manifestText } from "../../../lib/snapshots/manifest.ts";
import { latestIn, sampleManifest } from "../snapshots/support.ts";

const directory = mkdtempSync(join(tmpdir(), "source-"));
afterAll(() => rmSync(directory, { recursive: true }));

const rules = { deployment: "prod", etcdVersion: "3.6.6", allowForeignSnapshot: false };
const source = latestIn(directory);

/** Makes a snapshot of a cluster lie in the target. */
function store(clusterId: string, id: string, createdAt: string, revision: string, changes: Partial<Manifest> = {}) {
  const bytes = Buffer.alloc(64);
  const manifest = sampleManifest(bytes, { id, clusterId, createdAt, revision, ...changes });
  mkdirSync(join(directory, "prod"), { recursive: true });
  writeFileSync(join(directory, "prod", manifest.file), bytes);
  writeFileSync(join(directory, "prod", `${id}.json`), manifestText(manifest));
  return manifest;
}

test("the latest is of the cluster that is there, though a clock was ahead when the one before it was saved", async () => {
  const ahead = store("a1", "20270101T000000Z-r900-aaaaaa", "2027-01-01T00:00:00.000Z", "900");
  const now = store("b2", "20261121T120000Z-r500-bbbbbb", "2026-11-21T12:00:00.000Z", "500");
  const latest = async (there: string) => (await pinSource({ ...source, there }, rules)).manifest?.id;
  expect(await latest("b2")).toBe(now.id);
  expect(await latest("b2,c3")).toBe(now.id);
  expect(await latest("a1")).toBe(ahead.id);
  expect(await latest("none")).toBe(ahead.id);
});

test("a snapshot that is encrypted is refused without its key, before anything is done", async () => {
  const id = "20261121T130000Z-r600-cccccc";
  const path = join(directory, "key");
  const writeKey = (digit: string) => writeFileSync(path, digit.repeat(64), { mode: 0o600 });
  const encryption = { kind: "key-file", path } as const;
  writeKey("a");
  const { keyId } = encryptionKey(encryption)!;
  store("d4", id, "2026-11-21T13:00:00.000Z", "600", { encryption: { algorithm: "AES-256-GCM", keyId } });
  const pinned = (change: object) => pinSource({ ...source, id, ...change }, rules);
  expect((await pinned({ encryption })).manifest?.id).toBe(id);
  const subject = `file://${directory}/prod/${id}.db: it is encrypted with the key ${keyId}`;
  await expect(pinned({})).rejects.toThrow(`${subject}\nset snapshots.encryption to that key`);
  writeKey("b");
  await expect(pinned({ encryption })).rejects.toThrow(`${subject}, the one given is `);
  rmSync(path);
  await expect(pinned({ encryption })).rejects.toThrow(`encryption key ${path}: there is no such file`);
});
