import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as tar from "tar";
import { installFrom, type InstallOptions } from "../../../toolchain/install.ts";
import { makeBundle } from "../../../toolchain/bundle.ts";
import { installedSource } from "../../../toolchain/sources/installed.ts";
import { mirrorSource } from "../../../toolchain/sources/mirror.ts";
import { findArtifact, listArtifacts } from "../../../toolchain/store/store.ts";
import { demoSet, here, leftovers, makeSandbox, script, sha256, type Sandbox } from "../support/sandbox.ts";
import { behindLogin, bytes, startWeb, type Answer, type Web } from "../support/web.ts";

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

async function serve(guarded = (answer: Answer) => answer): Promise<void> {
  for (const entry of await readdir(mirror, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    web.answers.set(`/m${path.slice(mirror.length)}`, guarded(bytes(await readFile(path))));
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

describe("a mirror that wants a login", () => {
  const login = "ci:t0k@n";
  const withLogin = () => `${web.base.replace("http://", "http://ci:t0k%40n@")}/m/`;
  const recordFile = () => join(sandbox.store, "programs", here.replace("/", "-"), "demo-1.2.3.json");
  const guard = (answer: Answer) => behindLogin(login, answer);
  const manifestOf = async (name: string): Promise<string> => {
    const file = join(sandbox.directory, `${name}.tar`);
    await makeBundle(sandbox.store, await listArtifacts(sandbox.store), file);
    const into = join(sandbox.directory, name);
    await mkdir(into);
    await tar.x({ file, cwd: into });
    return readFile(join(into, "manifest.json"), "utf8");
  };

  test("is given it, and it is in nothing that is shown, kept or packed", async () => {
    await serve(guard);
    const shown: string[] = [];
    const [artifact] = await obtain(withLogin(), { onProgress: (progress) => shown.push(JSON.stringify(progress)) });
    expect(artifact).toMatchObject({ sha256: sha256(program), address: `${web.base}/m/` });
    const offer = mirrorSource(withLogin()).offers(set, set.programs[0]!, here);
    expect(offer).toBe(`demo 1.2.3 in ${web.base}/m/`);
    const kept = [await readFile(recordFile(), "utf8"), await manifestOf("packed")];
    expect(kept[0]).toContain(`"address": "${web.base}/m/"`);
    for (const text of [...shown, ...kept]) expect(text).not.toMatch(/t0k/);
  });

  test("is named without it in errors", async () => {
    await expect(obtain(withLogin())).rejects.toThrow(`  mirror: ${web.base}/m/manifest.json: HTTP 404\n`);
    await serve((answer) => behindLogin("ci:another", answer));
    await expect(obtain(withLogin())).rejects.toThrow(`  mirror: ${web.base}/m/manifest.json: HTTP 401\n`);
    await serve(guard);
    for (const path of web.answers.keys()) if (path.startsWith("/m/content/")) web.answers.delete(path);
    await expect(obtain(withLogin())).rejects.toThrow(
      new RegExp(`^  mirror: ${web.base}/m/content/\\w+/demo: HTTP 404$`, "m"),
    );
    const other = { ...set, programs: [{ ...set.programs[0]!, version: "9.9.9" }] };
    const options = { sets: [other], sources: [mirrorSource(withLogin())], store: sandbox.store };
    await expect(installFrom(other.programs, options)).rejects.toThrow(`  mirror: ${web.base}/m/ does not have it\n`);
  });

  test("is left out of what a record of an earlier version says, and of bundles with it", async () => {
    await obtain(mirror);
    const record = await readFile(recordFile(), "utf8");
    await writeFile(recordFile(), record.replace(JSON.stringify(mirror), JSON.stringify(withLogin())));
    const [listed] = await listArtifacts(sandbox.store);
    const found = await findArtifact(sandbox.store, set.programs[0]!, here);
    expect([listed?.address, found?.address]).toEqual([`${web.base}/m/`, `${web.base}/m/`]);
    expect(await manifestOf("earlier")).not.toMatch(/t0k/);
  });
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
