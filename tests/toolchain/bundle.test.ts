import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeBundle, openBundle } from "../../toolchain/bundle.ts";
import { installFrom } from "../../toolchain/install.ts";
import { installedSource } from "../../toolchain/sources/installed.ts";
import { mirrorSource } from "../../toolchain/sources/mirror.ts";
import { listArtifacts } from "../../toolchain/store/store.ts";
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
