import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { encode } from "../../../../lib/etcd/client.ts";
import { EtcdFleet, type Wanted } from "../../../support/etcd-fleet.ts";
import { Programs } from "../../../support/running.ts";

jest.setTimeout(300_000);

const three = ["etcd-0", "etcd-1", "etcd-2"];

/** One cluster, each test going on where the one before has left it. */
describe("members that are replaced by ones on another host", () => {
  const programs = new Programs(mkdtempSync(join(tmpdir(), "etcd-moved-")));
  let fleet: EtcdFleet;
  let clusterId: string | undefined;
  beforeAll(async () => {
    fleet = await EtcdFleet.create(programs, 21160);
    const desired = fleet.declare(three);
    await fleet.reconcile(desired);
    clusterId = fleet.known.clusterId;
    const put = { key: encode("/kept"), value: encode("x") };
    await fleet.client.call(desired.members[0]!.clientUrl, "kv/put", put);
  });
  afterAll(async () => {
    await fleet.stop();
    rmSync(programs.directory, { recursive: true });
  });

  const moving = (moved: readonly string[]): Wanted => ({
    moved,
    replace: Object.fromEntries(moved.map((name) => [name, 1])),
  });

  /** Dies at each point, one run after another, and then comes to its end. @returns what the runs said */
  async function moves(moved: readonly string[], points: readonly string[] = []): Promise<string[]> {
    const desired = fleet.declare(three, moving(moved));
    const said: string[] = [];
    for (const point of points) {
      const run = await fleet.reconcileApart(desired, `membership/${point}`);
      expect(run).toMatchObject({ signal: "SIGKILL" });
      said.push(...run.said);
    }
    said.push(...(await fleet.reconcileApart(desired)).said);
    const { members } = await fleet.note(desired);
    expect(members.map(({ name, role }) => `${name} ${role}`)).toEqual(three.map((name) => `${name} voter`));
    expect(new Set(await fleet.digests(desired)).size).toBe(1);
    expect(fleet.known).toMatchObject({ clusterId, replaced: moving(moved).replace });
    return said;
  }

  /** Of a member that has moved: nothing runs where it was, and where it is now it has begun with new data, once. */
  async function expectMoved(name: string): Promise<void> {
    expect((await fleet.runtime.observe(name)).running).toBe(false);
    expect((await fleet.otherHost.observe(name)).running).toBe(true);
    expect(fleet.otherHost.starts(name)[0]).toEqual({ incarnation: 2, used: false });
    expect(fleet.otherHost.directories(name)).toEqual(["2"]);
  }

  test("one that is well is removed and added, ended where it was, and keeps nothing of its identity", async () => {
    const said = await moves(["etcd-1"]);
    expect(said.map((sentence) => sentence.replace(/^hand leadership to another, /, ""))).toEqual([
      expect.stringMatching(/^remove etcd-1 \(to be replaced\)/),
      expect.stringMatching(/^add etcd-1 at https:\/\/127\.0\.0\.1:21167 /),
      "start the learner etcd-1",
      expect.stringMatching(/^make the learner etcd-1 a voter/),
    ]);
    await expectMoved("etcd-1");
  });

  test("the next one goes on where a run is killed, wherever that is", async () => {
    await moves(["etcd-1", "etcd-2"], ["removed", "added", "learner-started", "promoted"]);
    await Promise.all(["etcd-1", "etcd-2"].map(expectMoved));
  });

  test("the last one follows, so that all have moved, and nothing is lost", async () => {
    await moves(three, ["stopped"]);
    await Promise.all(three.map(expectMoved));
    const { kvs } = await fleet.client.call<{ kvs: object[] }>(
      fleet.declare(three, moving(three)).members[0]!.clientUrl,
      "kv/range",
      { key: encode("/kept") },
    );
    expect(kvs).toHaveLength(1);
  });
});

describe("a whole cluster that is replaced by one on other hosts", () => {
  const programs = new Programs(mkdtempSync(join(tmpdir(), "etcd-all-moved-")));
  let fleet: EtcdFleet;
  beforeAll(async () => {
    fleet = await EtcdFleet.create(programs, 21180);
    await fleet.reconcile(fleet.declare(three));
  });
  afterAll(async () => {
    await fleet.stop();
    rmSync(programs.directory, { recursive: true });
  });

  test("moves member by member and stays the same one", async () => {
    const { clusterId } = fleet.known;
    const desired = fleet.declare(three, { moved: three, replace: { "etcd-0": 1, "etcd-1": 1, "etcd-2": 1 } });
    const { members } = await fleet.reconcile(desired);
    expect(members.map(({ name, role }) => `${name} ${role}`).sort()).toEqual(three.map((name) => `${name} voter`));
    expect(fleet.known.clusterId).toBe(clusterId);
    expect(new Set(await fleet.digests(desired)).size).toBe(1);
    const left = await Promise.all(three.map((name) => fleet.runtime.observe(name)));
    expect(left.map(({ running }) => running)).toEqual([false, false, false]);
    expect(fleet.said.some((sentence) => sentence.startsWith("move "))).toBe(false);
  });
});
