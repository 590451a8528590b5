import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { deadlineIn, Pending, waitFor } from "../../lib/wait.ts";

const program = `
import { execFileSync, spawn } from "node:child_process";
import { sweptAtLast } from ${JSON.stringify(join(import.meta.dirname, "../support/swept.ts"))};
const [directory, bridge] = process.argv.slice(1);
sweptAtLast(directory, bridge);
spawn("bash", ["-c", "cd /; sleep 300 & echo $!; wait", directory], { detached: true, stdio: ["ignore", "inherit", "ignore"] });
setInterval(() => {}, 1000);
`;

test("what a killed test has left running goes, with its directory", async () => {
  const directory = mkdtempSync(join(tmpdir(), "swept-"));
  const beside = mkdtempSync(join(tmpdir(), "kept-"));
  const args = ["--input-type=module", "-e", program, directory];
  const killed = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const [said] = (await once(killed.stdout, "data")) as [Buffer];
  const left = Number(said.toString());
  process.kill(left, 0); // it runs
  killed.kill("SIGKILL");
  await waitFor("the directory to go", deadlineIn(20), () =>
    Promise.resolve(existsSync(directory) ? new Pending("it is there") : true),
  );
  // One that has ended may be there until its new parent has heard of it.
  await waitFor("the end of what its program started", deadlineIn(10), () => Promise.resolve(ended(left)));
  expect(existsSync(beside)).toBe(true);
  rmSync(beside, { recursive: true });
});

function ended(pid: number): true | Pending {
  try {
    process.kill(pid, 0);
    return new Pending("it runs");
  } catch {
    return true;
  }
}

const testAsRoot = process.getuid?.() === 0 ? test : test.skip;

testAsRoot(
  "a bridge goes with it, and what is plugged in there; one that has come under its name since stays",
  async () => {
    const ip = (line: string) => execFileSync("ip", line.split(" "));
    for (const [bridge, isNew] of [
      ["swept0", false],
      ["swept1", true],
    ] as const) {
      const directory = mkdtempSync(join(tmpdir(), "swept-"));
      const add = () => ip(`link add ${bridge} type bridge`);
      add();
      ip(`link add ${bridge}h type veth peer name ${bridge}p`);
      ip(`link set ${bridge}h master ${bridge}`);
      const killed = spawn(process.execPath, ["--input-type=module", "-e", program, directory, bridge], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      await once(killed.stdout, "data");
      if (isNew) {
        ip(`link del ${bridge}`);
        add();
      }
      killed.kill("SIGTERM");
      await waitFor("the directory to go", deadlineIn(20), () =>
        Promise.resolve(existsSync(directory) ? new Pending("it is there") : true),
      );
      const there = [bridge, `${bridge}h`].filter((link) => existsSync(`/sys/class/net/${link}`));
      expect(there).toEqual(isNew ? [bridge, `${bridge}h`] : []);
      for (const link of there) ip(`link del ${link}`);
    }
  },
);

test("nothing outside the directory for temporary files is swept", async () => {
  const { sweptAtLast } = await import("../support/swept.ts");
  expect(() => sweptAtLast("/")).toThrow(`/: want one below ${tmpdir()}`);
});
