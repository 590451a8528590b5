import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { deadlineIn, Pending, waitFor } from "../../lib/wait.ts";

const program = `
import { spawn } from "node:child_process";
import { sweptAtLast } from ${JSON.stringify(join(import.meta.dirname, "../support/swept.ts"))};
const [directory] = process.argv.slice(1);
sweptAtLast(directory);
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

test("nothing outside the directory for temporary files is swept", async () => {
  const { sweptAtLast } = await import("../support/swept.ts");
  expect(() => sweptAtLast("/")).toThrow(`/: want one below ${tmpdir()}`);
});
