import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { BackupStatus } from "../../lib/backup/status.ts";
import { provider } from "../../providers/etcd-backup-status-impl.ts";

const directory = mkdtempSync(join(tmpdir(), "backup-status-"));
const path = join(directory, "status.json");
afterAll(() => rmSync(directory, { recursive: true }));
afterEach(() => rmSync(path, { force: true }));

const versions = { karmada: "1.18.2", kubernetes: "1.35.3", etcd: "3.6.6" };
const inputs = { path, versions, gate: true, timeoutSeconds: 0.5 };
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
const begun: BackupStatus = {
  format: 1,
  deployment: "prod",
  schedule: { cron: "*/10 * * * *", jitterSeconds: 0 },
  since: ago(60),
  targets: [],
};
const succeeded = (minutes: number): BackupStatus => ({
  ...begun,
  run: { due: ago(minutes), ended: ago(minutes), failures: 0 },
  lastSuccess: { at: ago(minutes), id: "x", revision: "97", sizeBytes: 1, seconds: 1, verified: "status" },
});
const write = (status: BackupStatus) => writeFileSync(path, JSON.stringify(status));

describe("the first backup", () => {
  test("is waited for", async () => {
    write({ ...begun, since: ago(0) });
    const created = provider.create({ ...inputs, timeoutSeconds: 20 });
    await sleep(200);
    write(succeeded(0));
    const { id, outs } = await created;
    expect(id).toBe(path);
    expect(outs).toMatchObject({ lastRevision: "97", lastSuccess: expect.any(String), ageSeconds: 0 });
    expect(outs.problem).toBeUndefined();
  });

  test("that takes long is not an error, and is said", async () => {
    write({ ...begun, since: ago(0) });
    const { outs } = await provider.create(inputs);
    expect(outs.problem).toBe("the first backup has not come to its end yet");
  });

  test("that fails is one, with its reason; what there is is kept", async () => {
    write({ ...begun, run: { due: ago(0), ended: ago(0), failures: 1, error: "file:///backup: not mounted" } });
    await expect(provider.create(inputs)).rejects.toMatchObject({
      message: "the first backup failed: file:///backup: not mounted",
      id: path,
    });
  });

  test("is one that was taken here, not one from another place that is known of", async () => {
    const { seconds: _, ...recalled } = succeeded(100).lastSuccess!;
    const run = { due: ago(0), ended: ago(0), failures: 1, error: "s3://b/prod: access denied" };
    write({ ...begun, run, lastSuccess: recalled });
    await expect(provider.create(inputs)).rejects.toThrow("the first backup failed: s3://b/prod: access denied");
    write({ ...begun, lastSuccess: recalled });
    expect((await provider.create(inputs)).outs.problem).toBe("the first backup has not come to its end yet");
  });

  test("that failed a while ago is waited for, as it is tried again", async () => {
    write({ ...begun, run: { due: ago(5), ended: ago(5), failures: 1, error: "file:///backup: not mounted" } });
    const updated = provider.update(path, inputs, { ...inputs, timeoutSeconds: 20 });
    await sleep(200);
    write(succeeded(0));
    expect((await updated).outs.lastRevision).toBe("97");
  });

  test("without a program that would take it is an error after the time for it", async () => {
    await expect(provider.create(inputs)).rejects.toThrow(
      `waited 0.5s for the first backup: ${path}: there is no status`,
    );
  });
});

describe("a refresh", () => {
  test("changes nothing while backups come, however old the state is", async () => {
    write(succeeded(8));
    const { outs } = await provider.create(inputs);
    write(succeeded(1));
    expect((await provider.read(path, outs)).props).toEqual(outs);
    expect((await provider.diff(path, outs, inputs)).changes).toBe(false);
  });

  test("finds what is overdue, which the next up tells and does not fail for", async () => {
    write(succeeded(1));
    const { outs } = await provider.create(inputs);
    write(succeeded(45));
    const seen = await provider.read(path, outs);
    expect(seen.props.drift).toEqual([
      expect.stringMatching(/^the newest snapshot is of .*, 45 min ago: two were due since$/),
    ]);
    expect((await provider.diff(path, seen.props, inputs)).changes).toBe(true);
    const updated = await provider.update(path, seen.props, inputs);
    expect(updated.outs.problem).toMatch(/two were due/);

    write(succeeded(1));
    const mended = await provider.read(path, updated.outs);
    expect(mended.props.problem).toBeUndefined();
    expect(mended.props.drift).toBeUndefined();
  });
});

describe("with the gate, other versions", () => {
  const newer = { ...inputs, versions: { ...versions, karmada: "1.18.3" } };
  const failures = async (news: object, olds: object = inputs) => (await provider.check(olds, news)).failures;

  test("are refused while backups are overdue, or unknown", async () => {
    write(succeeded(45));
    expect(await failures(newer)).toEqual([
      {
        property: "versions",
        reason: expect.stringMatching(
          /^versions are not changed without a recent backup: the newest snapshot is of .*\nmend the backups, or set snapshots.schedule.gate to false$/,
        ),
      },
    ]);
    rmSync(path);
    expect(await failures(newer)).toHaveLength(1);
  });

  test("are refused where no snapshot is known and the last attempt failed, not where none is due yet", async () => {
    const error = "s3://backup/prod: the server does not accept the credentials";
    write({ ...begun, since: ago(1), run: { due: ago(1), ended: ago(1), failures: 1, error } });
    expect(await failures(newer)).toEqual([
      { property: "versions", reason: expect.stringContaining(`the last backup failed, once in a row: ${error}`) },
    ]);
    expect(await failures(newer, {})).toEqual([]);
    write({ ...begun, since: ago(1) });
    expect(await failures(newer)).toEqual([]);
  });

  test("are welcome with a recent backup, without the gate, and at first", async () => {
    write(succeeded(1));
    expect(await failures(newer)).toEqual([]);
    write(succeeded(45));
    expect(await failures({ ...newer, gate: false })).toEqual([]);
    expect(await failures(inputs)).toEqual([]);
    expect(await failures(newer, {})).toEqual([]);
  });

  test("are no reason to do anything here", async () => {
    expect(await provider.diff(path, { ...inputs, schemaVersion: 1 }, newer)).toMatchObject({ changes: false });
  });
});
