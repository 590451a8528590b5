import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { BackupStatus } from "../../../lib/backup/status.ts";
import { tryLock } from "../../../lib/supervisor/lock.ts";
import { deadlineIn, Pending, waitFor } from "../../../lib/wait.ts";
import { type EtcdCluster, startEtcd } from "../../support/etcd.ts";
import { canMount, fillUp, mountTmpfs } from "../../support/mount.ts";
import { Programs } from "../../support/running.ts";
import { BackupProgram, fill, filesIn, manifestsIn, settingsFor, until } from "./support.ts";
import { sha256 } from "../../../lib/sha256.ts";

/** The backup program itself, with a real etcd and real directories. */
const programs = new Programs(mkdtempSync(join(tmpdir(), "backup-")));
const port = 25000;
const listen = port + 10;
let etcd: EtcdCluster;
let running: BackupProgram | undefined;

const megabytes = 24;

beforeAll(async () => {
  etcd = await startEtcd(programs, port);
  await fill(etcd, 0, 0);
}, 120_000);
afterAll(async () => {
  await programs.remove();
});
afterEach(() => running?.end("SIGKILL"));

let count = 0;
/** Settings below a directory of their own, and where the snapshots go. */
async function fresh(change: Record<string, unknown> = {}) {
  const directory = join(programs.directory, `case-${count++}`);
  const settings = { ...(await settingsFor(etcd, directory, listen)), ...change };
  return { directory, settings, backup: join(directory, "backup", "prod"), own: join(directory, "own") };
}
const start = (settings: Record<string, unknown>, ...args: string[]) => (running = new BackupProgram(settings, args));
const hourly = { cron: "0 * * * *", jitterSeconds: 0 };
const oneOff = async (settings: Record<string, unknown>, ...args: string[]) => {
  const program = start(settings, "--once", ...args);
  return { code: await program.exit, status: program.status!, output: program.output };
};

test("takes a snapshot of an etcd that nobody has written to", async () => {
  const { settings, backup } = await fresh({ schedule: hourly });
  expect((await oneOff(settings)).code).toBe(0);
  expect(manifestsIn(backup)).toMatchObject([{ totalKeys: 0 }]);
  await fill(etcd, megabytes, 1_000_000);
}, 120_000);

test("empties its directory in the scratch one before and after, and leaves it there: on a host it could not make it again", async () => {
  const { settings, directory } = await fresh({ schedule: hourly });
  const scratch = join(directory, "scratch");
  const own = join(scratch, "karmada-backup-prod");
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, "left"), "");
  const { ino } = statSync(own);
  expect((await oneOff({ ...settings, scratch })).code).toBe(0);
  expect(statSync(own).ino).toBe(ino);
  expect(filesIn(own)).toEqual([]);
}, 120_000);

test("takes snapshots by the clock, keeps as many as it should, serves its status, and stays small", async () => {
  const { settings, backup, own } = await fresh();
  // Only the very first start reads TypeScript, which costs 17 MB.
  await oneOff((await fresh()).settings);
  const program = start(settings);
  const seen = new Set<string>();
  await until(() => {
    for (const { id } of manifestsIn(backup)) seen.add(id);
    return seen.size >= 6;
  }, 90);
  const page = async (path: string) => (await fetch(`http://127.0.0.1:${listen}${path}`)).text();
  expect(await page("/healthz")).toBe("ok\n");
  expect(JSON.parse(await page("/status"))).toMatchObject({ deployment: "prod", ageSeconds: expect.any(Number) });
  expect(await page("/metrics")).toMatch(/^karmada_etcd_backup_age_seconds\{deployment="prod"\} \d/m);
  expect(readFileSync(join(own, "karmada-etcd-backup.prom"), "utf8")).toMatch(/_revision\{deployment="prod"\} 25$/m);
  const peak = program.peakMemory;
  expect(await program.end("SIGTERM")).toBe(0);

  const manifests = manifestsIn(backup);
  expect(manifests).toHaveLength(3);
  const [oldestFirst] = [[...seen].sort()];
  expect(manifests.map(({ id }) => id).sort()[0]! > oldestFirst[2]!).toBe(true);
  expect(filesIn(backup)).toEqual(manifests.flatMap(({ id }) => [`${id}.db`, `${id}.json`]).sort());
  const newest = manifests.find(({ id }) => id === program.status?.lastSuccess?.id)!;
  expect(newest).toMatchObject({
    reason: "scheduled",
    deployment: "prod",
    revision: "25",
    verified: { level: "status" },
  });
  expect(sha256(readFileSync(join(backup, newest.file)))).toBe(newest.sha256);
  expect(newest.sizeBytes).toBeGreaterThan(megabytes * 1_000_000);
  console.info(`backup program: at most ${Math.round(peak)} MB with a database of ${megabytes} MB`);
  expect(peak).toBeLessThan(150);
}, 150_000);

