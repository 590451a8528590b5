import { mkdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ensureProcess, listProcesses, removeProcess } from "../../../lib/supervisor/client.ts";
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

it("a process that has got the number of a program that ended is left alone", async () => {
  const { running } = await ensureProcess(deployment.directory, deployment.program("web", quiet));
  await killSupervisor();
  process.kill(running!.pid, "SIGKILL");
  const { writeAtomically } = await import("../../../lib/supervisor/atomic-file.ts");
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
