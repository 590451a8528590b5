import { existsSync } from "node:fs";
import { haltPrograms, resumePrograms } from "../../../../lib/etcd/runtime/local-programs.ts";
import { ensureProcess } from "../../../../lib/supervisor/client.ts";
import { processPaths } from "../../../../lib/supervisor/process-paths.ts";
import { Deployment, quiet, until } from "../../supervisor/support.ts";

let deployment: Deployment;
beforeEach(() => {
  deployment = new Deployment();
});
afterEach(() => deployment.clear());

const start = (name: string) =>
  ensureProcess(deployment.directory, deployment.program(name, quiet, { revision: `of ${name}` }));

test("programs are ended and forgotten, others stay, and all that were come back as they were", async () => {
  for (const name of ["one", "two", "three"]) await start(name);
  const three = await deployment.pid("three");
  await haltPrograms(deployment.directory, ["one", "two", "never-there"]);
  expect(await deployment.status("one")).toBeUndefined();
  expect(deployment.running("one")).toEqual([]);
  expect(await deployment.pid("three")).toBe(three);
  await haltPrograms(deployment.directory, ["one", "two"]);
  await resumePrograms(deployment.directory, ["two", "one", "never-there"]);
  const status = await until(
    "both to run",
    async () => [await deployment.status("one"), await deployment.status("two")],
    (both) => both.every((each) => each?.running !== undefined),
  );
  expect(status.map((each) => each?.running?.revision)).toEqual(["of one", "of two"]);
});

test("programs whose supervisor was killed, and that go on, are ended as well", async () => {
  for (const name of ["one", "two"]) await start(name);
  for (const pid of deployment.supervisors()) process.kill(pid, "SIGKILL");
  await until(
    "the supervisor to have ended",
    async () => deployment.supervisors(),
    (pids) => pids.length === 0,
  );
  expect(deployment.running("one")).toHaveLength(1);
  await haltPrograms(deployment.directory, ["one", "never-there"]);
  expect([deployment.running("one"), await deployment.status("one")]).toEqual([[], undefined]);
  expect(deployment.running("two")).toHaveLength(1);
  await resumePrograms(deployment.directory, ["one"]);
  expect((await deployment.status("one"))?.running?.revision).toBe("of one");
});

test("who was started by its resource meanwhile is left as it is", async () => {
  await start("one");
  await haltPrograms(deployment.directory, ["one"]);
  await start("one");
  const pid = await deployment.pid("one");
  await resumePrograms(deployment.directory, ["one"]);
  expect(await deployment.pid("one")).toBe(pid);
  expect(existsSync(processPaths({ directory: deployment.directory, name: "one" }).file("halted.json"))).toBe(false);
});