test("killed while it writes a snapshot, it leaves nothing half-written once it runs again", async () => {
  const { settings, backup } = await fresh({ schedule: hourly });
  await oneOff(settings);
  const [before] = manifestsIn(backup);
  const program = start({ ...settings, schedule: { cron: "* * * * * *", jitterSeconds: 0 } });
  await until(() => filesIn(backup).some((file) => file.endsWith(".part")));
  expect(await program.end("SIGKILL")).toBe("SIGKILL");
  expect(filesIn(backup).filter((file) => file.endsWith(".part"))).toHaveLength(1);

  const { code, status } = await oneOff(settings);
  expect(code).toBe(0);
  expect(status.targets).toEqual([expect.objectContaining({ damaged: 0 })]);
  const manifests = manifestsIn(backup);
  expect(filesIn(backup)).toEqual(manifests.flatMap(({ id }) => [`${id}.db`, `${id}.json`]).sort());
  expect(manifests).toContainEqual(before);
}, 120_000);

test("told to end while it writes a snapshot, it gives it up, cleans up, and takes it when it runs again", async () => {
  const { settings, backup } = await fresh({ schedule: hourly });
  const program = start(settings);
  await until(() => filesIn(backup).some((file) => file.endsWith(".part")));
  expect(await program.end("SIGTERM")).toBe(0);
  expect(filesIn(backup)).toEqual([]);
  expect(program.status?.run).toBeUndefined();

  const again = start(settings);
  await until(() => again.status?.lastSuccess);
  expect(manifestsIn(backup)).toHaveLength(1);
}, 120_000);

test("started again, it does not take a snapshot for a moment that has one", async () => {
  const { settings, backup } = await fresh({ schedule: hourly });
  const first = start(settings);
  await until(() => first.status?.lastSuccess);
  await first.end("SIGTERM");
  start(settings);
  await sleep(3000);
  expect(manifestsIn(backup)).toHaveLength(1);
}, 60_000);

test("a target that cannot be written to is named in the status, and what it held is untouched", async () => {
  const { settings, directory, backup } = await fresh({ schedule: hourly });
  expect((await oneOff(settings)).code).toBe(0);
  const before = manifestsIn(backup);
  renameSync(join(directory, "backup"), join(directory, "aside"));
  writeFileSync(join(directory, "backup"), "in the way");

  const { code, status, output } = await oneOff(settings);
  expect(code).toBe(1);
  expect(status.run).toMatchObject({ failures: 1, error: expect.stringContaining(`file://${backup}: `) });
  expect(status.lastSuccess?.id).toBe(before[0]?.id);
  expect(status.targets).toEqual([
    { uri: `file://${backup}`, snapshots: 0, damaged: 0, sizeBytes: 0, problem: expect.any(String) },
  ]);
  expect(output).toContain("the last backup failed, once in a row");

  rmSync(join(directory, "backup"));
  renameSync(join(directory, "aside"), join(directory, "backup"));
  expect((await oneOff(settings)).code).toBe(0);
  expect(manifestsIn(backup)).toEqual(expect.arrayContaining(before));
}, 120_000);

