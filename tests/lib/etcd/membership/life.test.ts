import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { look } from "../../../../lib/etcd/membership/context.ts";
import { EtcdFleet } from "../../../support/etcd-fleet.ts";
import { EtcdLoad, longest } from "../../../support/etcd-load.ts";
import { Programs } from "../../../support/running.ts";

const port = 21000;
const names = (size: number) => Array.from({ length: size }, (_, i) => `etcd-${i}`);

/** One life of a cluster: each test goes on where the one before has left it, while clients write and watch. */
describe("the life of a cluster, with clients that never stop", () => {
  const programs = new Programs(mkdtempSync(join(tmpdir(), "etcd-life-")));
  const gaps: Record<string, number> = {};
  let fleet: EtcdFleet;
  let load: EtcdLoad;

  beforeAll(async () => {
    fleet = await EtcdFleet.create(programs, port);
    await fleet.reconcile(fleet.declare(names(1)));
    const clientUrls = (shifted: string[]) =>
      fleet.declare(names(5), { shifted }).members.map(({ clientUrl }) => clientUrl);
    load = new EtcdLoad(fleet.connection, [...new Set([...clientUrls([]), ...clientUrls(names(3))])]);
    await load.start();
  });
  afterAll(async () => {
    await fleet.stop();
    rmSync(programs.directory, { recursive: true });
  });

  const said = () => fleet.said.splice(0);
  const voters = async (desired = fleet.declare(names(3))) =>
    (await fleet.reconcile(desired)).members.map(({ name, role }) => `${name} ${role}`);
  const votersOf = (size: number) => names(size).map((name) => `${name} voter`);
  const gap = (what: string) => (gaps[what] = load.takeGap());

  test("grows from one to three and to five", async () => {
    said();
    gap("start");
    expect(await voters(fleet.declare(names(3)))).toEqual(votersOf(3));
    expect(gap("1 to 3")).toBeLessThanOrEqual(longest.planned());
    expect(said().map((sentence) => sentence.split(" ").slice(0, 4).join(" "))).toEqual([
      "add etcd-1 at https://127.0.0.1:21005",
      "start the learner etcd-1",
      "make the learner etcd-1",
      "add etcd-2 at https://127.0.0.1:21009",
      "start the learner etcd-2",
      "make the learner etcd-2",
    ]);
    expect(await voters(fleet.declare(names(5)))).toEqual(votersOf(5));
    expect(gap("3 to 5")).toBeLessThanOrEqual(longest.planned());
  });

  test("shrinks to three", async () => {
    expect(await voters(fleet.declare(names(3)))).toEqual(votersOf(3));
    expect(gap("5 to 3")).toBeLessThanOrEqual(longest.planned());
    for (const gone of ["etcd-3", "etcd-4"]) {
      expect((await fleet.runtime.observe(gone)).running).toBe(false);
      expect(fleet.runtime.directories(gone)).toEqual(["retired-1"]);
    }
  });

  test("restarts one after another for another configuration, the leader last", async () => {
    said();
    await fleet.reconcile(fleet.declare(names(3), { flags: { "snapshot-count": "5000" } }));
    const sentences = said();
    expect(sentences).toHaveLength(3);
    expect(sentences.at(-1)).toMatch(/^restart etcd-\d \(leader, hands over first\)$/);
    expect(gap("rolling restart")).toBeLessThanOrEqual(longest.planned());
    await fleet.reconcile(fleet.declare(names(3), { flags: { "snapshot-count": "5000" } }));
    expect(said()).toEqual([]);
    await fleet.reconcile(fleet.declare(names(3)));
    gap("restart back");
  });

  test("replaces a member whose disk was lost, when it is asked to", async () => {
    said();
    await fleet.runtime.wipe("etcd-1");
    await expect(fleet.reconcile(fleet.declare(names(3)))).rejects.toThrow(
      "etcd-1: its data are gone; it must not come back under its old identity: set etcd.replace to {etcd-1: 1} to have it removed and added again",
    );
    expect(said()).toEqual([]);
    gap("disk lost");
    const replace = { "etcd-1": 1 };
    expect(await voters(fleet.declare(names(3), { replace }))).toEqual(votersOf(3));
    expect(gap("replace")).toBeLessThanOrEqual(longest.election());
    expect(fleet.runtime.directories("etcd-1")).toEqual(["2"]);
    said();
    await fleet.reconcile(fleet.declare(names(3), { replace }));
    expect(said()).toEqual([]);
  });

  test("starts a leader that was killed", async () => {
    const replace = { "etcd-1": 1 };
    gap("before the kill");
    const leader = await leaderOf(fleet);
    await fleet.runtime.kill(leader);
    expect(await voters(fleet.declare(names(3), { replace }))).toEqual(votersOf(3));
    expect(said()).toEqual([`start ${leader} again, on the data there`]);
    expect(gap("leader killed")).toBeLessThanOrEqual(longest.election());
  });

  test("moves to other ports, peers and clients", async () => {
    const wanted = { replace: { "etcd-1": 1 }, shifted: names(3) };
    const { members } = await fleet.reconcile(fleet.declare(names(3), wanted));
    expect(members.map(({ peerUrl }) => peerUrl)).toEqual([
      "https://127.0.0.1:21003",
      "https://127.0.0.1:21007",
      "https://127.0.0.1:21011",
    ]);
    expect(gap("other ports")).toBeLessThanOrEqual(longest.planned());
    await fleet.reconcile(fleet.declare(names(3), { replace: { "etcd-1": 1 } }));
    gap("ports back");
    said();
  });

  test("lost nothing that was acknowledged, and left no watch behind", async () => {
    const report = await load.stop();
    console.log(JSON.stringify({ ...report, gaps }));
    expect(report).toMatchObject({ lost: 0, silent: 0 });
    expect(report.acknowledged).toBeGreaterThan(200);
  });
});

async function leaderOf(fleet: EtcdFleet): Promise<string> {
  const { facts } = await look(fleet.context(fleet.declare(names(3), { replace: { "etcd-1": 1 } })));
  return facts.report.members.find(({ leader }) => leader)?.name ?? "";
}

jest.setTimeout(180_000);
