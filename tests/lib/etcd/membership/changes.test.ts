import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { EtcdFleet } from "../../../support/etcd-fleet.ts";
import { EtcdLoad, longest } from "../../../support/etcd-load.ts";
import { programPath } from "../../../support/programs.ts";
import { Programs } from "../../../support/running.ts";

const three = ["etcd-0", "etcd-1", "etcd-2"];

describe("with clients that never stop, a cluster", () => {
  const programs = new Programs(mkdtempSync(join(tmpdir(), "etcd-versions-")));
  const version = async (number: string) => ({ number, command: await programPath(`etcd@${number}`) });
  const gaps: Record<string, number> = {};
  let fleet: EtcdFleet;
  let load: EtcdLoad;

  beforeAll(async () => {
    fleet = await EtcdFleet.create(programs, 21300);
    const desired = fleet.declare(three, { version: await version("3.5.35"), peerScheme: "http" });
    await fleet.reconcile(desired);
    load = new EtcdLoad(
      fleet.connection,
      desired.members.map(({ clientUrl }) => clientUrl),
    );
    await load.start();
  });
  afterAll(async () => {
    await fleet.stop();
    rmSync(programs.directory, { recursive: true });
  });

  async function comesTo(number: string, what: string): Promise<void> {
    load.takeGap();
    const { members } = await fleet.reconcile(fleet.declare(three, { version: await version(number) }));
    gaps[what] = load.takeGap();
    expect(gaps[what]).toBeLessThanOrEqual(longest.planned());
    expect(members.map((member) => member.version)).toEqual(three.map(() => number));
  }

  test("encrypts what its peers say", async () => {
    load.takeGap();
    const { members } = await fleet.reconcile(fleet.declare(three, { version: await version("3.5.35") }));
    gaps["http to https"] = load.takeGap();
    expect(gaps["http to https"]).toBeLessThanOrEqual(longest.planned());
    expect(members.map(({ peerUrl }) => new URL(peerUrl).protocol)).toEqual(three.map(() => "https:"));
  });

  test("goes up a minor version", () => comesTo("3.6.6", "3.5.35 to 3.6.6"));

  test("goes up a patch", () => comesTo("3.6.8", "3.6.6 to 3.6.8"));

  test("goes down a minor version again, with etcd's leave", async () => {
    fleet.said.splice(0);
    await comesTo("3.5.35", "3.6.8 to 3.5.35");
    expect(fleet.said[0]).toBe(
      "have etcd store everything as 3.5 does; until all run it, the version can only go there or back",
    );
    expect(fleet.said.slice(1)).toEqual(
      three.map(() => expect.stringMatching(/^restart etcd-\d: etcd 3\.6\.8 to 3\.5\.35/)),
    );
  });

  test("skips no minor version", async () => {
    const desired = fleet.declare(three, { version: await version("3.5.35") });
    await expect(fleet.reconcile({ ...desired, version: "3.7.1" })).rejects.toThrow(
      "etcd goes up one minor version at a time: from 3.5 to 3.6 first, then to 3.7.1",
    );
  });

  test("takes back a learner that does not come up, and says what its log says", async () => {
    const desired = fleet.declare([...three, "etcd-3"], { version: await version("3.5.35"), broken: ["etcd-3"] });
    const error = await fleet.reconcile(desired, 4).catch((thrown: unknown) => String(thrown));
    expect(error).toMatch(
      /^Error: etcd-3: joining as a learner: waited .* for etcd-3 to catch up: https:\/\/127\.0\.0\.1:21312: connection refused/,
    );
    expect(error).toMatch(/etcd-3, last lines of its log:\n(.*\n)*fatal /);
    expect(error).toMatch(/it was taken back, the cluster is as before$/);
    const after = await fleet.reconcile(fleet.declare(three, { version: await version("3.5.35") }));
    expect(after.members.map(({ name, role }) => `${name} ${role}`)).toEqual(three.map((name) => `${name} voter`));
  });

  test("lost nothing that was acknowledged, and left no watch behind", async () => {
    const report = await load.stop();
    console.log(JSON.stringify({ ...report, gaps }));
    expect(report).toMatchObject({ lost: 0, silent: 0 });
    expect(new Set(await fleet.digests(fleet.declare(three, { version: await version("3.5.35") }))).size).toBe(1);
  });
});

jest.setTimeout(180_000);