test("the other targets get copies, and take the snapshot themselves while the first cannot", async () => {
  const { settings, directory, backup } = await fresh({ schedule: hourly });
  const second = join(directory, "second");
  const both = { ...settings, targets: [...(settings.targets as object[]), { kind: "local", directory: second }] };
  expect((await oneOff(both)).code).toBe(0);
  expect(manifestsIn(join(second, "prod"))).toEqual(manifestsIn(backup));

  rmSync(join(directory, "backup"), { recursive: true });
  writeFileSync(join(directory, "backup"), "in the way");
  const { code, status } = await oneOff(both);
  expect(code).toBe(1);
  expect(status.run).toMatchObject({ failures: 0 });
  expect(status.targets.map(({ snapshots, problem }) => [snapshots, problem === undefined])).toEqual([
    [0, false],
    [2, true],
  ]);
}, 120_000);

test("a further cluster's snapshots belong to the first one's: copied with them, and gone with them", async () => {
  const { settings, directory } = await fresh({ schedule: hourly, keep: { last: 1, hourly: 0, daily: 0, weekly: 0 } });
  const places = ["backup", "copies"].map((name) => join(directory, name));
  const of = { ...settings, targets: places.map((place) => ({ kind: "local", directory: place })) };
  const etcd = settings["etcd"] as { endpoints: string[] };
  const parts = [{ name: "events", endpoints: etcd.endpoints }];
  for (let run = 0; run < 2; run++) {
    expect(await oneOff({ ...of, etcd: { ...etcd, parts } })).toMatchObject({ code: 0 });
    for (const place of places) {
      const [manifest, ...more] = manifestsIn(join(place, "prod"));
      expect(more).toEqual([]);
      const [part] = manifest!.parts!;
      expect(part).toMatchObject({ name: "events", deployment: "prod.events" });
      expect(filesIn(join(place, "prod.events"))).toEqual([`${part!.id}.db`, `${part!.id}.json`]);
    }
  }
}, 120_000);

test("a cluster that is none of the deployment's any more keeps its snapshots as long as those they belong to", async () => {
  const { settings, directory } = await fresh({ schedule: hourly, keep: { last: 2, hourly: 0, daily: 0, weekly: 0 } });
  const places = ["backup", "copies"].map((name) => join(directory, name));
  const of = { ...settings, targets: places.map((place) => ({ kind: "local", directory: place })) };
  const etcd = settings["etcd"] as { endpoints: string[] };
  const parts = [{ name: "events", endpoints: etcd.endpoints }];
  expect(await oneOff({ ...of, etcd: { ...etcd, parts } })).toMatchObject({ code: 0 });
  const left = () => places.map((place) => filesIn(join(place, "prod.events")).length);
  const after = [];
  for (let run = 0; run < 2; run++) {
    expect(await oneOff(of)).toMatchObject({ code: 0 });
    after.push(left());
  }
  expect(after).toEqual([
    [2, 2],
    [0, 0],
  ]);
}, 120_000);

test("an etcd that does not answer is the problem of no target", async () => {
  const { settings } = await fresh({ schedule: hourly });
  const connection = settings.etcd as { endpoints: string[] };
  const nowhere = { ...connection, endpoints: [`https://127.0.0.1:${port + 9}`] };
  const { code, status } = await oneOff({ ...settings, etcd: nowhere });
  expect(code).toBe(1);
  expect(status.run?.error).toMatch(/no member can give a snapshot: .*connection refused/);
  expect(status.targets).toEqual([expect.not.objectContaining({ problem: expect.anything() })]);
}, 60_000);

(canMount ? test : test.skip)(
  "on a disk that is full, its log too, it goes on and says so to whoever asks",
  async () => {
    const { settings, own } = await fresh({ schedule: hourly });
    const unmount = await mountTmpfs(own, "64k");
    const log = openSync("/dev/full", "w");
    try {
      fillUp(own);
      running = new BackupProgram({ ...settings, directory: own }, [], log);
      const run = await waitFor("a backup", deadlineIn(20), async () => {
        const status = (await (await fetch(`http://127.0.0.1:${listen}/status`)).json()) as BackupStatus;
        return status.run ?? new Pending("there was none yet");
      });
      expect(run.error).toMatch(/ENOSPC/);
      expect(await running.end("SIGTERM")).toBe(0);
    } finally {
      await running?.end("SIGKILL");
      closeSync(log);
      await unmount();
    }
  },
  60_000,
);

