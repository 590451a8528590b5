import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  ensureProcess,
  listProcesses,
  removeAll,
  removeProcess,
  restartProcess,
  startSupervisor,
} from "../../../lib/supervisor/client.ts";
import { canMount, fillUp, mountTmpfs } from "../../support/mount.ts";
import { deaf, Deployment, quiet, until } from "./support.ts";

let deployment: Deployment;
beforeEach(() => (deployment = new Deployment()));
afterEach(() => deployment.clear());

it("a program is started once, however often it is asked for", async () => {
  const program = deployment.program("web", quiet);
  const first = await ensureProcess(deployment.directory, program);
  const second = await ensureProcess(deployment.directory, program);
  expect(second.running).toEqual(first.running);
  expect(deployment.running()).toEqual([first.running!.pid]);
});

it("programs that are asked for at the same time get one supervisor", async () => {
  const names = ["a", "b", "c", "d", "e"];
  await Promise.all(names.map((name) => ensureProcess(deployment.directory, deployment.program(name, quiet))));
  expect(deployment.supervisors()).toHaveLength(1);
  expect(deployment.running()).toHaveLength(5);
});

it("two programs that ask at the same time get one supervisor", async () => {
  const client = new URL("../../../lib/supervisor/client.ts", import.meta.url).pathname;
  const ask = (name: string) =>
    `import { ensureProcess } from ${JSON.stringify(client)};
     await ensureProcess(${JSON.stringify(deployment.directory)}, ${JSON.stringify(deployment.program(name, quiet))});`;
  const script = join(deployment.directory, "..", "both.sh");
  writeFileSync(join(deployment.directory, "..", "a.mts"), ask("a"));
  writeFileSync(join(deployment.directory, "..", "b.mts"), ask("b"));
  writeFileSync(script, `"$0" a.mts & "$0" b.mts & wait`);
  spawnSync("sh", ["-c", readFileSync(script, "utf8"), process.execPath], { cwd: join(deployment.directory, "..") });
  await until(
    "one supervisor",
    () => deployment.supervisors(),
    (pids) => pids.length === 1,
  );
  expect((await listProcesses(deployment.directory))!.map(({ description }) => description.name).sort()).toEqual([
    "a",
    "b",
  ]);
});

it("a program that crashes is started again after a second, then after two", async () => {
  await ensureProcess(deployment.directory, deployment.program("weak", "console.log(Date.now()); process.exit(3)"));
  const starts = () => deployment.log("weak").trim().split("\n").map(Number);
  const [first, second, third] = await until("three starts", starts, (starts) => starts.length === 3);
  expect(second! - first!).toBeGreaterThanOrEqual(1000);
  expect(third! - second!).toBeGreaterThanOrEqual(2000);
  const status = await until(
    "its end",
    () => deployment.status("weak"),
    (status) => status?.crashes === 3,
  );
  expect(status).toMatchObject({ crashes: 3, quickExits: 3, lastExit: { reason: "exit code 3", notStarted: false } });
});

it("a killed program is started again with the same arguments", async () => {
  const program = deployment.program("web", quiet);
  const { running } = await ensureProcess(deployment.directory, program);
  process.kill(running!.pid, "SIGKILL");
  const pid = await until(
    "another process",
    () => deployment.pid("web"),
    (pid) => pid !== undefined && pid !== running!.pid,
  );
  expect(readFileSync(`/proc/${pid}/cmdline`, "utf8")).toBe(`${[process.execPath, "-e", quiet].join("\0")}\0`);
  expect((await deployment.status("web"))!.lastExit!.reason).toBe("SIGKILL");
});

it("a program that cannot be executed is tried again, and says why", async () => {
  const program = deployment.program("ghost", quiet, { command: "/nonexistent/program" });
  const status = await ensureProcess(deployment.directory, program);
  expect(status.running).toBeUndefined();
  expect(status.lastExit).toMatchObject({ notStarted: true, reason: expect.stringMatching(/^cannot start: .*ENOENT/) });
});

it("a program whose record cannot be read is started once it can be, and kept running", async () => {
  const record = join(deployment.directory, ".supervisor", "running", "web.json");
  mkdirSync(record, { recursive: true });
  const { running, lastExit } = await ensureProcess(deployment.directory, deployment.program("web", quiet));
  expect(running).toBeUndefined();
  expect(lastExit).toMatchObject({ notStarted: true, reason: expect.stringMatching(/^cannot start: EISDIR/) });
  rmdirSync(record);
  const first = await until(
    "its start",
    () => deployment.pid("web"),
    (pid) => pid !== undefined,
  );
  process.kill(first!, "SIGKILL");
  const second = await until(
    "another process",
    () => deployment.pid("web"),
    (pid) => pid !== undefined && pid !== first,
  );
  expect(deployment.running()).toEqual([second]);
});

