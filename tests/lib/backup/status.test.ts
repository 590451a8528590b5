import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { metricsText } from "../../../lib/backup/metrics.ts";
import type { BackupSettings } from "../../../lib/backup/settings.ts";
import { StatusFile } from "../../../lib/backup/status-file.ts";
import { canMount, fillUp, mountTmpfs } from "../../support/mount.ts";
import { nobody, withoutNobody } from "../../support/nobody.ts";
import { assess, type BackupStatus, readStatus } from "../../../lib/backup/status.ts";

const local: BackupStatus["targets"][number] = {
  uri: "file:///backup/prod",
  snapshots: 30,
  damaged: 0,
  sizeBytes: 3000,
  newest: "20260302T100000Z-r481233-abcdef",
};
const good: BackupStatus = {
  format: 1,
  deployment: "prod",
  schedule: { cron: "0 * * * *", jitterSeconds: 0, drill: "0 3 * * 0" },
  since: "2026-03-01T00:00:00.000Z",
  run: { due: "2026-03-02T10:00:00.000Z", ended: "2026-03-02T10:00:04.000Z", failures: 0 },
  lastSuccess: {
    at: "2026-03-02T10:00:01.000Z",
    id: "20260302T100000Z-r481233-abcdef",
    revision: "481233",
    sizeBytes: 104,
    seconds: 2.5,
    verified: "status",
  },
  targets: [local],
  drill: { due: "2026-03-01T03:00:00.000Z", at: "2026-03-01T03:00:01.000Z", id: "x", seconds: 4, keys: 12 },
};
const at = (time: string) => new Date(`2026-03-02T${time}Z`);

describe("an assessment", () => {
  test("has nothing to say against a recent backup", () => {
    expect(assess(good, at("11:30:01"))).toEqual({ ageSeconds: 5400, overdue: false, problems: [] });
  });

  test("names what is overdue, failing, damaged or was not restored, each in a sentence", () => {
    const bad: BackupStatus = {
      ...good,
      run: {
        due: "2026-03-02T12:00:00.000Z",
        ended: "2026-03-02T12:00:01.000Z",
        failures: 3,
        error: "no member answers",
      },
      targets: [
        { ...local, damaged: 1 },
        { ...local, uri: "s3://b/prod", problem: "s3://b/prod: no answer" },
      ],
      drill: { due: good.since, at: good.since, seconds: 1, problem: "etcd has ended" },
    };
    expect(assess(bad, at("13:00:01"))).toEqual({
      ageSeconds: 10_800,
      overdue: true,
      problems: [
        "the last backup failed, 3 times in a row: no member answers",
        "the newest snapshot is of 2026-03-02T10:00:01.000Z, 3 h ago: two were due since",
        "s3://b/prod: no answer",
        "file:///backup/prod: 1 damaged snapshots",
        "the restore drill of 2026-03-01T00:00:00.000Z failed: etcd has ended",
      ],
    });
  });

  test("says of a snapshot whose time is still to come that its age is not known", () => {
    expect(assess(good, new Date("2026-03-01T00:00:00Z"))).toEqual({
      ageSeconds: 0,
      overdue: true,
      problems: [
        "the newest snapshot is of 2026-03-02T10:00:01.000Z, which is still to come: a clock was ahead, its age is not known",
      ],
    });
  });

  test("before the first snapshot it waits for two to be due", () => {
    const fresh = { ...good, since: "2026-03-02T10:10:00.000Z", lastSuccess: undefined };
    expect(assess(fresh, at("11:59:00")).problems).toEqual([]);
    expect(assess(fresh, at("12:00:00")).problems).toEqual(["there is no snapshot yet, though two were due"]);
  });
});

describe("the metrics", () => {
  test("give every figure with its deployment and target", () => {
    const lines = metricsText(good, at("10:30:01")).split("\n");
    expect(lines.filter((line) => !line.startsWith("#") && line !== "")).toEqual([
      'karmada_etcd_backup_last_success_timestamp_seconds{deployment="prod"} 1772445601',
      'karmada_etcd_backup_age_seconds{deployment="prod"} 1800',
      'karmada_etcd_backup_overdue{deployment="prod"} 0',
      'karmada_etcd_backup_revision{deployment="prod"} 481233',
      'karmada_etcd_backup_size_bytes{deployment="prod"} 104',
      'karmada_etcd_backup_duration_seconds{deployment="prod"} 2.5',
      'karmada_etcd_backup_last_run_timestamp_seconds{deployment="prod"} 1772445604',
      'karmada_etcd_backup_failures{deployment="prod"} 0',
      'karmada_etcd_backup_target_up{deployment="prod",target="file:///backup/prod"} 1',
      'karmada_etcd_backup_target_snapshots{deployment="prod",target="file:///backup/prod"} 30',
      'karmada_etcd_backup_target_damaged{deployment="prod",target="file:///backup/prod"} 0',
      'karmada_etcd_backup_target_size_bytes{deployment="prod",target="file:///backup/prod"} 3000',
      'karmada_etcd_backup_drill_timestamp_seconds{deployment="prod"} 1772334001',
      'karmada_etcd_backup_drill_success{deployment="prod"} 1',
    ]);
    expect(lines.filter((line) => line.startsWith("# TYPE"))).toHaveLength(14);
  });

  test("tell buckets of the same name at different servers apart", () => {
    const uri = "s3://backup/prod";
    const names = ["https://10.0.0.7", "https://10.0.0.8"].map((endpoint) => `${uri}?endpoint=${endpoint}`);
    const lines = metricsText({ ...good, targets: names.map((name) => ({ ...local, uri, name })) }, at("10:30:01"));
    for (const name of names)
      expect(lines).toContain(`karmada_etcd_backup_target_up{deployment="prod",target="${name}"} 1\n`);
  });

  test("leave out what is not known, and quote what a path may hold", () => {
    const targets = [{ ...local, uri: 'file:///a"b\\c' }];
    const fresh = { ...good, targets, lastSuccess: undefined, drill: undefined };
    const text = metricsText(fresh, at("10:30:00"));
    expect(text).not.toMatch(/age_seconds|revision|drill/);
    expect(text).toContain('target="file:///a\\"b\\\\c"');
    expect(text).toContain('failures{deployment="prod"} 0');
  });
});

