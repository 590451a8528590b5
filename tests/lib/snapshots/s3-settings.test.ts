/** What the settings of a bucket come to on the wire, at a real S3 server behind a proxy with TLS that notes what is asked. */
import dns from "node:dns";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { type IncomingHttpHeaders, request } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo, LookupFunction } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTarget } from "../../../lib/snapshots/open-target.ts";
import type { S3Settings } from "../../../lib/snapshots/target-settings.ts";
import { type Authority, createAuthority } from "../../support/certificates.ts";
import { Programs } from "../../support/running.ts";
import { type S3Server, startS3 } from "../../support/s3.ts";
import { bytesOf, contentOf, sampleManifest } from "./support.ts";

interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

const programs = new Programs(mkdtempSync(join(tmpdir(), "snapshot-s3-settings-")));
const asked: Asked[] = [];
let authority: Authority;
let server: S3Server;
let proxy: Server;
let endpoint: string;

beforeAll(async () => {
  server = await startS3(programs, 23210, "karmada-backup", "127.0.0.1", ["--virtual-domain", "localhost"]);
  authority = await createAuthority("s3");
  const hosts = ["localhost", "karmada-backup.localhost"];
  const { certificate: cert, key } = await authority.issue({ commonName: "s3", hosts });
  proxy = createServer({ cert, key }, (near, answer) => {
    const { method = "", url = "", headers } = near;
    asked.push({ method, url, headers });
    const far = request(server.settings.endpoint + url, { method, headers }, (response) => {
      answer.writeHead(response.statusCode!, response.headers);
      response.pipe(answer);
    });
    near.pipe(far);
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  endpoint = `https://localhost:${(proxy.address() as AddressInfo).port}`;
});
afterAll(async () => {
  proxy.close();
  proxy.closeAllConnections();
  await programs.remove();
});
beforeEach(() => asked.splice(0));

const open = (changes: Partial<S3Settings>) =>
  openTarget({ ...server.settings, endpoint, ca: authority.certificate, ...changes }, { deployment: "prod" });

/** Stores 6 MB, in two parts, and reads them back. */
async function store(changes: Partial<S3Settings> = {}) {
  const bytes = randomBytes(6_000_000);
  const target = await open(changes);
  const manifest = sampleManifest(bytes, { id: "20261121T120000Z-r42-abcdef" });
  await target.prepare(bytes.length);
  await target.put(manifest.file, contentOf(bytes, 65_536), bytes.length);
  await target.commit(manifest);
  expect((await bytesOf((await target.get(manifest.file)) as AsyncIterable<Buffer>)).equals(bytes)).toBe(true);
  await target.remove(manifest.id);
  return manifest;
}

/** Of what begins an object; the parts of one follow what began it. */
const writes = () =>
  asked.filter(({ method, url }) =>
    method === "POST" ? /[?&]uploads/.test(url) : method === "PUT" && !url.includes("partNumber="),
  );

test("a server whose certificate a private authority has signed is spoken to where that is given, and else refused", async () => {
  await store();
  expect(asked.length).toBeGreaterThan(5);
  const untrusted = await openTarget({ ...server.settings, endpoint }, { deployment: "prod" });
  await expect(untrusted.prepare(0)).rejects.toThrow(/unable to verify the first certificate|self-signed|issuer/i);
});

test.each([
  [{ serverSideEncryption: "AES256" } as const, { "x-amz-server-side-encryption": "AES256" }],
  [
    { serverSideEncryption: "aws:kms", kmsKeyId: "backups" } as const,
    { "x-amz-server-side-encryption": "aws:kms", "x-amz-server-side-encryption-aws-kms-key-id": "backups" },
  ],
])("%j is asked for with everything that is written", async (settings, headers) => {
  await store(settings);
  // The note that it is unfinished, the data, the manifest.
  expect(writes().length).toBeGreaterThanOrEqual(3);
  for (const write of writes()) expect(write.headers).toMatchObject(headers);
});

test("nothing is asked of the server's encryption unless it is wanted", async () => {
  await store();
  for (const { headers } of asked) expect(Object.keys(headers).join()).not.toContain("server-side-encryption");
});

test("the bucket is in the path with an endpoint, and in the name of the host where that is wanted", async () => {
  await store();
  for (const { url } of asked) expect(url).toMatch(/^\/karmada-backup(\/|\?|$)/);
  asked.splice(0);
  const lookup = dns.lookup;
  // As a name server would have it that knows every bucket.
  const known: LookupFunction = (name, options, callback) =>
    lookup(name.replace(/^.*\.localhost$/, "localhost"), options, callback);
  Object.assign(dns, { lookup: known });
  try {
    const { file } = await store({ pathStyle: false });
    expect(asked.map(({ url }) => url.split("?")[0])).toContain(`/etcd/prod/${file}`);
    for (const { headers } of asked) expect(headers.host).toBe(`karmada-backup.${new URL(endpoint).host}`);
  } finally {
    Object.assign(dns, { lookup });
  }
});