it("what a killed program started does not run beside the next one", async () => {
  const parent = `const { spawn } = require("node:child_process");
    spawn(process.execPath, ["-e", ${JSON.stringify(quiet)}], { detached: true, stdio: "ignore" });
    ${quiet}`;
  const { running } = await ensureProcess(deployment.directory, deployment.program("parent", parent));
  const two = (pids: number[]) => pids.length === 2;
  const before = await until("two processes", () => deployment.running("parent"), two);
  process.kill(running!.pid, "SIGKILL");
  await until(
    "another process",
    () => deployment.pid("parent"),
    (pid) => pid !== undefined && pid !== running!.pid,
  );
  const after = await until("two processes", () => deployment.running("parent"), two);
  expect(after.filter((pid) => before.includes(pid))).toEqual([]);
});

(canMount ? it : it.skip)("on a full disk the supervisor lives, and starts no program a second time", async () => {
  const unmount = await mountTmpfs(deployment.directory, 1);
  try {
    const { running } = await ensureProcess(
      deployment.directory,
      deployment.program("web", quiet, { log: "/dev/null" }),
    );
    const supervisors = deployment.supervisors();
    const free = fillUp(deployment.directory, join(deployment.directory, ".supervisor", "supervisor.log"));
    process.kill(running!.pid, "SIGKILL");
    const tried = await until(
      "two starts",
      () => deployment.status("web"),
      (status) => status?.quickExits === 3,
    );
    expect(tried!.lastExit!.reason).toBe(
      `cannot start: ENOSPC: no space left on device, write '${deployment.directory}/.supervisor/running/web.json'`,
    );
    expect(deployment.running()).toEqual([]);
    free();
    const pid = await until(
      "the start",
      () => deployment.pid("web"),
      (pid) => pid !== undefined,
    );
    expect(deployment.running()).toEqual([pid]);
    expect(deployment.supervisors()).toEqual(supervisors);
  } finally {
    await removeAll(deployment.directory, 1);
    await unmount();
  }
});

it("a program gets its own variables and none of the caller's secrets", async () => {
  process.env.PULUMI_CONFIG_PASSPHRASE = "s3cr3t";
  const program = deployment.program("web", "console.log(JSON.stringify(process.env)); setInterval(() => {}, 1000)", {
    env: { GOMEMLIMIT: "64MiB" },
  });
  await ensureProcess(deployment.directory, program);
  const log = await until(
    "its environment",
    () => deployment.log("web"),
    (log) => log.endsWith("}\n"),
  );
  const environment = JSON.parse(log);
  expect(environment.GOMEMLIMIT).toBe("64MiB");
  expect(environment.PATH).toBe(process.env.PATH);
  expect(Object.keys(environment).filter((name) => name.startsWith("PULUMI") || name === "NODE_OPTIONS")).toEqual([]);
});

it("a new revision restarts the program at once, without waiting", async () => {
  const before = await ensureProcess(deployment.directory, deployment.program("web", quiet));
  const after = await ensureProcess(deployment.directory, deployment.program("web", `${quiet};`, { revision: "2" }));
  expect(after.running).toMatchObject({ revision: "2" });
  expect(deployment.running()).toEqual([after.running!.pid]);
  expect(after.running!.pid).not.toBe(before.running!.pid);
  expect(after.crashes).toBe(0);
});

it("another environment of the same revision waits for a restart", async () => {
  const before = await ensureProcess(deployment.directory, deployment.program("etcd", quiet));
  const changed = deployment.program("etcd", quiet, { env: { ETCD_DATA_DIR: "2" } });
  const waiting = await ensureProcess(deployment.directory, changed);
  expect(waiting.running).toEqual(before.running);
  const after = await restartProcess(deployment.directory, "etcd", 5);
  expect(readFileSync(`/proc/${after.running!.pid}/environ`, "utf8").split("\0")).toContain("ETCD_DATA_DIR=2");
});

it("a program that was killed and takes long to end is not taken for the one that is started in its place", async () => {
  // Much memory is given back as it ends, when it has no environment any more by which it would be found.
  const large = `const memory = Buffer.alloc(1.5e9, 1); ${deaf}`;
  const before = await ensureProcess(deployment.directory, deployment.program("large", large, { stopSeconds: 1 }));
  await deployment.logged("large", "up");
  const after = await restartProcess(deployment.directory, "large", 1);
  expect(after.running?.pid).toBeDefined();
  expect(after.running!.pid).not.toBe(before.running!.pid);
});

it("a removed program is asked to stop, then killed after its time", async () => {
  await ensureProcess(deployment.directory, deployment.program("deaf", deaf, { stopSeconds: 1 }));
  await ensureProcess(deployment.directory, deployment.program("other", quiet));
  await deployment.logged("deaf", "up");
  const began = Date.now();
  await removeProcess(deployment.directory, "deaf", 1);
  expect(Date.now() - began).toBeGreaterThanOrEqual(1000);
  expect(Date.now() - began).toBeLessThan(3000);
  expect(deployment.log("deaf")).toBe("up\nasked\n");
  expect(deployment.running("deaf")).toEqual([]);
});

