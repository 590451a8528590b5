import { existsSync, renameSync, rmSync } from "node:fs";
import { ensureProcess, listProcesses, removeProcess } from "../../../lib/supervisor/client.ts";
import { Deployment, quiet, until } from "./support.ts";

let deployment: Deployment;
beforeEach(() => (deployment = new Deployment()));
afterEach(() => deployment.clear());

const supervisorsAre = (wanted: readonly number[]) =>
  until(
    `supervisors ${wanted.join(", ")}`,
    () => deployment.supervisors(),
    (pids) => pids.join() === wanted.join(),
  );

it("a supervisor whose directory was deleted ends and leaves everything to the one that serves there now", async () => {
  const program = deployment.program("web", quiet);
  await ensureProcess(deployment.directory, program);
  const [former] = deployment.supervisors();
  rmSync(deployment.directory, { recursive: true });

  const { running } = await ensureProcess(deployment.directory, program);
  const present = deployment.supervisors().filter((pid) => pid !== former);
  expect(present).toHaveLength(1);
  await supervisorsAre(present);
  expect(deployment.running()).toEqual([running!.pid]);
  expect((await listProcesses(deployment.directory))![0]!.running).toEqual(running);
});

it("after a directory was deleted, a program that is removed stays ended, and no supervisor stays", async () => {
  await ensureProcess(deployment.directory, deployment.program("web", quiet));
  rmSync(deployment.directory, { recursive: true });
  await removeProcess(deployment.directory, "web", 1);
  await supervisorsAre([]);
  expect(deployment.running()).toEqual([]);
  expect(existsSync(deployment.directory)).toBe(false);
});

it("programs run on while their directory is moved away, and are adopted once it is back", async () => {
  const program = deployment.program("web", quiet);
  const { running } = await ensureProcess(deployment.directory, program);
  renameSync(deployment.directory, `${deployment.directory}-away`);
  await supervisorsAre([]);
  renameSync(`${deployment.directory}-away`, deployment.directory);
  expect((await ensureProcess(deployment.directory, program)).running).toEqual(running);
  expect(deployment.supervisorLog()).toMatch(/ends: .* was moved or deleted; its programs run on\n/);
});
