import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as tar from "tar";
import { installFrom, type InstallOptions } from "../../../toolchain/install.ts";
import { makeBundle } from "../../../toolchain/bundle.ts";
import { installedSource } from "../../../toolchain/sources/installed.ts";
import { mirrorSource } from "../../../toolchain/sources/mirror.ts";
import { demoSet, here, leftovers, makeSandbox, script, sha256, type Sandbox } from "../support/sandbox.ts";
import { bytes, startWeb, type Web } from "../support/web.ts";

let sandbox: Sandbox;
let web: Web;
let mirror: string;
const program = script("demo v1.2.3", 3000);
const set = demoSet();

beforeEach(async () => {
  sandbox = await makeSandbox();
  web = await startWeb();
  await sandbox.file("bin/demo", program, 0o755);
  const source = join(sandbox.directory, "source-store");
  const options = { sources: [installedSource()], store: source, env: { PATH: `${sandbox.directory}/bin` } };
  const artifacts = await installFrom(set.programs, { sets: [set], ...options });
  await makeBundle(source, artifacts, join(sandbox.directory, "demo.tar"));
  mirror = join(sandbox.directory, "mirror");
  await mkdir(mirror);
  await tar.x({ file: join(sandbox.directory, "demo.tar"), cwd: mirror });
});
afterEach(async () => {
  await web.close();
  await sandbox.remove();
});

const obtain = (location: string | undefined, more: Partial<InstallOptions> = {}) =>
  installFrom(set.programs, { sets: [set], sources: [mirrorSource(location)], store: sandbox.store, ...more });

async function serve(): Promise<void> {
  for (const entry of await readdir(mirror, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    web.answers.set(`/m${path.slice(mirror.length)}`, bytes(await readFile(path)));
  }
}

test("a mirror directory serves without network, and what it verified stays on record", async () => {
  const [artifact] = await obtain(mirror, { offline: true });
  expect(artifact).toMatchObject({
    source: "mirror",
    address: mirror,
    sha256: sha256(program),
    verified: ["manifest checksum", "version output"],
  });
});

test("a mirror serves over HTTP", async () => {
  await serve();
  const [artifact] = await obtain(`${web.base}/m/`);
  expect(artifact).toMatchObject({ source: "mirror", sha256: sha256(program) });
  expect(await leftovers(sandbox.store)).toEqual([]);
});

test("a mirror over HTTP is not asked offline", async () => {
  await expect(obtain(`${web.base}/m/`, { offline: true })).rejects.toThrow("mirror: not tried offline");
  expect(web.requests).toEqual([]);
});

test("a changed byte in a mirror's file is refused by name", async () => {
  const [content] = await readdir(join(mirror, "content"));
  const path = join(mirror, "content", content!, "demo");
  const changed = Buffer.from(program);
  changed[40]! ^= 1;
  await writeFile(path, changed);
  await expect(obtain(mirror)).rejects.toThrow(
    `mirror: demo in ${mirror} was changed: checksum is ${sha256(changed)}, want ${sha256(program)}`,
  );
  expect(await leftovers(sandbox.store)).toEqual([]);
});

test("a changed byte in the manifest is refused by name", async () => {
  const path = join(mirror, "manifest.json");
  await writeFile(path, (await readFile(path, "utf8")).replace("installed", "Installed"));
  await expect(obtain(mirror)).rejects.toThrow(/mirror: manifest\.json in .*\/mirror was changed: checksum is/);
});

test("a program the mirror does not have is said so", async () => {
  const other = { ...set, programs: [{ ...set.programs[0]!, version: "9.9.9" }] };
  const options = { sets: [other], sources: [mirrorSource(mirror)], store: sandbox.store };
  await expect(installFrom(other.programs, options)).rejects.toThrow(
    `demo 9.9.9 for ${here}: not obtained\n  mirror: ${mirror} does not have it\n`,
  );
});

test("no mirror configured is no source", async () => {
  await expect(obtain(undefined)).rejects.toThrow("no source has it for this platform");
});