describe("the status file", () => {
  const directory = mkdtempSync(join(tmpdir(), "backup-status-"));
  afterAll(() => rmSync(directory, { recursive: true }));
  const settings = {
    deployment: "prod",
    schedule: good.schedule,
    directory,
    metricsFile: join(directory, "collector.prom"),
  } as unknown as BackupSettings;
  const path = join(directory, "status.json");
  const said: string[] = [];
  const log = (line: string) => void said.push(line);
  afterEach(() => void said.splice(0));

  test("is kept over a restart, but a failure is forgotten: it is tried again at once", () => {
    const file = new StatusFile(settings, at("09:00:00"), log);
    const { run, lastSuccess, targets } = good;
    file.update({ run, lastSuccess, targets });
    expect(new StatusFile(settings, at("11:00:00"), log).value).toEqual({
      ...good,
      since: at("09:00:00").toISOString(),
      drill: undefined,
    });
    file.update({ run: { ...good.run!, error: "no", failures: 1 } });
    expect(new StatusFile(settings, at("11:00:00"), log).value).toMatchObject({ lastSuccess, targets });
    expect(readStatus(path)?.run).toBeUndefined();
  });

  test("is written by two: what one of them knows is not lost by the other", () => {
    const stays = new StatusFile(settings, at("11:30:00"), log);
    stays.update({ run: good.run, drill: { ...good.drill!, problem: "no answer", failures: 1 } });
    new StatusFile(settings, at("11:31:00"), log).update({ drill: good.drill });
    stays.write(at("11:32:00"));
    expect(readStatus(path)?.drill).toEqual(good.drill);
    stays.update({ targets: [] });
    expect(readStatus(path)).toMatchObject({ run: good.run, drill: good.drill, targets: [] });
    expect(stays.value).toEqual(readStatus(path));
  });

  test("of another deployment, or cut off, begins anew", () => {
    new StatusFile({ ...settings, deployment: "other" }, at("12:00:00"), log);
    expect(readStatus(path)).toMatchObject({ deployment: "other", since: at("12:00:00").toISOString(), targets: [] });
    writeFileSync(path, '{"format": 1, "dep');
    expect(readStatus(path)).toBeUndefined();
    expect(new StatusFile(settings, at("13:00:00"), log).value.since).toBe(at("13:00:00").toISOString());
  });

  test("lies beside metrics, of which a collector may read a second copy; nothing half-written is ever there", () => {
    expect(readdirSync(directory).sort()).toEqual(["collector.prom", "karmada-etcd-backup.prom", "status.json"]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(settings.metricsFile!).mode & 0o777).toBe(0o644);
    expect(readFileSync(settings.metricsFile!, "utf8")).toContain(
      'karmada_etcd_backup_failures{deployment="prod"} 0\n',
    );
  });

  test("is written although the collector's directory is not there", () => {
    writeFileSync(join(directory, "a-file"), "");
    const file = new StatusFile({ ...settings, metricsFile: join(directory, "a-file/x.prom") }, at("14:00:00"), log);
    file.update({ targets: [local] });
    expect(readStatus(path)?.targets).toEqual([local]);
    expect(said).toEqual([expect.stringMatching(/a-file\/x\.prom: writing the status: .*(EEXIST|ENOTDIR)/)]);
  });

  (withoutNobody("a collector's directory of others") === undefined ? test : test.skip)(
    "is told in a collector's file that is ours where its directory is not",
    () => {
      const others = mkdtempSync(join(tmpdir(), "collector-"));
      const own = mkdtempSync(join(tmpdir(), "backup-status-"));
      const metricsFile = join(others, "prod.prom");
      try {
        writeFileSync(metricsFile, "before\n".repeat(1000));
        for (const path of [own, metricsFile]) chownSync(path, nobody, nobody);
        chmodSync(others, 0o755);
        process.seteuid!(nobody);
        const file = new StatusFile({ ...settings, directory: own, metricsFile }, at("14:00:00"), log);
        file.update({ targets: [local] });
        expect(said).toEqual([]);
        expect(readFileSync(metricsFile, "utf8")).toBe(readFileSync(join(own, "karmada-etcd-backup.prom"), "utf8"));
      } finally {
        process.seteuid!(0);
        for (const path of [own, others]) rmSync(path, { recursive: true });
      }
    },
  );

  (canMount ? test : test.skip)("is told although the disk is full, which is said once", async () => {
    const own = join(directory, "own");
    const unmount = await mountTmpfs(own, "64k");
    try {
      const file = new StatusFile({ ...settings, directory: own }, at("14:00:00"), log);
      const free = fillUp(own);
      file.update({ targets: [local] });
      file.write(at("14:00:30"));
      expect(file.value.targets).toEqual([local]);
      expect(said).toEqual([
        expect.stringMatching(/own\/status\.json: writing the status: .*ENOSPC/),
        expect.stringMatching(/own\/karmada-etcd-backup\.prom: writing the status: .*ENOSPC/),
      ]);
      free();
      file.write(at("14:01:00"));
      expect(readStatus(join(own, "status.json"))?.targets).toEqual([local]);
    } finally {
      await unmount();
    }
  });
});
