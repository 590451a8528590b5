import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureProcess, listProcesses, removeAll, removeProcess } from "../../../lib/supervisor/client.ts";
import { protocol } from "../../../lib/supervisor/description.ts";
import { supervisorLayout } from "../../../lib/supervisor/layout.ts";
import { Supervisor } from "../../../lib/supervisor/supervisor.ts";
import { Deployment, quiet, until } from "./support.ts";

let deployment: Deployment;
beforeEach(() => (deployment = new Deployment()));
afterEach(() => deployment.clear());

async function killSupervisor(): Promise<void> {
  const [pid] = deployment.supervisors();
  process.kill(pid!, "SIGKILL");
  await until(
    "its end",
    () => deployment.supervisors(),
    (pids) => pids.length === 0,
  );
}

it("programs outlive a killed supervisor, and the next one adopts them", async () => {
  const a = await ensureProcess(deployment.directory, deployment.program("a", quiet));
  const b = await ensureProcess(deployment.directory, deployment.program("b", quiet));
  await killSupervisor();
  expect(deployment.running().sort()).toEqual([a.running!.pid, b.running!.pid].sort());
  expect(await listProcesses(deployment.directory)).toBeUndefined();

  const again = await ensureProcess(deployment.directory, deployment.program("a", quiet));
  expect(again.running).toEqual(a.running);
  expect((await deployment.status("b"))!.running).toEqual(b.running);
  expect(deployment.running()).toHaveLength(2);
});

it("an adopted program that is killed is started again", async () => {
  const { running } = await ensureProcess(deployment.directory, deployment.program("web", quiet));
  await killSupervisor();
  await ensureProcess(deployment.directory, deployment.program("web", quiet));
  process.kill(running!.pid, "SIGKILL");
  const pid = await until(
    "another process",
    () => deployment.pid("web"),
    (pid) => pid !== undefined && pid !== running!.pid,
  );
  expect(deployment.running()).toEqual([pid]);
});

it("a program that died while no supervisor ran is started by the next one", async () => {
  const { running } = await ensureProcess(deployment.directory, deployment.program("web", quiet));
  await ensureProcess(deployment.directory, deployment.program("other", quiet));
  await killSupervisor();
  process.kill(running!.pid, "SIGKILL");
  await ensureProcess(deployment.directory, deployment.program("other", quiet));
  expect(await deployment.pid("web")).toBeGreaterThan(0);
  expect(deployment.running()).toHaveLength(2);
});

it("a program whose start was never noted down does not get a double", async () => {
  const { running } = await ensureProcess(deployment.directory, deployment.program("web", quiet));
  await killSupervisor();
  rmSync(join(deployment.directory, ".supervisor", "running", "web.json"));
  const again = await ensureProcess(deployment.directory, deployment.program("web", quiet));
  expect(again.running!.pid).not.toBe(running!.pid);
  expect(deployment.running()).toEqual([again.running!.pid]);
});

it("a program that is not wanted any more when the next supervisor starts is ended", async () => {
  await ensureProcess(deployment.directory, deployment.program("gone", quiet));
  await killSupervisor();
  rmSync(join(deployment.directory, ".supervisor", "wanted", "gone.json"));
  await ensureProcess(deployment.directory, deployment.program("web", quiet));
  expect(deployment.running("gone")).toEqual([]);
});

it("programs that cannot be taken up leave the others to the next supervisor, which tries again", async () => {
  const hindered = await ensureProcess(deployment.directory, deployment.program("hindered", quiet));
  const web = await ensureProcess(deployment.directory, deployment.program("web", quiet));
  await killSupervisor();
  const record = (name: string) => join(deployment.directory, ".supervisor", "running", `${name}.json`);
  rmSync(record("hindered"));
  for (const name of ["hindered", "forgotten"]) mkdirSync(record(name));
  expect(await ensureProcess(deployment.directory, deployment.program("web", quiet))).toMatchObject({
    running: web.running,
  });
  expect((await deployment.status("hindered"))!.lastExit!.reason).toMatch(/^cannot start: EISDIR/);
  expect(deployment.supervisorLog()).toContain("forgotten: not wanted any more, and cannot be ended: ");
  rmdirSync(record("hindered"));
  const pid = await until(
    "its start",
    () => deployment.pid("hindered"),
    (pid) => pid !== undefined,
  );
  expect(pid).not.toBe(hindered.running!.pid);
  expect(deployment.running("hindered")).toEqual([pid]);
});

