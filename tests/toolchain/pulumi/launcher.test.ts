import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeExecutable } from "../../../toolchain/pulumi/launcher.ts";
import { canMount, mountTmpfs } from "../../support/mount.ts";

(canMount ? test : test.skip)("a full disk is named, and not filled further with each attempt", async () => {
  const directory = await mkdtemp(join(tmpdir(), "launcher-"));
  const unmount = await mountTmpfs(directory, "64k");
  try {
    const path = join(directory, "program.mjs");
    await writeExecutable(path, "old");
    await expect(writeExecutable(path, "x".repeat(100_000))).rejects.toThrow(
      `${path}: cannot be written: ENOSPC: no space left on device, write`,
    );
    expect(await readdir(directory)).toEqual(["program.mjs"]);
    expect(await readFile(path, "utf8")).toBe("old");
  } finally {
    await unmount();
    await rm(directory, { recursive: true });
  }
});
