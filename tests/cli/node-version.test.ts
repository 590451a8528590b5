import { copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";

const check = join(import.meta.dirname, "../../cli/node-version.js");

test("a checkout without its npm packages is told to install them, before anything misses one", async () => {
  const directory = await mkdtemp(join(tmpdir(), "node-version-"));
  try {
    await mkdir(join(directory, "cli"));
    await copyFile(check, join(directory, "cli/node-version.js"));
    const run = () => execa(process.execPath, [join(directory, "cli/node-version.js")], { all: true, reject: false });
    const without = await run();
    expect([without.exitCode, without.all]).toEqual([
      1,
      "The npm packages of this checkout are not installed: run `npm ci`",
    ]);
    await mkdir(join(directory, "node_modules/@pulumi/pulumi"), { recursive: true });
    const whole = await run();
    expect([whole.exitCode, whole.all]).toEqual([0, ""]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
