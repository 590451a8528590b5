import { existsSync } from "node:fs";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { writeAtomically } from "../../../lib/atomic-file.ts";
import * as instance from "../../../lib/supervisor/instance.ts";
import { prepareLayout, supervisorLayout, type Layout } from "../../../lib/supervisor/layout.ts";
import { Deployment, quiet, until } from "./support.ts";

/** Programs of which a process hangs in the kernel. */
const hanging = new Set<string>();

const throwIfHanging = (name: string): void => {
  if (hanging.has(name)) throw new Error(`${name}: process 7 did not end 10s after SIGKILL`);
};
const killRemains: typeof instance.killRemains = async (name, ...others) => {
  throwIfHanging(name);
  await instance.killRemains(name, ...others);
};
const stop: typeof instance.stop = async (run, seconds, name, directory) => {
  throwIfHanging(name);
  await instance.stop(run, seconds, name, directory);
};
jest.unstable_mockModule("../../../lib/supervisor/instance.ts", () => ({ ...instance, killRemains, stop }));
const { Supervisor } = await import("../../../lib/supervisor/supervisor.ts");

let deployment: Deployment;
let layout: Layout;
let supervisor: InstanceType<typeof Supervisor>;
beforeEach(() => {
  deployment = new Deployment();
  layout = supervisorLayout(deployment.directory);
  prepareLayout(layout);
  supervisor = new Supervisor(
    layout,
    () => {},
    () => true,
  );
});
afterEach(async () => {
  hanging.clear();
  for (const { description } of supervisor.statuses()) await supervisor.remove(description.name, 0);
  await deployment.clear();
});

const status = (name: string) => supervisor.statuses().find(({ description }) => description.name === name);
const pidOf = (name: string) => status(name)?.running?.pid;

/** Kills a program that runs, or is about to, and sees it started again. */
async function expectKept(name: string): Promise<void> {
  const before = await otherPid(name);
  process.kill(before!, "SIGKILL");
  const after = await otherPid(name, before);
  expect(deployment.running(name)).toEqual([after]);
}

const otherPid = (name: string, before?: number) =>
  until(
    `another process of ${name}`,
    () => pidOf(name),
    (pid) => pid !== undefined && pid !== before,
  );

it("a supervisor begins with the others, and with a program of which something hangs when that has ended", async () => {
  const want = (name: string) =>
    writeAtomically(join(layout.wanted, `${name}.json`), JSON.stringify(deployment.program(name, quiet)));
  for (const name of ["etcd", "web"]) want(name);
  const forgotten = join(layout.running, "forgotten.json");
  writeAtomically(forgotten, "{}");
  for (const name of ["etcd", "forgotten"]) hanging.add(name);

  await supervisor.begin();
  expect(pidOf("web")).toBeDefined();
  expect(status("etcd")).toMatchObject({
    lastExit: { reason: "cannot start: etcd: process 7 did not end 10s after SIGKILL", notStarted: true },
  });
  expect(deployment.running("etcd")).toEqual([]);
  expect(existsSync(forgotten)).toBe(true);

  hanging.clear();
  await expectKept("etcd");
});

it("a program of which something hangs is not started beside that, however often it is asked for", async () => {
  hanging.add("web");
  for (const revision of ["1", "2"]) {
    await supervisor.ensure(deployment.program("web", quiet, { revision }));
    expect(status("web")!.running).toBeUndefined();
  }
  hanging.clear();
  await supervisor.ensure(deployment.program("web", quiet, { revision: "2" }));
  expect(status("web")!.running).toMatchObject({ revision: "2" });
  await expectKept("web");
});

it("a program whose removal failed is kept running again once it is asked for", async () => {
  await supervisor.ensure(deployment.program("web", quiet));
  hanging.add("web");
  await expect(supervisor.remove("web", 0)).rejects.toThrow("web: process 7 did not end 10s after SIGKILL");
  hanging.clear();
  await expect(supervisor.restart("web")).rejects.toThrow("web: no such process is supervised");
  await supervisor.ensure(deployment.program("web", quiet));
  await expectKept("web");
});
