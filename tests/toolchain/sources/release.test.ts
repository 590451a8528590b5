import { readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { installFrom } from "../../../toolchain/install.ts";
import type { Program, ProgramSet, Release } from "../../../toolchain/program.ts";
import { releaseSource } from "../../../toolchain/sources/release.ts";
import { canMount, mountTmpfs } from "../../support/mount.ts";
import {
  archiveOf,
  demo,
  demoSet,
  here,
  leftovers,
  makeSandbox,
  script,
  sha256,
  type Sandbox,
} from "../support/sandbox.ts";
import { bytes, redirect, slowly, startWeb, trickle, truncated, truncatedOnce, type Web } from "../support/web.ts";

let sandbox: Sandbox;
let web: Web;
beforeEach(async () => {
  sandbox = await makeSandbox();
  web = await startWeb();
});
afterEach(async () => {
  await web.close();
  await sandbox.remove();
});

const program = script("demo v1.2.3", 99_999);
const releaseOf = (more: Partial<Release> = {}): Release => ({
  address: `${web.base}/v{version}/demo-{os}-{arch}`,
  ...more,
});
const path = `/v1.2.3/demo-${here.replace("/", "-")}`;

const obtain = (set: ProgramSet, options: { idleSeconds?: number; connectSeconds?: number } = {}) =>
  installFrom(set.programs, {
    sets: [set],
    sources: [releaseSource()],
    store: sandbox.store,
    http: { idleSeconds: 5, connectSeconds: 1, ...options },
  });

const failure = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => Promise.reject(new Error("was expected to fail")),
    (error: Error) => error,
  );

test("a download with the publisher's checksum is installed, recorded and executable", async () => {
  web.answers.set(path, bytes(program));
  web.answers.set(`${path}.sha256`, bytes(sha256(program)));
  const [artifact] = await obtain(demoSet({ release: releaseOf({ checksums: `${web.base}${path}.sha256` }) }));
  expect(artifact).toMatchObject({
    name: "demo",
    version: "1.2.3",
    platform: here,
    source: "release",
    address: `${web.base}${path}`,
    sha256: sha256(program),
    verified: ["publisher's checksum", "download checksum first use", "version output"],
  });
  expect(await readFile(artifact!.path)).toEqual(program);
  expect(await leftovers(sandbox.store)).toEqual([]);
});

test("programs of one archive share one download", async () => {
  const archive = await archiveOf(sandbox, { "demo-1.2.3/demo": program, "demo-1.2.3/other": script("other 1.2.3") });
  web.answers.set("/demo.tar.gz", bytes(archive));
  web.answers.set("/SHA256SUMS", bytes(`${sha256("x")}  else.tar.gz\n${sha256(archive)}  demo.tar.gz\n`));
  const release = (name: string) => ({
    release: {
      address: `${web.base}/demo.tar.gz`,
      checksums: `${web.base}/SHA256SUMS`,
      member: `demo-{version}/${name}`,
    },
  });
  const set = {
    ...demoSet(),
    programs: [demo(release("demo")), demo({ name: "other", main: "other", ...release("other") })],
  };
  const artifacts = await obtain(set);
  expect(artifacts.map((artifact) => artifact.sha256)).toEqual([sha256(program), sha256(script("other 1.2.3"))]);
  expect(web.requests.filter((request) => request === "GET /demo.tar.gz")).toHaveLength(1);
});

test("companions beside the executable are kept with it, when the archive has them", async () => {
  const archive = await archiveOf(sandbox, { "demo/demo": program, "demo/demo-helper": "helper" });
  web.answers.set("/demo.tgz", bytes(archive));
  const [artifact] = await obtain(
    demoSet({
      release: releaseOf({
        address: `${web.base}/demo.tgz`,
        member: "demo/demo",
        companions: ["demo-helper", "absent"],
      }),
    }),
  );
  expect(artifact?.files.map((file) => file.path)).toEqual(["demo", "demo-helper"]);
});

