/** A deployment that saves itself before it risks its data, and a stack of snapshots beside it. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Manifest } from "../../lib/snapshots/manifest.ts";
import { Programs } from "../support/running.ts";
import { startS3, type S3Server } from "../support/s3.ts";
import { TestStack } from "./support/stack.ts";

const basePort = 23400;
const programs = new Programs(mkdtempSync(join(tmpdir(), "e2e-snapshots-")));
const [automatic, backup] = [join(programs.directory, "automatic"), join(programs.directory, "backup")];
for (const directory of [automatic, backup]) mkdirSync(directory);
let s3: S3Server;
let deployment: TestStack;
let stack: TestStack;

beforeAll(async () => {
  s3 = await startS3(programs, basePort + 90);
  deployment = await TestStack.create(
    {
      etcd: etcd("2Gi"),
      snapshots: { targets: [{ kind: "local", directory: automatic }] },
    },
    basePort,
  );
  await deployment.up();
}, 300_000);
afterAll(async () => {
  await deployment?.remove();
  await programs.remove();
}, 300_000);

describe("before a change that risks the data", () => {
  test("a snapshot of them as they were is taken, and only then they change", async () => {
    expect(manifestsIn(automatic)).toEqual([]);
    deployment.config["etcd"] = etcd("3Gi");
    await deployment.up();
    expect(manifestsIn(automatic)).toMatchObject([{ reason: "before-change", deployment: "test" }]);
    expect(await quota()).toBe(String(3 * 2 ** 30));
    await deployment.successfully(["preview", "--refresh", "--expect-no-changes"]);
  }, 300_000);

  test("they do not change when none can be taken", async () => {
    const file = join(programs.directory, "a-file");
    writeFileSync(file, "");
    deployment.config["etcd"] = etcd("4Gi");
    deployment.config["snapshots"] = { targets: [{ kind: "local", directory: file }] };
    const { exitCode, text } = await deployment.pulumi(["up", "--yes", "--skip-preview"]);
    expect(exitCode).not.toBe(0);
    expect(text).toMatch(/a-file\/test: making the directory: /);
    expect(await quota()).toBe(String(3 * 2 ** 30));
    deployment.config["snapshots"] = { targets: [{ kind: "local", directory: file }], beforeChange: "best-effort" };
    await deployment.up();
    expect(await quota()).toBe(String(4 * 2 ** 30));
  }, 300_000);
});

describe("a stack of snapshots", () => {
  test("an up takes them, proves them by a restore and copies them; the same again changes nothing", async () => {
    const { credentials, ...bucket } = s3.settings;
    stack = await deployment.beside("snapshots", {
      program: "snapshots",
      source: { kind: "stack", stack: deployment.name },
    });
    const secretAccessKey = await stack.secret("test-secret-key");
    stack.config["snapshots"] = {
      targets: [
        { kind: "local", directory: backup },
        { ...bucket, credentials: { ...credentials, secretAccessKey } },
      ],
      verify: "restore",
    };
    take({ karmada: "1.18.2" });
    await stack.up();
    const { uri, manifest, copies } = await snapshot();
    expect(uri).toBe(`file://${backup}/test/${manifest.file}`);
    expect(manifest).toMatchObject({ deployment: "test", reason: "on-demand", verified: { level: "restore" } });
    expect(manifest.totalKeys).toBeGreaterThan(100);
    expect(copies).toEqual([{ uri: "s3://karmada-backup/etcd/test" }]);
    await stack.successfully(["preview", "--refresh", "--expect-no-changes"]);
  }, 300_000);

  test("neither the key of etcd's certificate nor the one of the bucket is in the state", async () => {
    const { etcdAccess } = await deployment.outputs<{ etcdAccess: { key: string } }>();
    const state = await stack.state();
    expect(state).toContain("before-upgrade");
    for (const secret of [etcdAccess.key.split("\n")[1]!, "test-secret-key"]) expect(state).not.toContain(secret);
  }, 60_000);

  test("an edit of its triggers takes another one, and keeps the one before", async () => {
    const before = await snapshot();
    take({ karmada: "1.18.3" });
    await stack.up();
    const { manifest } = await snapshot();
    expect(manifest.id).not.toBe(before.manifest.id);
    expect(ids()).toEqual([before.manifest.id, manifest.id].toSorted());
  }, 300_000);

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
  }, 300_000);

  test("they outlive their stack", async () => {
    const before = ids();
    await stack.successfully(["destroy", "--yes", "--skip-preview"]);
    expect(ids()).toEqual(before);
  }, 60_000);
});

const etcd = (quota: string) => ({ kind: "managed", members: 1, quota });

const take = (triggers: object) => {
  stack.config = { ...stack.config, take: [{ name: "before-upgrade", triggers }] };
};

interface Outputs {
  readonly snapshots: Record<string, { uri: string; manifest: Manifest; copies: { uri: string }[] }>;
}

const snapshot = async () => (await stack.outputs<Outputs>()).snapshots["before-upgrade"]!;

function manifestsIn(directory: string): Manifest[] {
  const files = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".json"));
  return files.map((file) => JSON.parse(readFileSync(join(directory, file), "utf8")) as Manifest);
}

const ids = () =>
  manifestsIn(backup)
    .map(({ id }) => id)
    .toSorted();

/** What the member that runs was started with, in bytes. */
async function quota(): Promise<string | undefined> {
  const commands = (await deployment.processes()).map(({ command }) => command);
  return commands.map((command) => /--name=etcd-0 .*--quota-backend-bytes=(\d+)/.exec(command)?.[1]).find(Boolean);
}
