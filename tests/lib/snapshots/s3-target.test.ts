import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copySnapshot } from "../../../lib/snapshots/copy.ts";
import { DirectoryTarget } from "../../../lib/snapshots/directory-target.ts";
import type { Manifest } from "../../../lib/snapshots/manifest.ts";
import { openTarget } from "../../../lib/snapshots/open-target.ts";
import type { S3Settings } from "../../../lib/snapshots/target-settings.ts";
import { givenAgain, type SnapshotTarget, WantedAgain } from "../../../lib/snapshots/target.ts";
import { verifySnapshot } from "../../../lib/snapshots/verify.ts";
import { Programs } from "../../support/running.ts";
import { type S3Server, startS3 } from "../../support/s3.ts";
import { wayToS3 } from "../../support/way-to-s3.ts";
import { bytesOf, contentOf, sampleManifest } from "./support.ts";

const programs = new Programs(mkdtempSync(join(tmpdir(), "snapshot-s3-")));
let server: S3Server;
beforeAll(async () => {
  server = await startS3(programs, 23200);
});
afterAll(async () => {
  await programs.remove();
});

const open = (changes: Partial<S3Settings> = {}, deployment = "prod") =>
  openTarget({ ...server.settings, ...changes }, { deployment });

async function store(bytes: Buffer, changes: Partial<S3Settings> = {}, id = "20261121T120000Z-r42-abcdef") {
  const target = await open(changes);
  const manifest = sampleManifest(bytes, { id });
  await target.prepare(bytes.length);
  let given = 0;
  await givenAgain(() => {
    given++;
    return target.put(manifest.file, contentOf(bytes, 65_536), bytes.length);
  });
  await target.commit(manifest);
  return { target, manifest, given };
}

test("20 MB come back as they were; listed, found and removed", async () => {
  const bytes = randomBytes(20_000_000);
  const { target, manifest } = await store(bytes);
  expect(target.uri).toBe("s3://karmada-backup/etcd/prod");
  expect(await target.list()).toEqual({ snapshots: [manifest], damaged: [] });
  expect(await target.head(manifest.id)).toEqual({ manifest });
  expect((await bytesOf((await target.get(manifest.file)) as AsyncIterable<Buffer>)).equals(bytes)).toBe(true);
  expect(await (await open({}, "other")).list()).toEqual({ snapshots: [], damaged: [] });
  await target.remove(manifest.id);
  await target.remove(manifest.id);
  expect(await target.head(manifest.id)).toBeUndefined();
});

test("a bit that flipped on the server's disk is found", async () => {
  const { target, manifest } = await store(randomBytes(100_000));
  const path = join(server.directory, "etcd", "prod", manifest.file);
  const stored = readFileSync(path);
  stored[5000]! ^= 1;
  writeFileSync(path, stored);
  await expect(verifySnapshot(target, manifest, "sha", { scratch: "" })).rejects.toThrow(
    `s3://karmada-backup/etcd/prod/${manifest.file}: it is damaged: SHA-256`,
  );
  await target.remove(manifest.id);
});

test("content that breaks off leaves nothing in the bucket, and its own error is what is thrown", async () => {
  const target = await open();
  async function* broken() {
    for (let i = 0; i < 200; i++) yield Buffer.alloc(65_536);
    throw new Error("the member is gone");
  }
  await expect(target.put("20261121T120000Z-r1-abcdef.db", broken(), 20_000_000)).rejects.toThrow(
    /^the member is gone$/,
  );
  expect(await target.list()).toEqual({ snapshots: [], damaged: [] });
});

