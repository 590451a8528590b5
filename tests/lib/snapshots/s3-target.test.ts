import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTarget } from "../../../lib/snapshots/open-target.ts";
import type { S3Settings } from "../../../lib/snapshots/target-settings.ts";
import { verifySnapshot } from "../../../lib/snapshots/verify.ts";
import { Programs } from "../../support/running.ts";
import { type S3Server, startS3 } from "../../support/s3.ts";
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
  await target.put(manifest.file, contentOf(bytes, 65_536), bytes.length);
  await target.commit(manifest);
  return { target, manifest };
}

test("20 MB in parts come back as they were; listed, found and removed", async () => {
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

test("a server that answers 503 for a while, also in the middle of an upload, is waited for", async () => {
  const proxy = await unavailable((count) => count === 1 || (count > 3 && count < 7));
  try {
    const bytes = randomBytes(20_000_000);
    const { target, manifest } = await store(bytes, { endpoint: proxy.endpoint });
    expect(proxy.refused()).toBe(4);
    expect((await bytesOf((await target.get(manifest.file)) as AsyncIterable<Buffer>)).equals(bytes)).toBe(true);
    await target.remove(manifest.id);
  } finally {
    proxy.close();
  }
});

test("one that goes on answering 503 is given up, and what was there before stays", async () => {
  const { target, manifest } = await store(randomBytes(1000));
  const proxy = await unavailable(() => true);
  try {
    const through = await open({ endpoint: proxy.endpoint });
    await expect(through.prepare(0)).rejects.toMatchObject({
      fault: "unreachable",
      message: expect.stringMatching(
        /: looking into the bucket: the server answers HTTP 503, after \d+ attempts: /,
      ) as string,
    });
  } finally {
    proxy.close();
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

/** A way to the server on which the requests chosen by their number, from 1, are answered 503. */
async function unavailable(chosen: (count: number) => boolean) {
  let count = 0;
  let refused = 0;
  const proxy = createServer((near, answer) => {
    if (chosen(++count)) {
      refused++;
      near.resume();
      answer.writeHead(503, { "content-type": "application/xml" });
      answer.end("<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>");
      return;
    }
    const { method, url, headers } = near;
    const far = request(server.settings.endpoint! + url!, { method, headers }, (response) => {
      answer.writeHead(response.statusCode!, response.headers);
      response.pipe(answer);
    });
    near.pipe(far);
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return {
    endpoint: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    refused: () => refused,
    close() {
      proxy.close();
      proxy.closeAllConnections();
    },
  };
}
