/** What runs on one machine needs no root: here a user without any rights brings up etcd below the supervisor. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chown, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { storeDirectory } from "../../../toolchain/index.ts";
import { mountBind } from "../../support/mount.ts";
import { nobody, withoutNobody } from "../../support/nobody.ts";
import { programPath } from "../../support/programs.ts";
import { processesNaming } from "../../e2e/support/stack.ts";

const missing = withoutNobody("programs of a user without rights");

(missing === undefined ? test : test.skip)(
  "a user without any rights brings up three members of etcd, which run as that user, and takes them away",
  async () => {
    await programPath("etcd");
    const home = await mkdtemp(join(tmpdir(), "nobody-"));
    await chown(home, nobody, nobody);
    // The checkout and the programs may lie where only root comes to.
    const unmount = [
      await mountBind(join(import.meta.dirname, "../../.."), join(home, "checkout")),
      await mountBind(storeDirectory(), join(home, "store")),
    ];
    try {
      const user = [
        `--reuid=${nobody}`,
        `--regid=${nobody}`,
        "--clear-groups",
        "--bounding-set=-all",
        "--no-new-privs",
      ];
      const script = join(home, "checkout/tests/support/run-prepared-etcd.ts");
      const node = ["--preserve-symlinks-main", "--no-warnings", script, "21560"];
      const child = spawn("setpriv", [...user, process.execPath, ...node], {
        env: { ...process.env, HOME: home, TMPDIR: home, KARMADA_TOOLCHAIN_DIR: join(home, "store") },
        stdio: ["pipe", "pipe", "inherit"],
      });
      const ended = once(child, "close");
      let said = "";
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => (said += chunk));
      while (child.exitCode === null && !said.includes('{"directory"'))
        await Promise.race([once(child.stdout, "data"), ended]);
      const up = JSON.parse(said.slice(said.indexOf('{"directory"'))) as {
        directory: string;
        pids: Record<string, number>;
        members: string[];
      };
      expect(up.members).toEqual(["etcd-0", "etcd-1", "etcd-2"]);
      const running = await processesNaming(up.directory);
      expect(running.map(({ pid }) => pid)).toEqual(expect.arrayContaining(Object.values(up.pids)));
      expect(running).toHaveLength(4); // and the supervisor
      for (const { pid } of running) {
        const status = await readFile(`/proc/${pid}/status`, "utf8");
        expect(status).toMatch(/^Uid:\s+65534\s+65534\s+65534\s+65534$/m);
        expect(status).toMatch(/^CapEff:\s+0+$/m);
      }
      for (const name of await readdir(up.directory, { recursive: true })) {
        const found = await stat(join(up.directory, name)).catch(() => undefined); // some are renamed meanwhile
        if (found !== undefined) expect([name, found.uid]).toEqual([name, nobody]);
      }
      child.stdin.end();
      expect(await ended).toEqual([0, null]);
      expect(existsSync(up.directory)).toBe(false);
      expect(await processesNaming(up.directory)).toEqual([]);
    } finally {
      for (const each of unmount.reverse()) await each();
      await rm(home, { recursive: true, force: true });
    }
  },
  120_000,
);
