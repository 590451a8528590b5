import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeWorkspace, writeWorkspace } from "../../cli/stack/workspace.ts";
import { defaultVersions } from "../../toolchain/index.ts";
import { canMount, fillUp, mountTmpfs } from "../support/mount.ts";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "karmada-workspace-"));
});
afterEach(() => rm(root, { recursive: true }));

test("the kubeconfig can be read by this user only, also when it is written anew", async () => {
  await writeWorkspace(root, "dev", "first", defaultVersions);
  const { kubeconfig } = await writeWorkspace(root, "dev", "second", defaultVersions);
  expect(kubeconfig).toBe(join(root, ".karmada", "dev", "kubeconfig"));
  expect(await readFile(kubeconfig, "utf8")).toBe("second");
  expect((await stat(kubeconfig)).mode & 0o777).toBe(0o600);
  expect((await readdir(join(root, ".karmada", "dev"))).sort()).toEqual(["bin", "kubeconfig"]);
});

(canMount ? test : test.skip)(
  "a full disk is named, and leaves the kubeconfig that is there and no part of another",
  async () => {
    const unmount = await mountTmpfs(root, 1);
    try {
      const { kubeconfig } = await writeWorkspace(root, "dev", "first", defaultVersions);
      fillUp(root);
      await expect(writeWorkspace(root, "dev", "second", defaultVersions)).rejects.toThrow(
        `ENOSPC: no space left on device, write '${kubeconfig}'`,
      );
      expect(await readFile(kubeconfig, "utf8")).toBe("first");
      expect((await readdir(join(root, ".karmada", "dev"))).sort()).toEqual(["bin", "kubeconfig"]);
    } finally {
      await unmount();
    }
  },
);

test("one stack's files are removed without those of another, and nothing is left after the last", async () => {
  await writeWorkspace(root, "dev", "x", defaultVersions);
  await writeWorkspace(root, "test", "x", defaultVersions);
  await removeWorkspace(root, "dev");
  expect(await readdir(join(root, ".karmada"))).toEqual(["test"]);
  await removeWorkspace(root, "test");
  await removeWorkspace(root, "test");
  expect(await readdir(root)).toEqual([]);
});
