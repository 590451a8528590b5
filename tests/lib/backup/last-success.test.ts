import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Backups } from "../../../lib/backup/backups.ts";
import type { BackupSettings } from "../../../lib/backup/settings.ts";
import { manifestFile, manifestText, parseManifest, type Manifest } from "../../../lib/snapshots/manifest.ts";
import { type EtcdCluster, startEtcd } from "../../support/etcd.ts";
import { Programs } from "../../support/running.ts";
import { fill, settingsFor } from "./support.ts";

/** The program in another place, where it has no status of its own, and a target that it can read but not use. */
const programs = new Programs(mkdtempSync(join(tmpdir(), "last-success-")));
const directory = join(programs.directory, "case");
const target = join(directory, "backup");
let etcd: EtcdCluster;
let settings: Record<string, unknown>;
let taken: string;

beforeAll(async () => {
  etcd = await startEtcd(programs, 25060);
  await fill(etcd, 1, 1000);
  const schedule = { cron: "0 * * * *", jitterSeconds: 0 };
  settings = { ...(await settingsFor(etcd, directory, 25070)), schedule, verify: "sha" };
  Object.assign(settings["etcd"] as object, { parts: [] });
  taken = (await once(settings)).lastSuccess!.id;
}, 120_000);
afterAll(() => programs.remove());

async function once(of: Record<string, unknown>) {
  const backups = new Backups(of as unknown as BackupSettings, () => {});
  await backups.once({ drill: false }, new AbortController().signal);
  return backups.status;
}

let count = 0;
const elsewhere = (changes: object = {}) =>
  once({ ...settings, directory: join(directory, `place-${count++}`), apartFrom: [target], ...changes });

function rewrite(changes: Partial<Manifest>): void {
  const path = join(target, "prod", manifestFile(taken));
  writeFileSync(path, manifestText({ ...parseManifest(readFileSync(path, "utf8")), ...changes }));
}

test("it finds what it has taken last in the targets", async () => {
  const at = new Date(Date.now() - 5 * 3_600_000).toISOString();
  rewrite({ createdAt: at });
  const { run, lastSuccess } = await elsewhere();
  expect(run).toMatchObject({ failures: 1, error: expect.stringContaining("holds the data themselves") });
  expect(lastSuccess).toMatchObject({ id: taken, at, verified: "sha" });
  expect(lastSuccess).not.toHaveProperty("seconds");
});

test("what is of no use to tell how old the newest is does not count: of no known cluster, of another, or not by the clock", async () => {
  const nowhere = { ...(settings["etcd"] as object), endpoints: ["https://127.0.0.1:1"] };
  expect((await elsewhere({ etcd: nowhere })).lastSuccess).toBeUndefined();
  rewrite({ reason: "on-demand" });
  expect((await elsewhere()).lastSuccess).toBeUndefined();
  rewrite({ reason: "scheduled", clusterId: "ab12" });
  expect((await elsewhere()).lastSuccess).toBeUndefined();
});