test("what is stored and not committed is nothing, and goes when nobody has written to it for an hour", async () => {
  const { target, manifest } = await store(randomBytes(1000));
  const unfinished = sampleManifest(randomBytes(1000), { id: "20261121T130000Z-r43-abcdef" });
  await target.put(unfinished.file, contentOf(Buffer.alloc(1000)), 1000);
  expect(await target.head(unfinished.id)).toBeUndefined();
  const there = () => readdirSync(join(server.directory, "etcd", "prod")).filter((file) => !file.startsWith("."));
  const left = [unfinished.file, `${unfinished.id}.unfinished`];
  const whole = [manifest.file, `${manifest.id}.json`];
  await target.prepare(0);
  expect(there().sort()).toEqual([...whole, ...left].sort());
  const old = new Date(Date.now() - 61 * 60_000);
  for (const file of left) utimesSync(join(server.directory, "etcd", "prod", file), old, old);
  expect(await target.list()).toEqual({ snapshots: [manifest], damaged: [] });
  await target.prepare(0);
  expect(there().sort()).toEqual(whole.sort());
  await target.remove(manifest.id);
});

const keys = (accessKeyId: string, secretAccessKey: string) => ({
  credentials: { kind: "keys", accessKeyId, secretAccessKey } as const,
});

test.each([
  [
    "another secret",
    () => keys("test", "wrong"),
    "denied",
    /the server does not accept the credentials: .*SignatureDoesNotMatch/,
  ],
  [
    "another id",
    () => keys("nobody", "wrong"),
    "denied",
    /the server does not accept the credentials: .*No user exists/,
  ],
  ["another bucket", () => ({ bucket: "no-such-bucket" }), "missing", /there is no such bucket\nmake it first$/],
])("with %s it is refused in the operator's words", async (_, changes, fault, message) => {
  const target = await open(changes());
  for (const use of [() => target.prepare(0), () => target.put("a.db", contentOf(Buffer.alloc(10)), 10)])
    await expect(use()).rejects.toMatchObject({ fault, message: expect.stringMatching(message) as string });
});

test("credentials come from a file when it is named", async () => {
  const path = programs.write(
    "credentials",
    "[backup]\naws_access_key_id = test\naws_secret_access_key = test-secret-key\n",
  );
  const target = await open({ credentials: { kind: "file", path, profile: "backup" } });
  await expect(target.prepare(0)).resolves.toBeUndefined();
  const missing = await open({ credentials: { kind: "file", path, profile: "other" } });
  await expect(missing.prepare(0)).rejects.toMatchObject({
    fault: "denied",
    message: expect.stringContaining("no credentials were found") as string,
  });
});

const asBefore = async (target: SnapshotTarget, manifest: Manifest, bytes: Buffer) =>
  expect((await bytesOf((await target.get(manifest.file)) as AsyncIterable<Buffer>)).equals(bytes)).toBe(true);

test("a manifest of which half has come is asked for again, and not to be read is not to be damaged", async () => {
  const { target, manifest } = await store(randomBytes(1000));
  let broken = 2;
  const way = await wayToS3(server, (asked) => (asked.manifest && broken-- > 0 ? "half an answer" : "open"));
  try {
    const far = await open({ endpoint: way.endpoint });
    expect(await far.list()).toEqual({ snapshots: [manifest], damaged: [] });
    broken = 3;
    await expect(far.head(manifest.id)).rejects.toThrow(`s3://karmada-backup/etcd/prod: reading ${manifest.id}.json: `);
    broken = 3;
    await expect(copySnapshot(manifest, target, far)).rejects.toThrow(`reading ${manifest.id}.json: `);
    expect(await target.head(manifest.id)).toEqual({ manifest });
  } finally {
    way.close();
    await target.remove(manifest.id);
  }
});

test("a server that answers 503 for a while, also to an upload that begins, is waited for; the data are asked for once", async () => {
  const way = await wayToS3(server, ({ count }) => (count === 1 || (count > 3 && count < 7) ? "refused" : "open"));
  try {
    const bytes = randomBytes(20_000_000);
    const { target, manifest, given } = await store(bytes, { endpoint: way.endpoint });
    expect(way.asked().filter(({ how }) => how === "refused")).toHaveLength(4);
    expect(given).toBe(1);
    await asBefore(target, manifest, bytes);
    await target.remove(manifest.id);
  } finally {
    way.close();
  }
});