test("a directory of files is taken by its entries and compared with the pinned content", async () => {
  const archive = await archiveOf(sandbox, { "crds/bases/a.yaml": "a: 1\n", "crds/notes.md": "not wanted" });
  web.answers.set("/crds.tar.gz", bytes(archive));
  const files = (contentSha256?: string): Program =>
    demo({
      kind: "files",
      main: "crds",
      entries: ["bases/"],
      release: { address: `${web.base}/crds.tar.gz`, member: "crds" },
      ...(contentSha256 === undefined ? {} : { contentSha256 }),
    });
  const wrong = await failure(obtain({ name: "files", programs: [files("0".repeat(64))] }));
  expect(wrong.message).toMatch(/release: content checksum is [0-9a-f]{64}, the pinned list says 0{64}/);
  const [artifact] = await obtain({ name: "files", programs: [files()] });
  expect(artifact).toMatchObject({ platform: "any", files: [{ path: "crds/bases/a.yaml", executable: false }] });
});

test("redirects are followed", async () => {
  web.answers.set(path, redirect("/storage/demo"));
  web.answers.set("/storage/demo", bytes(program));
  const [artifact] = await obtain(demoSet({ release: releaseOf() }));
  expect(artifact?.sha256).toBe(sha256(program));
});

test("404 is one error that names program, platform, address and remedy, asked once", async () => {
  const error = await failure(obtain(demoSet({ release: releaseOf() })));
  expect(error.message).toBe(
    `demo 1.2.3 for ${here}: not obtained\n` +
      `  release: ${web.base}${path}: HTTP 404\n` +
      "to do: name a mirror (KARMADA_TOOLCHAIN_MIRROR), or install a bundle made elsewhere (npm run toolchain -- --from FILE)",
  );
  expect(web.requests).toHaveLength(1);
  expect(await leftovers(sandbox.store)).toEqual([]);
});

test("a body cut short is taken up where it broke", async () => {
  web.answers.set(path, truncatedOnce(program, bytes(program)));
  web.answers.set("/sum", bytes(sha256(program)));
  const [artifact] = await obtain(demoSet({ release: releaseOf({ checksums: `${web.base}/sum` }) }));
  expect(artifact?.sha256).toBe(sha256(program));
  expect(web.requests.filter((request) => request.includes("bytes="))).toEqual([
    `GET ${path} bytes=${program.length / 2}-`,
  ]);
});

test("what two platforms share may be downloaded for both at once", async () => {
  const archive = await archiveOf(sandbox, { "crds/bases/a.yaml": `a: ${"1".repeat(9999)}\n` });
  web.answers.set("/crds.tar.gz", slowly(archive));
  const release = { address: `${web.base}/crds.tar.gz`, member: "crds" };
  const set = demoSet({ kind: "files", main: "crds", entries: ["bases/"], release });
  const obtained = await Promise.all(
    (["linux/amd64", "linux/arm64"] as const).map(async (platform, i) => {
      await sleep(i * 100);
      return installFrom(set.programs, { sets: [set], sources: [releaseSource()], store: sandbox.store, platform });
    }),
  );
  const whole = { name: "demo", platform: "any", files: [{ path: "crds/bases/a.yaml" }] };
  expect(obtained).toMatchObject([[whole], [whole]]);
  expect(await leftovers(sandbox.store)).toEqual([]);
});

test("a body that is always cut short is an error after three attempts, and nothing is left", async () => {
  web.answers.set(path, truncated(program));
  const error = await failure(obtain(demoSet({ release: releaseOf() })));
  expect(error.message).toContain(
    `release: ${web.base}${path}: the connection broke after ${program.length / 2} of ${program.length} bytes`,
  );
  expect(web.requests).toHaveLength(3);
  expect(await leftovers(sandbox.store)).toEqual([]);
});

