import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { execa } from "execa";
import { makeBundle, openBundle } from "../../toolchain/bundle.ts";
import { installFrom } from "../../toolchain/install.ts";
import { installedSource } from "../../toolchain/sources/installed.ts";
import { mirrorSource } from "../../toolchain/sources/mirror.ts";
import { Remediable } from "../../toolchain/sources/source.ts";
import { listArtifacts } from "../../toolchain/store/store.ts";
import { canMount, mountTmpfs } from "../support/mount.ts";
import { demo, leftovers, makeSandbox, script, sha256, type Sandbox } from "./support/sandbox.ts";

let sandbox: Sandbox;
const set = { name: "demo-1.2.3", programs: [demo(), demo({ name: "other", main: "other" })] };

beforeAll(async () => {
  sandbox = await makeSandbox();
  await sandbox.file("bin/demo", script("demo v1.2.3", 4000), 0o755);
  await sandbox.file("bin/other", script("other 1.2.3", 2000), 0o755);
  const sources = [installedSource()];
  await installFrom(set.programs, {
    sets: [set],
    sources,
    store: sandbox.store,
    env: { PATH: `${sandbox.directory}/bin` },
  });
});
afterAll(() => sandbox.remove());

let count = 0;
const emptyStore = () => join(sandbox.directory, `store-${count++}`);

const installFromBundle = (file: string, store: string) =>
  openBundle(store, file, (directory) =>
    installFrom(set.programs, { sets: [set], sources: [mirrorSource(directory, file)], store, offline: true }),
  );

const make = async (name: string) => {
  const file = join(sandbox.directory, name);
  const sum = await makeBundle(sandbox.store, await listArtifacts(sandbox.store), file);
  return { file, sum };
};

test.each(["all.tar", "all.tar.gz", "all.tar.zst"])(
  "%s, made and installed elsewhere, has the same bytes",
  async (name) => {
    const { file, sum } = await make(name);
    expect(sum).toBe(sha256(await readFile(file)));
    const store = emptyStore();
    const artifacts = await installFromBundle(file, store);
    expect(artifacts.map((artifact) => artifact.sha256)).toEqual([
      sha256(script("demo v1.2.3", 4000)),
      sha256(script("other 1.2.3", 2000)),
    ]);
    expect(artifacts[0]).toMatchObject({
      source: "mirror",
      address: file,
      verified: ["manifest checksum", "version output"],
    });
    expect(await leftovers(store)).toEqual([]);
  },
);

test("the same artifacts make the same bundle", async () => {
  const one = await make("one.tar");
  await sleep(1100); // times in an archive are of a second
  expect((await make("two.tar")).sum).toBe(one.sum);
});

test("so they do where the umask keeps files from others, who may read what is unpacked", async () => {
  const one = await make("usual.tar");
  const usual = process.umask(0o077);
  const two = await make("own.tar").finally(() => process.umask(usual));
  expect(two.sum).toBe(one.sum);
  const { stdout } = await execa("tar", ["-tvf", two.file]);
  expect(new Set(stdout.split("\n").map((line) => line.slice(0, 10)))).toEqual(new Set(["-rw-r--r--", "-rwxr-xr-x"]));
});

test.each(["changed.tar", "changed.tar.gz", "changed.tar.zst"])(
  "a changed byte anywhere in %s is refused, or changes nothing",
  async (name) => {
    const { file } = await make(name);
    const whole = await readFile(file);
    const step = Math.ceil(whole.length / 60);
    const refused: string[] = [];
    for (let at = 0; at < whole.length; at += step) {
      const changed = Buffer.from(whole);
      changed[at]! ^= 0x55;
      await writeFile(file, changed);
      const store = emptyStore();
      const outcome = await installFromBundle(file, store).catch((error: Error) => error);
      if ("message" in outcome) {
        refused.push(outcome.message);
        expect(outcome.message).toMatch(/was changed: checksum is|damaged|has no|does not have|Invalid|ENOENT/);
      } else {
        expect(outcome.map((artifact) => artifact.sha256)).toContain(sha256(script("demo v1.2.3", 4000)));
      }
      expect(await leftovers(store)).toEqual([]);
      await rm(store, { recursive: true, force: true });
    }
    expect(refused.length).toBeGreaterThan(20);
  },
);

test("a changed byte in a program is refused with the program's name", async () => {
  const { file } = await make("named.tar");
  const whole = await readFile(file);
  whole[whole.indexOf("other 1.2.3")]! ^= 1;
  await writeFile(file, whole);
  await expect(installFromBundle(file, emptyStore())).rejects.toThrow(
    /other 1\.2\.3 for .*: not obtained\n {2}mirror: other in .*\/named\.tar was changed: checksum is [0-9a-f]{64}, want [0-9a-f]{64}\nto do: make the bundle or mirror again/,
  );
});

