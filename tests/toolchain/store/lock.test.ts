import { spawn } from "node:child_process";
import { readFile, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { withLock } from "../../../toolchain/store/lock.ts";
import { makeSandbox, type Sandbox } from "../support/sandbox.ts";

let sandbox: Sandbox;
let path: string;
beforeEach(async () => {
  sandbox = await makeSandbox();
  path = join(sandbox.directory, "set.lock");
});
afterEach(() => sandbox.remove());

const hold = (holder: object) => writeFile(path, JSON.stringify(holder));

test("many at once work one after another", async () => {
  let inside = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 8 }, () =>
      withLock(path, {}, async () => {
        most = Math.max(most, ++inside);
        await sleep(5);
        inside--;
      }),
    ),
  );
  expect(most).toBe(1);
});

test("a failure frees the lock", async () => {
  await expect(withLock(path, {}, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await withLock(path, { deadlineSeconds: 1 }, () => Promise.resolve("free"))).toBe("free");
});

test("the lock of a process that was killed is taken over at once", async () => {
  const child = spawn("sleep", ["60"]);
  await hold({ host: hostname(), pid: child.pid, started: "", id: "dead" });
  child.kill("SIGKILL");
  await new Promise((resolve) => child.on("exit", resolve));
  const started = performance.now();
  await withLock(path, {}, () => Promise.resolve());
  expect(performance.now() - started).toBeLessThan(1000);
});

test("a reused process number is not taken for the holder", async () => {
  await hold({ host: hostname(), pid: process.pid, started: "1", id: "before-the-restart" });
  expect(await withLock(path, { deadlineSeconds: 5 }, () => Promise.resolve("taken"))).toBe("taken");
});

test("a running holder is waited for, by name, until the deadline", async () => {
  const child = spawn("sleep", ["60"]);
  const stat = await readFile(`/proc/${child.pid}/stat`, "utf8");
  await hold({
    host: hostname(),
    pid: child.pid,
    started: stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19],
    id: "x",
  });
  const waited: string[] = [];
  const options = { deadlineSeconds: 0.3, onWait: (holder: string) => waited.push(holder) };
  await expect(withLock(path, options, () => Promise.resolve())).rejects.toThrow(
    `${path}: held by process ${child.pid} on ${hostname()} for too long`,
  );
  expect(waited).toEqual([`process ${child.pid} on ${hostname()}`]);
  child.kill();
});

test("a holder on another machine counts as dead after a minute of silence, not before", async () => {
  await hold({ host: "elsewhere", pid: 1, started: "", id: "remote" });
  await expect(withLock(path, { deadlineSeconds: 0.3 }, () => Promise.resolve())).rejects.toThrow("on elsewhere");
  const silent = new Date(Date.now() - 61_000);
  await utimes(path, silent, silent);
  expect(await withLock(path, { deadlineSeconds: 2 }, () => Promise.resolve("taken"))).toBe("taken");
});

test("waiting ends when the run is interrupted", async () => {
  await hold({ host: "elsewhere", pid: 1, started: "", id: "remote" });
  const signal = AbortSignal.timeout(200);
  await expect(withLock(path, { signal }, () => Promise.resolve())).rejects.toThrow();
});
