import { delimiter } from "node:path";
import { installFrom } from "../../../toolchain/install.ts";
import { installedSource } from "../../../toolchain/sources/installed.ts";
import { demoSet, makeSandbox, script, sha256, type Sandbox } from "../support/sandbox.ts";

let sandbox: Sandbox;
beforeEach(async () => (sandbox = await makeSandbox()));
afterEach(() => sandbox.remove());

const obtain = (set = demoSet()) =>
  installFrom(set.programs, {
    sets: [set],
    sources: [installedSource()],
    store: sandbox.store,
    env: { PATH: ["", `${sandbox.directory}/empty`, `${sandbox.directory}/bin`, "/usr/bin", "/bin"].join(delimiter) },
  });

test("a program on PATH with the wanted version is copied into the store", async () => {
  const path = await sandbox.file("bin/demo", script("demo v1.2.3"), 0o755);
  const [artifact] = await obtain();
  expect(artifact).toMatchObject({
    source: "installed",
    address: path,
    sha256: sha256(script("demo v1.2.3")),
    verified: ["version output"],
  });
  expect(artifact?.path).not.toBe(path);
});

test("the companions of an installed program come along", async () => {
  await sandbox.file("bin/demo", script("demo v1.2.3"), 0o755);
  await sandbox.file("bin/demo-helper", script("helper"), 0o755);
  const release = { address: "http://127.0.0.1:9/", companions: ["demo-helper", "demo-other"] };
  const [artifact] = await obtain(demoSet({ release }));
  expect(artifact?.files.map((file) => file.path)).toEqual(["demo", "demo-helper"]);
});

test.each(["demo v1.2.4", "demo v1.2.30", "demo v1.2.3-rc.1", "demo v11.2.3", "demo v1.2.3.4", "demo v1.2.3+local"])(
  "a program that says %s is not 1.2.3",
  async (says) => {
    const path = await sandbox.file("bin/demo", script(says), 0o755);
    await expect(obtain()).rejects.toThrow(`installed: ${path} version says "${says}", want version 1.2.3`);
  },
);

test("a program that fails to say its version is refused with its output", async () => {
  const path = await sandbox.file("bin/demo", "#!/bin/sh\necho broken >&2\nexit 3\n", 0o755);
  await expect(obtain()).rejects.toThrow(`installed: ${path} version ended with 3: broken`);
});

test("a program that is not on PATH is said so", async () => {
  await sandbox.file("bin/demo", "not executable");
  await expect(obtain()).rejects.toThrow("installed: no demo on PATH");
});