test("a bundle cut short is refused by its name and where it ends", async () => {
  const { file } = await make("short.tar");
  const whole = await readFile(file);
  await writeFile(file, whole.subarray(0, whole.length / 2));
  await expect(installFromBundle(file, emptyStore())).rejects.toThrow(/\/short\.tar: damaged at or after content\//);
});

test("a file that is no bundle, or not there, is refused by its name", async () => {
  await mkdir(join(sandbox.directory, "x"), { recursive: true });
  const file = await sandbox.file("x/notes.tar", "no archive at all, ".repeat(100));
  await expect(installFromBundle(file, emptyStore())).rejects.toThrow(
    `${file}: not a bundle, or damaged; copy it again`,
  );
  await expect(installFromBundle(sandbox.directory, emptyStore())).rejects.toThrow(
    `${sandbox.directory}: a directory; an unpacked bundle can serve as a mirror, KARMADA_TOOLCHAIN_MIRROR`,
  );
  await expect(installFromBundle("/nowhere/at/all.tar", emptyStore())).rejects.toThrow(
    "/nowhere/at/all.tar: not a bundle of this toolchain, or not there",
  );
});

describe("a bundle on a disk that is full", () => {
  // What does not compress fills the disk by the archive's last write.
  const noise = randomBytes(70_000).toString("hex");
  const wide = { name: "wide-1.2.3", programs: [demo({ name: "wide", main: "wide" })] };
  const store = () => join(sandbox.directory, "wide-store");
  beforeAll(async () => {
    await sandbox.file("wide/wide", `#!/bin/sh\necho wide 1.2.3\nexit 0\n${noise}\n`, 0o755);
    const env = { PATH: `${sandbox.directory}/wide` };
    await installFrom(wide.programs, { sets: [wide], sources: [installedSource()], store: store(), env });
  });

  test.each(["tar", "tar.gz", "tar.zst"])(
    "is refused with what to do wherever it ends, and not there; with room it is made (%s)",
    async (ending) => {
      if (!canMount) return;
      const artifacts = await listArtifacts(store());
      const elsewhere = join(sandbox.directory, `whole.${ending}`);
      const sum = await makeBundle(store(), artifacts, elsewhere);
      const { size } = await stat(elsewhere);
      const directory = join(sandbox.directory, `full-${ending}`);
      const page = 4096;
      for (const room of [page, Math.floor(size / 2 / page) * page, Math.floor((size - 1) / page) * page]) {
        const unmount = await mountTmpfs(directory, `${room / 1024}k`);
        try {
          const file = join(directory, `all.${ending}`);
          const error = (await makeBundle(store(), artifacts, file).catch((thrown: unknown) => thrown)) as Remediable;
          expect(error).toBeInstanceOf(Remediable);
          expect(error.message).toMatch(/\/all\.tar\S*: making the bundle: ENOSPC: no space left on device/);
          expect(error.remedy).toBe(`free disk space in ${directory}, or name another file`);
          expect(await readdir(directory)).toEqual([]);
          await execa("mount", ["-o", "remount,size=8m", directory]);
          expect(await makeBundle(store(), artifacts, file)).toBe(sum);
        } finally {
          await unmount();
        }
      }
      expect(await leftovers(store())).toEqual([]);
    },
  );
});

test("a run killed while it writes a bundle leaves none; the next one makes it and takes away what was left", async () => {
  const file = join(sandbox.directory, "killed/all.tar.gz");
  await mkdir(join(file, ".."));
  await sandbox.file("large/large", Buffer.concat([script("large 1.2.3"), randomBytes(20_000_000)]), 0o755);
  const large = { name: "large-1.2.3", programs: [demo({ name: "large", main: "large" })] };
  const store = join(sandbox.directory, "large-store");
  const env = { PATH: `${sandbox.directory}/large` };
  await installFrom(large.programs, { sets: [large], sources: [installedSource()], store, env });
  const child = spawn(process.execPath, [join(import.meta.dirname, "support/run-bundle.ts"), store, file]);
  const left = () => readdir(join(file, ".."));
  await until(async () => (await left()).length > 0);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await left()).toEqual([expect.stringMatching(/^all\.tar\.gz\..*\.tmp$/)]);
  const theirs = `all.tar.gz.elsewhere~${child.pid}.tmp`; // of another machine, on a disk that both have
  await writeFile(join(file, "..", theirs), "");
  await makeBundle(store, await listArtifacts(store), file);
  expect(await left()).toEqual(["all.tar.gz", theirs]);
  expect(await leftovers(store)).toEqual([]);
});

test("an interrupted run ends at once and leaves nothing", async () => {
  const file = join(sandbox.directory, "interrupted/all.tar");
  await mkdir(join(file, ".."));
  const signal = AbortSignal.abort(new Error("interrupted"));
  await expect(makeBundle(sandbox.store, await listArtifacts(sandbox.store), file, signal)).rejects.toThrow(
    /^interrupted$/,
  );
  expect(await readdir(join(file, ".."))).toEqual([]);
});

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 20_000; !(await condition()); await sleep(20)) {
    if (Date.now() > end) throw new Error("waited 20s in vain");
  }
}