it("a program that is asked for again while it is being removed begins anew, and is kept running", async () => {
  const { running } = await ensureProcess(deployment.directory, deployment.program("web", deaf));
  await deployment.logged("web", "up");
  const removal = removeProcess(deployment.directory, "web", 3);
  await deployment.logged("web", "asked");
  const again = await ensureProcess(deployment.directory, deployment.program("web", quiet));
  await removal;
  expect(again.running!.pid).not.toBe(running!.pid);
  process.kill(again.running!.pid, "SIGKILL");
  const pid = await until(
    "another process",
    () => deployment.pid("web"),
    (pid) => pid !== undefined && pid !== again.running!.pid,
  );
  expect(deployment.running()).toEqual([pid]);
});

it("a program that is being removed is not restarted", async () => {
  await ensureProcess(deployment.directory, deployment.program("web", deaf));
  await ensureProcess(deployment.directory, deployment.program("other", quiet));
  await deployment.logged("web", "up");
  const removal = removeProcess(deployment.directory, "web", 3);
  await deployment.logged("web", "asked");
  await expect(restartProcess(deployment.directory, "web", 5)).rejects.toThrow(
    `web: no such process is supervised in ${deployment.directory}`,
  );
  await removal;
  expect(deployment.running("web")).toEqual([]);
});

it("what a removed program started goes with it, in a session of its own too", async () => {
  const parent = `const { spawn } = require("node:child_process");
    for (const detached of [true, false]) spawn(process.execPath, ["-e", ${JSON.stringify(quiet)}], { detached, stdio: "ignore" });
    ${quiet}`;
  await ensureProcess(deployment.directory, deployment.program("parent", parent));
  await until(
    "three processes",
    () => deployment.running("parent"),
    (pids) => pids.length === 3,
  );
  await removeProcess(deployment.directory, "parent", 5);
  expect(deployment.running()).toEqual([]);
});

it("with its last program the supervisor goes, and nothing of it stays", async () => {
  const program = deployment.program("web", quiet, { workingDirectory: "/", log: "/dev/null" });
  await ensureProcess(deployment.directory, program);
  await removeProcess(deployment.directory, "web", 5);
  expect(deployment.supervisors()).toEqual([]);
  expect(existsSync(deployment.directory)).toBe(false);
});

it("removing what is not there is no error", async () => {
  await removeProcess(deployment.directory, "web", 5);
  await ensureProcess(deployment.directory, deployment.program("other", quiet));
  await removeProcess(deployment.directory, "web", 5);
  expect(await deployment.pid("other")).toBeDefined();
});

it("everything in a directory can be removed at once", async () => {
  for (const name of ["a", "b", "c"]) await ensureProcess(deployment.directory, deployment.program(name, quiet));
  await removeAll(deployment.directory, 1);
  expect([...deployment.running(), ...deployment.supervisors()]).toEqual([]);
  await removeAll(deployment.directory, 1);
});

it("a supervisor that has been given nothing ends when everything is removed", async () => {
  await startSupervisor(deployment.directory);
  await removeAll(deployment.directory, 1);
  expect(deployment.supervisors()).toEqual([]);
  expect(existsSync(deployment.directory)).toBe(false);
});

it("a log that has grown past 10 MB is rotated while the program goes on writing", async () => {
  const writer = `const line = "x".repeat(1023) + "\\n"; for (let i = 0; i < 10300; i++) process.stdout.write(line);
    setInterval(() => console.log("on"), 100)`;
  await ensureProcess(deployment.directory, deployment.program("writer", writer));
  const old = join(deployment.directory, "logs", "writer.log.1");
  await until(
    "the rotation",
    () => existsSync(old),
    (there) => there,
  );
  await until(
    "more lines",
    () => deployment.log("writer"),
    (log) => log.endsWith("on\n") && log.length < 1000,
  );
  expect(statSync(old).mode & 0o777).toBe(0o600);
});

it("everything a supervisor writes is for its owner only", async () => {
  await ensureProcess(deployment.directory, deployment.program("web", quiet));
  const own = join(deployment.directory, ".supervisor");
  const open = readdirSync(own, { recursive: true, encoding: "utf8" })
    .map((name) => join(own, name))
    .concat(own, join(deployment.directory, "logs", "web.log"))
    .filter((path) => (statSync(path).mode & 0o077) !== 0);
  expect(open).toEqual([]);
});

it("a directory whose path is too long for a socket works as well", async () => {
  const directory = join(deployment.directory, "x".repeat(120));
  mkdirSync(directory, { recursive: true });
  try {
    const { running } = await ensureProcess(directory, deployment.program("web", quiet));
    expect(running).toBeDefined();
  } finally {
    await removeProcess(directory, "web", 5);
  }
});

it("an idle supervisor uses next to nothing", async () => {
  await ensureProcess(deployment.directory, deployment.program("web", quiet));
  const [supervisor] = deployment.supervisors();
  const ticks = () => {
    const fields = readFileSync(`/proc/${supervisor}/stat`, "utf8").split(") ")[1]!.split(" ");
    return Number(fields[11]) + Number(fields[12]);
  };
  await sleep(1000);
  const before = ticks();
  await sleep(3000);
  expect(ticks() - before).toBeLessThanOrEqual(3);
});
