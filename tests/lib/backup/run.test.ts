import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Journal } from "../../../lib/backup/journal.ts";
import { JournaledTarget } from "../../../lib/backup/journaled-target.ts";
import { runBackup } from "../../../lib/backup/run.ts";
import type { BackupSettings } from "../../../lib/backup/settings.ts";
import { DirectoryTarget } from "../../../lib/snapshots/directory-target.ts";
import { TargetError } from "../../../lib/snapshots/target.ts";
import { type EtcdCluster, startEtcd } from "../../support/etcd.ts";
import { Programs } from "../../support/running.ts";
import { fill, manifestsIn } from "./support.ts";

/** Runs into targets that have room for so many snapshots of each cluster. */
const programs = new Programs(mkdtempSync(join(tmpdir(), "run-")));
let etcd: EtcdCluster;

beforeAll(async () => {
  etcd = await startEtcd(programs, 25040);
  await fill(etcd, 1, 1000);
}, 120_000);
afterAll(() => programs.remove());

class Small extends DirectoryTarget {
  room = Infinity;
  override async prepare(bytes: number): Promise<void> {
    await super.prepare(bytes);
    const { snapshots } = await this.list();
    if (snapshots.length >= this.room) throw new TargetError("full", `${this.uri}: there is no room`);
  }
}

let count = 0;
/** Two targets of a deployment whose events have an etcd of their own. */
function fresh() {
  const directory = join(programs.directory, `case-${count++}`);
  const opened = ["first", "second"].map((place) => {
    const small = (deployment: string) => new Small({ directory: join(directory, place, deployment) });
    const targets = [small("prod"), small("prod.events")] as const;
    const [whole, events] = targets.map(
      (each) => new JournaledTarget(each, new Journal(directory), new AbortController().signal),
    );
    whole!.parts.set("prod.events", events!);
    return { targets, whole: whole! };
  });
  const run = (last: number) => {
    const settings = {
      deployment: "prod",
      karmadaVersion: "1.18.2",
      etcd: {
        endpoints: etcd.endpoints,
        parts: [{ name: "events", endpoints: etcd.endpoints }],
        ...etcd.files,
        prefix: "/registry",
      },
      targets: ["first", "second"].map((place) => ({ kind: "local", directory: join(directory, place) })),
      encryption: { kind: "none" },
      verify: "sha",
      keep: { last, hourly: 0, daily: 0, weekly: 0 },
      apartFrom: [],
    } as unknown as BackupSettings;
    return runBackup(
      settings,
      opened.map(({ whole }) => whole),
      join(directory, "scratch"),
    );
  };
  const [first, second] = opened.map(({ targets }) => targets);
  const there = (place: string) =>
    ["prod", "prod.events"].map((deployment) => manifestsIn(join(directory, place, deployment)).length);
  return { run, first: first!, second: second!, there };
}

test("a target without room is relieved of what need not be kept, and takes the snapshot then", async () => {
  const { run, first, there } = fresh();
  for (let i = 0; i < 3; i++) await run(10);
  for (const target of first) target.room = 3;

  const { snapshot, error, targets } = await run(1);
  expect(error).toBeUndefined();
  expect(targets).toMatchObject([{ newest: snapshot?.id }, { newest: snapshot?.id }]);
  expect(targets.map(({ problem }) => problem)).toEqual([undefined, undefined]);
  expect([there("first"), there("second")]).toEqual([
    [1, 1],
    [1, 1],
  ]);
});

test("so is one for copies, also where the parts have room and what they belong to has none", async () => {
  const { run, second, there } = fresh();
  for (let i = 0; i < 3; i++) await run(10);
  second[0].room = 3;

  expect((await run(2)).targets.map(({ problem }) => problem)).toEqual([undefined, undefined]);
  expect(there("second")).toEqual([2, 2]);
});

test("where everything is to be kept, everything is, and the run says that there is no room", async () => {
  const { run, first, second, there } = fresh();
  for (let i = 0; i < 2; i++) await run(10);
  first[0].room = 2;
  second[0].room = 2;

  const { error, targets } = await run(2);
  const problems = [first, second].map(([{ uri }]) => `${uri}: there is no room`);
  expect(error).toBe(problems.join("; "));
  expect(targets.map(({ problem }) => problem)).toEqual(problems);
  expect([there("first"), there("second")]).toEqual([
    [2, 2],
    [2, 2],
  ]);
});
