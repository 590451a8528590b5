/** A stack of snapshots: taken by an `up`, shown in outputs, taken again by an edit, repaired after damage. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Manifest } from "../../lib/snapshots/manifest.ts";
import { deadlineIn, waitFor } from "../../lib/wait.ts";
import { startEtcd } from "../support/etcd.ts";
import { clientOf, connectionOf, fill } from "../support/etcd-data.ts";
import { Programs } from "../support/running.ts";
import { startS3 } from "../support/s3.ts";
import { TestStack } from "./support/stack.ts";

const port = 23400;
const programs = new Programs(mkdtempSync(join(tmpdir(), "e2e-snapshots-")));
const backup = join(programs.directory, "backup");
let stack: TestStack;
let config: { source: { key: string }; snapshots: object };

beforeAll(async () => {
  const cluster = await startEtcd(programs, port);
  const client = clientOf(cluster);
  await waitFor("etcd", deadlineIn(60), () => client.call(cluster.endpoints[0]!, "maintenance/status", {}));
  client.close();
  await fill(cluster, 1_000_000);
  const s3 = await startS3(programs, port + 10);
  config = {
    source: { kind: "endpoints", name: "prod", endpoints: cluster.endpoints, ...connectionOf(cluster) } as never,
    snapshots: { targets: [{ kind: "local", directory: backup }, s3.settings], verify: "restore" },
  };
  stack = await TestStack.create({}, port);
}, 120_000);
afterAll(async () => {
  await stack?.remove();
  await programs.stop();
  rmSync(programs.directory, { recursive: true });
}, 120_000);

const take = (triggers: object) => {
  stack.config = { program: "snapshots", ...config, take: [{ name: "before-upgrade", triggers }] };
};
interface Outputs {
  readonly deployment: string;
  readonly snapshots: Record<string, { uri: string; manifest: Manifest; copies: { uri: string }[] }>;
}
const snapshot = async () => (await stack.outputs<Outputs>()).snapshots["before-upgrade"]!;
const manifests = () => readdirSync(join(backup, "prod")).filter((file) => file.endsWith(".json"));

test("an up takes it, proves it by a restore and copies it; the same again changes nothing", async () => {
  take({ karmada: "1.18.2" });
  await stack.up();
  const { uri, manifest, copies } = await snapshot();
  expect(uri).toBe(`file://${backup}/prod/${manifest.file}`);
  expect(manifest).toMatchObject({ deployment: "prod", totalKeys: 10, verified: { level: "restore" } });
  expect(copies).toEqual([{ uri: "s3://karmada-backup/etcd/prod" }]);
  await stack.successfully(["preview", "--refresh", "--expect-no-changes"]);
}, 180_000);

test("neither the key of the certificate nor the one of the bucket is in the state", async () => {
  const state = await stack.state();
  expect(state).toContain("before-upgrade");
  for (const secret of [config.source.key.split("\n")[1]!, "test-secret-key"]) expect(state).not.toContain(secret);
}, 60_000);

test("an edit of its triggers takes another one, and keeps the one before", async () => {
  const before = await snapshot();
  take({ karmada: "1.18.3" });
  const { text } = await stack.preview();
  expect(text).toMatch(/replace/);
  await stack.up();
  const { manifest } = await snapshot();
  expect(manifest.id).not.toBe(before.manifest.id);
  expect(manifests().toSorted()).toEqual([before.manifest.id, manifest.id].map((id) => `${id}.json`).toSorted());
}, 180_000);

test("one that was damaged is noticed by a refresh and repaired from its copy", async () => {
  const { uri, manifest } = await snapshot();
  const path = uri.slice("file://".length);
  const whole = readFileSync(path);
  const damaged = Buffer.from(whole);
  damaged[5000]! ^= 1;
  writeFileSync(path, damaged);
  const { text } = await stack.pulumi(["preview", "--refresh", "--diff"]);
  expect(text).toContain(`${uri}: it is damaged`);
  await stack.up("--refresh");
  expect(readFileSync(path).equals(whole)).toBe(true);
  expect((await snapshot()).manifest).toEqual(manifest);
}, 180_000);
