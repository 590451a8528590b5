import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { encode } from "../../../../lib/etcd/client.ts";
import { EtcdFleet, type Wanted } from "../../../support/etcd-fleet.ts";
import { programPath } from "../../../support/programs.ts";
import { Programs } from "../../../support/running.ts";

const three = ["etcd-0", "etcd-1", "etcd-2"];
const four = [...three, "etcd-3"];

/** One cluster, each test going on where the one before has left it. */
describe("a run that is killed", () => {
  const programs = new Programs(mkdtempSync(join(tmpdir(), "etcd-killed-")));
  const old = { number: "3.5.35", command: "" };
  let fleet: EtcdFleet;
  beforeAll(async () => {
    // On a busy machine a leader would change by itself, and a run that moves it not come to that point.
    fleet = await EtcdFleet.create(programs, 21200, { "election-timeout": "5000" });
    old.command = await programPath("etcd@3.5.35");
  });
  afterAll(async () => {
    await fleet.stop();
    rmSync(programs.directory, { recursive: true });
  });

  /** Dies at each point, one run after another, and then comes to its end. */
  async function converges(points: readonly string[], members: readonly string[], wanted: Wanted = {}) {
    const desired = fleet.declare(members, wanted);
    for (const point of points)
      expect(await fleet.reconcileApart(desired, `membership/${point}`)).toMatchObject({ signal: "SIGKILL" });
    await fleet.reconcileApart(desired);
    const outcome = await fleet.note(desired);
    expect(outcome.members.map(({ name, role }) => `${name} ${role}`)).toEqual(members.map((name) => `${name} voter`));
    expect(new Set(await fleet.digests(desired)).size).toBe(1);
    expect((await fleet.reconcileApart(desired)).said).toEqual([]);
  }

  const more = { flags: { "snapshot-count": "5000" } };
  const moved = { shifted: three };
  const replaced = { replace: { "etcd-1": 1 } };

  test.each<[string[], string[], Wanted]>([
    [["started"], three, {}],
    [["leader-moved"], three, more],
    [["restarted"], three, {}],
    [["readdressed"], three, moved],
    [["readdressed", "restarted", "leader-moved"], three, {}],
    [["added"], four, {}],
    [["removed"], three, {}],
    [["learner-started"], four, {}],
    [["stopped"], three, {}],
    [["caught-up"], four, {}],
    [["retired"], three, {}],
    [["removed", "stopped", "added", "learner-started", "promoted"], three, replaced],
  ])("at %j goes on when it is run again", async (points, members, wanted) => {
    await converges(points, members, wanted);
  });

  test("replaced once, whatever came between", async () => {
    expect(fleet.runtime.directories("etcd-1")).toEqual(["2", "retired-1"]);
    expect(fleet.runtime.directories("etcd-3")).toEqual(["retired-1", "retired-2", "retired-3"]);
  });

  test("while it takes back a learner that does not come up", async () => {
    const desired = fleet.declare(four, { ...replaced, broken: ["etcd-3"] });
    const run = await fleet.reconcileApart(desired, "membership/learner-removed", undefined, 4);
    expect(run).toMatchObject({ signal: "SIGKILL" });
    await converges([], three, replaced);
    await converges([], four, replaced);
    await converges([], three, replaced);
  });

  test("while it makes room in a full database", async () => {
    const small = { ...replaced, flags: { "quota-backend-bytes": String(16 * 2 ** 20) } };
    const desired = fleet.declare(three, small);
    await fleet.reconcileApart(desired);
    const put = { key: encode("/large"), value: encode("x".repeat(500_000)) };
    const endpoint = desired.members[0]!.clientUrl;
    const fill = async () => {
      for (let i = 0; i < 60; i++) await fleet.client.call(endpoint, "kv/put", put);
    };
    await expect(fill()).rejects.toThrow(/database space exceeded/);
    await converges(["compacted", "defragmented", "alarm-cleared"], three, small);
    await fleet.client.call(endpoint, "kv/put", put);
  });

  test("while it ends the alarm of a member that is gone", async () => {
    const desired = fleet.declare(three, replaced);
    await fleet.reconcileApart(desired);
    const endpoint = desired.members[0]!.clientUrl;
    const alarm = { action: "ACTIVATE", memberID: "489", alarm: "CORRUPT" };
    await fleet.client.call(endpoint, "maintenance/alarm", alarm);
    await converges(["disarmed"], three, replaced);
    await fleet.client.call(endpoint, "kv/put", { key: encode("/after"), value: encode("x") });
  });

  test("on the way to a lower version and back", async () => {
    const lower = fleet.declare(three, { ...replaced, version: old });
    await fleet.reconcileApart(lower, "membership/downgrade-allowed");
    // The version that all agree on is lowered before the way is called off, and rises again some seconds after that.
    await fleet.agreesOn(lower, "3.5.0");
    await converges(["downgrade-cancelled"], three, replaced);
    await converges(["downgrade-allowed", "leader-moved", "restarted"], three, { ...replaced, version: old });
    await converges(["restarted", "leader-moved"], three, replaced);
  });
});

jest.setTimeout(300_000);