test("a drill restores the newest snapshot, notes it as proved, and leaves nothing running or lying about", async () => {
  const { settings, backup, own } = await fresh({ schedule: { ...hourly, drill: "*/2 * * * * *" } });
  const program = start(settings);
  const drill = await until(() => program.status?.drill, 60);
  expect(drill).toMatchObject({ keys: megabytes, id: program.status?.lastSuccess?.id });
  expect(drill.problem).toBeUndefined();
  await program.end("SIGTERM");
  expect(manifestsIn(backup).map(({ verified }) => verified.level)).toEqual(["restore"]);
  expect(filesIn(own)).toEqual(["karmada-etcd-backup.prom", "lock", "scratch", "status.json", "unfinished.json"]);
  expect(filesIn(join(own, "scratch"))).toEqual([]);
}, 120_000);

test("a drill says which snapshots are damaged and finds the newest one that is not", async () => {
  const { settings, backup } = await fresh({ schedule: hourly });
  await oneOff(settings);
  await sleep(1000);
  await oneOff(settings);
  const [older, newer] = manifestsIn(backup);
  const file = join(backup, newer!.file);
  const bytes = readFileSync(file);
  bytes[5000]! ^= 1;
  writeFileSync(file, bytes);
  const { code, status } = await oneOff(settings, "--drill");
  // The snapshot that this run has taken is the newest, and good.
  expect(code).toBe(0);
  expect(status.drill).toMatchObject({ keys: megabytes });

  for (const { id, file } of manifestsIn(backup)) {
    if (id !== older!.id && id !== newer!.id) rmSync(join(backup, file));
  }
  const drilled = await oneOff(
    { ...settings, etcd: { ...(settings.etcd as object), endpoints: ["https://127.0.0.1:1"] } },
    "--drill",
  );
  expect(drilled.code).toBe(1);
  expect(drilled.status.drill).toMatchObject({ id: older!.id, keys: megabytes });
  expect(drilled.status.drill?.problem).toMatch(new RegExp(`${newer!.file}: .*damaged`));
}, 180_000);

test("a drill that could not be judged is tried again within minutes", async () => {
  const { settings, backup, own } = await fresh({ schedule: { ...hourly, drill: "0 4 1 1 *" } });
  expect((await oneOff(settings)).code).toBe(0);
  renameSync(backup, `${backup}-away`);
  const nowhere = { ...(settings.etcd as object), endpoints: ["https://127.0.0.1:1"] };
  const { status } = await oneOff({ ...settings, etcd: nowhere }, "--drill");
  expect(status.drill).toMatchObject({ problem: expect.stringMatching(/no snapshot to restore$/), failures: 1 });

  rmSync(backup, { recursive: true, force: true });
  renameSync(`${backup}-away`, backup);
  const due = { due: `${new Date().getUTCFullYear()}-01-01T04:00:00.000Z`, at: new Date(Date.now() - 60_000) };
  writeFileSync(join(own, "status.json"), JSON.stringify({ ...status, drill: { ...status.drill, ...due } }));
  const program = start(settings);
  const drill = await until(() => program.status?.drill?.keys !== undefined && program.status.drill, 60);
  expect(drill).toMatchObject({ due: due.due, keys: megabytes });
  expect(drill).not.toHaveProperty("problem");
  expect(drill).not.toHaveProperty("failures");
}, 120_000);

test("two at once do not get in each other's way", async () => {
  const { settings, backup, own } = await fresh({ schedule: hourly });
  await oneOff(settings);
  const lock = tryLock(join(own, "lock"));
  const { code, status } = await oneOff(settings);
  lock?.release();
  expect(code).toBe(1);
  expect(status.run?.error).toBe("another backup of this deployment is under way");
  expect(manifestsIn(backup)).toHaveLength(1);
}, 60_000);

test("settings that are wrong are refused, and never repeated", async () => {
  const { settings } = await fresh();
  const secret = {
    kind: "s3",
    bucket: "b",
    credentials: { kind: "keys", accessKeyId: "A", secretAccessKey: "" },
    secret: "Geheim",
  };
  const program = start({ ...settings, keep: { last: 0 }, targets: [secret] });
  expect(await program.exit).toBe(1);
  expect(program.output).toMatch(/settings\.json: reading the settings: .*keep\.last/);
  expect(program.output).not.toContain("Geheim");
}, 30_000);
