import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tryLock } from "../../../lib/supervisor/lock.ts";

let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), "lock-"))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const module = new URL("../../../lib/supervisor/lock.ts", import.meta.url).pathname;
const holder = (path: string, then: string) =>
  `const { tryLock } = await import(${JSON.stringify(module)}); console.log(tryLock(${JSON.stringify(path)}) ? "got it" : "taken"); ${then}`;

it("one process at a time has the lock", () => {
  const path = join(directory, "lock");
  const lock = tryLock(path)!;
  const ask = () =>
    execFileSync(process.execPath, ["--input-type=module", "-e", holder(path, "")], { encoding: "utf8" });
  expect(ask()).toBe("taken\n");
  lock.release();
  expect(ask()).toBe("got it\n");
});

it("a holder that is killed gives it up", async () => {
  const path = join(directory, "lock");
  const child = spawn(process.execPath, ["--input-type=module", "-e", holder(path, "setInterval(() => {}, 1000)")]);
  await once(child.stdout, "data");
  expect(tryLock(path)).toBeUndefined();
  child.kill("SIGKILL");
  await once(child, "exit");
  const lock = tryLock(path);
  expect(lock).toBeDefined();
  lock!.release();
});
