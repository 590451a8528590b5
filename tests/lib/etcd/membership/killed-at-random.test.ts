import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { look } from "../../../../lib/etcd/membership/context.ts";
import type { Desired } from "../../../../lib/etcd/membership/situation.ts";
import { EtcdFleet } from "../../../support/etcd-fleet.ts";
import { EtcdLoad } from "../../../support/etcd-load.ts";
import { Programs } from "../../../support/running.ts";
import { seededRandom, testSeed } from "../../../support/seeded-random.ts";

const port = 21620;
const names = (size: number) => Array.from({ length: size }, (_, i) => `etcd-${i}`);

/** One cluster that clients write to and watch all the time; each test goes on where the one before has left it. */
describe("a run that is killed at random instants, again and again,", () => {
  const programs = new Programs(mkdtempSync(join(tmpdir(), "etcd-random-")));
  const seed = testSeed();
  const random = seededRandom(seed);
  let fleet: EtcdFleet;
  let load: EtcdLoad;

  beforeAll(async () => {
    console.log(`once more: KARMADA_TEST_SEED=${seed}`);
    fleet = await EtcdFleet.create(programs, port);
    await fleet.reconcile(fleet.declare(names(1)));
    const endpoints = fleet.declare(names(5)).members.map(({ clientUrl }) => clientUrl);
    load = new EtcdLoad(fleet.connection, endpoints);
    await load.start();
  });
  afterAll(async () => {
    await fleet.stop();
    rmSync(programs.directory, { recursive: true });
  });

  /** At most one learner, nobody twice or unknown; and no data directory was started that had been used before. */
  async function hasNothingDoubled(desired: Desired): Promise<void> {
    const { facts } = await look(fleet.context(desired));
    const listed = facts.report.members.filter(({ name }) => name !== "").map(({ name }) => name);
    expect(listed).toEqual(names(5).filter((name) => listed.includes(name)));
    expect(facts.report.members.filter(({ learner }) => learner).length).toBeLessThanOrEqual(1);
    const addresses = facts.report.members.map(({ peerUrls }) => peerUrls.join());
    expect(new Set(addresses).size).toBe(addresses.length);
    for (const name of names(5)) {
      const starts = fleet.runtime.starts(name);
      const ever = [...new Set(starts.map(({ incarnation }) => incarnation))];
      expect(starts).toEqual(ever.map((incarnation) => ({ incarnation, used: false })));
    }
  }

  test.each([
    ["grows from one member to three", 3, 3500],
    ["grows to five", 5, 3500],
    ["shrinks back to three", 3, 900],
    ["takes back one that left", 4, 2000],
  ])("%s, and leaves nothing double or behind", async (_, size, latest) => {
    const desired = fleet.declare(names(size));
    const instants: number[] = [];
    let said: string[] = [];
    for (let killed = true; killed && instants.length < 6;) {
      const instant = Math.round(250 + random() * (latest - 250));
      instants.push(instant);
      const run = await fleet.reconcileApart(desired, "", instant);
      said = [...said, ...run.said];
      killed = run.signal !== undefined;
      await hasNothingDoubled(desired);
    }
    const begun = said.map((sentence) => sentence.split(" ").slice(0, 4).join(" "));
    console.log(`to ${size}, killed after ${instants.join(", ")} ms: ${begun.join("; ")}`);
    await fleet.reconcileApart(desired);
    await hasNothingDoubled(desired);
    const outcome = await fleet.note(desired);
    expect(outcome.members.map(({ name, role }) => `${name} ${role}`)).toEqual(
      names(size).map((name) => `${name} voter`),
    );
    for (const gone of names(5).slice(size)) {
      expect((await fleet.runtime.observe(gone)).running).toBe(false);
      expect(fleet.runtime.directories(gone).filter((directory) => !directory.startsWith("retired-"))).toEqual([]);
    }
    expect((await fleet.reconcileApart(desired)).said).toEqual([]);
  });

  test("lost nothing that was acknowledged, and left no watch behind", async () => {
    const report = await load.stop();
    console.log(JSON.stringify(report));
    expect(report).toMatchObject({ lost: 0, silent: 0 });
    expect(report.acknowledged).toBeGreaterThan(200);
    expect(new Set(await fleet.digests(fleet.declare(names(4)))).size).toBe(1);
  });
});

jest.setTimeout(180_000);
