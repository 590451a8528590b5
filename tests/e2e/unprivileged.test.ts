/** A local deployment by a user who is nobody: what runs on one machine needs no root. */
import { chown, mkdir, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { storeDirectory } from "../../toolchain/index.ts";
import { mountBind, mountTmpfs } from "../support/mount.ts";
import { nobody, withoutNobody } from "../support/nobody.ts";
import { kubectlFor } from "./support/kubectl.ts";
import { TestStack } from "./support/stack.ts";

const missing = withoutNobody("a local deployment without root");

(missing === undefined ? describe : describe.skip)("a local deployment by a user without any rights", () => {
  let home: string;
  let stack: TestStack | undefined;
  const unmount: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), "nobody-"));
    // The checkout and the programs may lie where only root comes to.
    const [checkout, store] = [join(home, "checkout"), join(home, "store")];
    unmount.push(await mountBind(join(import.meta.dirname, "../.."), checkout));
    unmount.push(await mountBind(storeDirectory(), store));
    // What pulumi's own home has belongs to whoever made it.
    const pulumiHome = join(checkout, ".pulumi");
    unmount.push(await mountTmpfs(pulumiHome, 1024));
    const own = join(home, "own");
    await mkdir(own);
    for (const path of [home, own, pulumiHome]) await chown(path, nobody, nobody);
    const user = [`--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups", "--bounding-set=-all", "--no-new-privs"];
    stack = await TestStack.create({ etcd: { kind: "managed", members: 1 } }, 19000, {
      prefix: ["setpriv", ...user],
      env: { HOME: own, KARMADA_TOOLCHAIN_DIR: store, XDG_STATE_HOME: join(own, "state") },
      checkout,
      owner: nobody,
    });
  }, 60_000);

  afterAll(async () => {
    await stack?.remove();
    for (const each of unmount.reverse()) await each();
    await rm(home, { recursive: true, force: true });
  }, 120_000);

  test("comes up, and everything runs and is kept as that user", async () => {
    await stack!.up();
    const { kubeconfig } = await stack!.outputs<{ kubeconfig: string }>();
    const { kubectl, remove } = await kubectlFor(kubeconfig);
    try {
      expect((await kubectl.get("apiservice", "v1alpha1.cluster.karmada.io")).status.conditions).toContainEqual(
        expect.objectContaining({ type: "Available", status: "True" }),
      );
    } finally {
      await remove();
    }
    const running = await stack!.processes();
    expect(running.length).toBeGreaterThan(7);
    for (const { pid } of running) {
      const status = await readFile(`/proc/${pid}/status`, "utf8");
      expect(status).toMatch(/^Uid:\s+65534\s+65534\s+65534\s+65534$/m);
      expect(status).toMatch(/^CapEff:\s+0+$/m);
    }
    for (const name of await readdir(stack!.directory, { recursive: true })) {
      const found = await stat(join(stack!.directory, name)).catch(() => undefined); // a log may be rotated meanwhile
      if (found !== undefined) expect([name, found.uid]).toEqual([name, nobody]);
    }
    await stack!.successfully(["preview", "--expect-no-changes"]);
  }, 240_000);

  test("is destroyed by that user, and nothing is left", async () => {
    await stack!.successfully(["destroy", "--yes", "--skip-preview"]);
    expect(await stack!.processes()).toEqual([]);
    expect(await readdir(stack!.directory).catch(() => [])).toEqual([]);
  }, 120_000);
});