it("a program whose description the disk has lost runs on until it is described anew", async () => {
  const damaged = await ensureProcess(deployment.directory, deployment.program("damaged", quiet));
  const unreadable = await ensureProcess(deployment.directory, deployment.program("unreadable", quiet));
  const web = await ensureProcess(deployment.directory, deployment.program("web", quiet));
  await killSupervisor();
  const wanted = (name: string) => join(deployment.directory, ".supervisor", "wanted", `${name}.json`);
  writeFileSync(wanted("damaged"), "");
  rmSync(wanted("unreadable"));
  mkdirSync(wanted("unreadable"));

  expect(await ensureProcess(deployment.directory, deployment.program("web", quiet))).toMatchObject({
    running: web.running,
  });
  expect(deployment.running("damaged")).toEqual([damaged.running!.pid]);
  expect(deployment.running("unreadable")).toEqual([unreadable.running!.pid]);
  expect(deployment.supervisorLog()).toContain(`damaged: ${wanted("damaged")} is damaged; an up writes it again`);
  expect(deployment.supervisorLog()).toContain("unreadable: cannot be taken up: EISDIR");

  rmdirSync(wanted("unreadable"));
  for (const { running, description } of [damaged, unreadable])
    expect((await ensureProcess(deployment.directory, description)).running).toEqual(running);
});

it("nothing of a program whose description is lost is given up but with the program", async () => {
  const { running, description } = await ensureProcess(deployment.directory, deployment.program("damaged", quiet));
  await killSupervisor();
  const wanted = join(deployment.directory, ".supervisor", "wanted", "damaged.json");
  writeFileSync(wanted, "");
  const supervisor = new Supervisor(
    supervisorLayout(deployment.directory),
    () => {},
    () => true,
  );
  await supervisor.begin();
  expect(supervisor.isEmpty).toBe(false); // one that is ends after a while, and removes its records
  await supervisor.remove("damaged", 5);
  expect([supervisor.isEmpty, deployment.running()]).toEqual([true, []]);

  const again = await ensureProcess(deployment.directory, description);
  expect(again.running!.pid).not.toBe(running!.pid);
  await killSupervisor();
  writeFileSync(wanted, "");
  expect(await removeAll(deployment.directory, 5)).toEqual(["damaged"]);
  const own = join(deployment.directory, ".supervisor");
  expect([deployment.running(), deployment.supervisors(), existsSync(own)]).toEqual([[], [], false]);
});

it("a supervisor of an earlier release hands its programs over to one of this", async () => {
  const { running } = await ensureProcess(deployment.directory, deployment.program("web", quiet));
  await killSupervisor();
  const release = join(deployment.directory, "..", "release");
  const parts = [
    "lib/supervisor",
    "lib/atomic-file.ts",
    "lib/remove-if-empty.ts",
    "lib/sha256.ts",
    "toolchain/sha256.ts",
    "toolchain/process-stat.ts",
  ];
  for (const path of parts) cpSync(path, join(release, path), { recursive: true });
  const description = join(release, "lib", "supervisor", "description.ts");
  const now = readFileSync(description, "utf8");
  const earlier = now.replace(`protocol = ${protocol};`, `protocol = ${protocol - 1};`);
  expect(earlier).not.toBe(now);
  writeFileSync(description, earlier);
  writeFileSync(join(release, "package.json"), '{ "type": "module" }');
  const main = join(release, "lib", "supervisor", "main.ts");
  const old = spawn(process.execPath, [main, deployment.directory], { stdio: "ignore", detached: true });
  await until(
    "the supervisor of an earlier release",
    () => deployment.status("web"),
    (status) => status !== undefined,
  );
  expect(deployment.supervisors()).toEqual([old.pid]);

  const kept = await ensureProcess(deployment.directory, deployment.program("web", quiet));
  expect(kept.running).toEqual(running);
  expect(deployment.running()).toEqual([running!.pid]);
  expect(deployment.supervisors()).not.toContain(old.pid);
});

it("a process that has got the number of a program that ended is left alone", async () => {
  const { running } = await ensureProcess(deployment.directory, deployment.program("web", quiet));
  await killSupervisor();
  process.kill(running!.pid, "SIGKILL");
  const { writeAtomically } = await import("../../../lib/atomic-file.ts");
  const record = { ...running, pid: process.pid, start: "another-boot:1" };
  writeAtomically(join(deployment.directory, ".supervisor", "running", "web.json"), JSON.stringify(record));
  const again = await ensureProcess(deployment.directory, deployment.program("web", quiet));
  expect(again.running!.pid).not.toBe(process.pid);
  await removeProcess(deployment.directory, "web", 5);
  expect(deployment.running()).toEqual([]);
});

it("removing works when the supervisor was killed before", async () => {
  await ensureProcess(deployment.directory, deployment.program("a", quiet));
  await ensureProcess(deployment.directory, deployment.program("b", quiet));
  await killSupervisor();
  await removeProcess(deployment.directory, "a", 5);
  await removeProcess(deployment.directory, "b", 5);
  expect(deployment.running()).toEqual([]);
  expect(deployment.supervisors()).toEqual([]);
});