test("data go in one request, and more than S3 takes in one go in parts", async () => {
  const way = await wayToS3(server, () => "open");
  try {
    const bytes = randomBytes(6_000_000);
    const { target, manifest } = await store(bytes, { endpoint: way.endpoint });
    expect(way.uploads()).toEqual(["whole"]);
    await asBefore(target, manifest, bytes);
    await target.put(manifest.file, contentOf(bytes, 65_536), 5 * 2 ** 30 + 1);
    expect(way.uploads()).toEqual(["whole", "begun", "part", "part", "ended"]);
    await asBefore(target, manifest, bytes);
    await target.remove(manifest.id);
  } finally {
    way.close();
  }
});

test.each([
  ["refuses in the middle", "refused late"],
  ["breaks off in the middle", "cut"],
  ["does not say that it compared the checksum", "no checksum"],
] as const)("from a server that %s the data are wanted again, and go in parts then", async (_, how) => {
  const way = await wayToS3(server, ({ upload }) => (upload === "whole" ? how : "open"));
  try {
    const bytes = randomBytes(20_000_000);
    const { target, manifest, given } = await store(bytes, { endpoint: way.endpoint });
    expect(given).toBe(2);
    expect(way.uploads()).toEqual(["whole", "begun", "part", "part", "part", "part", "ended"]);
    await asBefore(target, manifest, bytes);
    await target.remove(manifest.id);
    // Once is enough: the next ones go in parts at once.
    await target.put(manifest.file, contentOf(bytes, 65_536), bytes.length);
    expect(way.uploads().filter((upload) => upload === "whole")).toHaveLength(1);
    await target.remove(manifest.id);
  } finally {
    way.close();
  }
});

test("a copy whose upload breaks off is made in parts as well", async () => {
  const bytes = randomBytes(6_000_000);
  const manifest = sampleManifest(bytes);
  const from = new DirectoryTarget({ directory: join(programs.directory, "from"), apartFrom: [] });
  await from.prepare(0);
  await from.put(manifest.file, contentOf(bytes));
  await from.commit(manifest);
  const way = await wayToS3(server, ({ upload }) => (upload === "whole" ? "cut" : "open"));
  try {
    const target = await open({ endpoint: way.endpoint });
    expect(await copySnapshot(manifest, from, target)).toBe(true);
    expect(way.uploads()).toEqual(["whole", "begun", "part", "part", "ended"]);
    expect(await target.head(manifest.id)).toEqual({ manifest });
    await asBefore(target, manifest, bytes);
    await target.remove(manifest.id);
  } finally {
    way.close();
  }
});

test.each([
  ["fewer", 1_000_001],
  ["more", 999_999],
])("%s bytes than were to come are not stored in one request", async (which, announced) => {
  const target = await open();
  const put = target.put("20261121T120000Z-r1-abcdef.db", contentOf(randomBytes(1_000_000)), announced);
  await expect(put).rejects.toThrow(`${which} bytes came`);
  await expect(put).rejects.toBeInstanceOf(WantedAgain);
  expect(await target.list()).toEqual({ snapshots: [], damaged: [] });
  await expect(target.get("20261121T120000Z-r1-abcdef.db")).rejects.toMatchObject({ fault: "missing" });
});

test("one that goes on answering 503 is given up, and what was there before stays", async () => {
  const { target, manifest } = await store(randomBytes(1000));
  const way = await wayToS3(server, () => "refused");
  try {
    const through = await open({ endpoint: way.endpoint });
    await expect(through.prepare(0)).rejects.toMatchObject({
      fault: "unreachable",
      message: expect.stringMatching(
        /: looking into the bucket: the server answers HTTP 503, after \d+ attempts: /,
      ) as string,
    });
  } finally {
    way.close();
  }
  expect((await target.list()).snapshots).toEqual([manifest]);
  await target.remove(manifest.id);
}, 180_000);

test("a server that is not there is said to be so", async () => {
  const target = await open({ endpoint: "http://127.0.0.1:23299" });
  await expect(target.prepare(0)).rejects.toMatchObject({
    fault: "unreachable",
    message: expect.stringContaining("ECONNREFUSED") as string,
  });
}, 180_000);
