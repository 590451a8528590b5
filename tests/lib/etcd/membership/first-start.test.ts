/** In what order the members of a new cluster start. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EtcdFleet } from "../../../support/etcd-fleet.ts";
import { Programs } from "../../../support/running.ts";

const programs = new Programs(mkdtempSync(join(tmpdir(), "etcd-first-")));
let fleet: EtcdFleet;

beforeAll(async () => (fleet = await EtcdFleet.create(programs, 21260)));
afterAll(async () => {
  await fleet.stop();
  rmSync(programs.directory, { recursive: true });
});

test("the one that all others ask first runs before they start, and they start together", async () => {
  const events: string[] = [];
  const start = fleet.runtime.start.bind(fleet.runtime);
  fleet.runtime.start = async (member, bootstrap) => {
    events.push(`start ${member}`);
    await start(member, bootstrap);
    events.push(`${member} runs`);
  };
  const { members } = await fleet.reconcile(fleet.declare(["etcd-2", "etcd-1", "etcd-0"]));
  expect(members.map(({ name, role }) => `${name} ${role}`).sort()).toEqual([0, 1, 2].map((n) => `etcd-${n} voter`));
  expect(events.slice(0, 4)).toEqual(["start etcd-0", "etcd-0 runs", "start etcd-2", "start etcd-1"]);
});