test("a download that differs from the publisher's checksum is refused, and nothing is left", async () => {
  web.answers.set(path, bytes(program));
  web.answers.set("/sum", bytes(`${"0".repeat(64)}\n`));
  const error = await failure(obtain(demoSet({ release: releaseOf({ checksums: `${web.base}/sum` }) })));
  expect(error.message).toContain(
    `release: ${web.base}${path}: checksum is ${sha256(program)}, the publisher says ${"0".repeat(64)}`,
  );
  expect(await leftovers(sandbox.store)).toEqual([]);
  expect(await readdir(join(sandbox.store, "content")).catch(() => [])).toEqual([]);
});

test("a checksum file that does not name the download is refused before anything is downloaded", async () => {
  web.answers.set(path, bytes(program));
  web.answers.set("/sums", bytes(`${sha256(program)}  something-else\n`));
  const error = await failure(obtain(demoSet({ release: releaseOf({ checksums: `${web.base}/sums` }) })));
  expect(error.message).toContain(`${web.base}/sums: has no checksum of demo-${here.replace("/", "-")}`);
  expect(web.requests).toEqual(["GET /sums"]);
});

test("a disk that is full while an archive is unpacked is named with what to do", async () => {
  const archive = await archiveOf(sandbox, { demo: script("demo v1.2.3", 500_000) });
  const set = demoSet({ release: releaseOf({ address: `${web.base}/demo.tgz`, member: "demo" }) });
  web.answers.set("/demo.tgz", bytes(archive));
  if (!canMount) return;
  const unmount = await mountTmpfs(sandbox.store, "256k");
  try {
    const error = await failure(obtain(set));
    expect(error.message).toMatch(/release: http:.*\/demo\.tgz: ENOSPC/);
    expect(error.message).toContain(`to do: free disk space below ${sandbox.store}, or name another place with`);
    expect(await leftovers(sandbox.store)).toEqual([]);
  } finally {
    await unmount();
  }
});

test("what an address served first is pinned: other bytes later are refused", async () => {
  web.answers.set(path, bytes(program));
  await obtain(demoSet({ release: releaseOf() }));
  await rm(join(sandbox.store, "content"), { recursive: true });
  web.answers.set(path, bytes(script("demo v1.2.3", 7)));
  const error = await failure(obtain(demoSet({ release: releaseOf() })));
  expect(error.message).toContain(`but ${sha256(program)} was pinned when it was first used`);
});

test("a slow body is given up", async () => {
  web.answers.set(path, trickle);
  const error = await failure(obtain(demoSet({ release: releaseOf() }), { idleSeconds: 0.5 }));
  expect(error.message).toMatch(/too slow, \d+ bytes in 0.5s/);
});

test("a program of another version than it should be is refused", async () => {
  web.answers.set(path, bytes(script("demo v1.2.30")));
  const error = await failure(obtain(demoSet({ release: releaseOf() })));
  expect(error.message).toContain('demo version says "demo v1.2.30", want version 1.2.3');
});

test("a host that never answers costs one short deadline for all its programs", async () => {
  const sockets = new Set<{ destroy(): void }>();
  const silent = createServer((socket) => void sockets.add(socket));
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const names = ["a", "b", "c", "d"];
  const programs = names.map((name) => demo({ name, release: { address: `https://${host}/${name}` } }));
  const started = performance.now();
  const error = await failure(obtain({ name: "silent", programs }, { connectSeconds: 0.5 }));
  expect(performance.now() - started).toBeLessThan(1500);
  expect(error.message).toContain(
    `a 1.2.3, b 1.2.3, c 1.2.3, d 1.2.3 for ${here}: not obtained\n` +
      `  release: ${host} cannot be reached (no connection within 0.5s)\n`,
  );
  for (const socket of sockets) socket.destroy();
  silent.close();
});

test("a release is not tried offline", async () => {
  const set = demoSet({ release: releaseOf() });
  const options = { sets: [set], sources: [releaseSource()], store: sandbox.store, offline: true };
  const error = await failure(installFrom(set.programs, options));
  expect(error.message).toContain("  release: not tried offline\n");
  expect(web.requests).toEqual([]);
});
