/** Snapshots by the clock, from a stack file: taken without pulumi, told by it, and left alone by it. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { X509Certificate } from "node:crypto";
import { eventually } from "./support/kubectl.ts";
import { prometheusOf, untold } from "./support/prometheus.ts";
import { TestStack } from "./support/stack.ts";

interface Outputs {
  versions: Record<string, string>;
  backups?: {
    schedule: string;
    lastSuccess?: string;
    lastRevision?: string;
    ageSeconds?: number;
    problem?: string;
    statusFile: string;
  };
}

const basePort = 25000;
let kept: string;
let stack: TestStack;

beforeAll(async () => {
  kept = await mkdtemp(join(tmpdir(), "karmada-backups-"));
  stack = await TestStack.create(
    {
      etcd: { kind: "managed", members: 1 },
      monitoring: { enabled: true },
      snapshots: {
        targets: [{ kind: "local", directory: kept }],
        // The second is the shortest jitter there is.
        schedule: { cron: "* * * * *", jitter: "1s", gate: true, metricsFile: join(kept, "collector", "karmada.prom") },
        keep: { last: 2, hourly: 0, daily: 0, weekly: 0 },
      },
    },
    basePort,
  );
});

afterAll(async () => {
  await stack?.remove();
  await rm(kept, { recursive: true, force: true });
}, 180_000);

const snapshots = async () => (await readdir(join(kept, "test"))).filter((file) => file.endsWith(".json")).sort();
const program = async () => (await stack.processes()).filter(({ command }) => command.includes("lib/backup/main.ts"));
const backups = async () => (await stack.outputs<Outputs>()).backups;

test("the first up ends with a first snapshot, and says so", async () => {
  await stack.up();
  const outputs = await stack.outputs<Outputs>();
  expect(outputs.backups).toEqual({
    schedule: "* * * * *",
    lastSuccess: expect.stringMatching(/^\d{4}-/),
    lastRevision: expect.stringMatching(/^\d+$/),
    ageSeconds: expect.any(Number),
    statusFile: join(stack.directory, "etcd-backup/data/status.json"),
  });
  expect(outputs.versions["etcd-backup"]).toBe("0.1.0");
  expect((await snapshots()).length).toBeGreaterThan(0);
  expect(await program()).toHaveLength(1);
}, 300_000);

test("the backup program shows etcd a certificate of its own", async () => {
  const pem = await readFile(join(stack.directory, "etcd-backup/pki/etcd/client.crt"), "utf8");
  expect(new X509Certificate(pem).subject).toBe("CN=system:karmada:etcd-backup-etcd-client");
});

test("further ones come by themselves, as many stay as shall, and monitoring can read of them", async () => {
  const before = await snapshots();
  await eventually(snapshots, (now) => now.filter((file) => !before.includes(file)).length >= 2, 150);
  await eventually(snapshots, (now) => now.length === 2, 20);
  expect(await readFile(join(kept, "collector/karmada.prom"), "utf8")).toMatch(/_overdue\{deployment="test"\} 0\n/);
}, 200_000);

test("a Prometheus is told by the program what the rules go by", async () => {
  const { rules, scraped, remove } = await prometheusOf(stack);
  await remove();
  const of = "of etcd-backup";
  const told = untold(rules, scraped).filter((each) => each.endsWith(of));
  // The schedule has no drill.
  expect(told).toEqual([`KarmadaBackupDrillFailed: karmada_etcd_backup_drill_success ${of}`]);
  expect(rules.map((rule) => ("alert" in rule ? rule.alert : ""))).toContain("KarmadaBackupOverdue");
}, 60_000);

test("a refresh, a preview and an up find nothing to change, however many there were", async () => {
  await stack.refresh("--expect-no-changes");
  await stack.successfully(["preview", "--expect-no-changes"]);
  const first = await backups();
  await stack.up("--expect-no-changes");
  const now = await backups();
  expect(Date.parse(now!.lastSuccess!)).toBeGreaterThan(Date.parse(first!.lastSuccess!));
  expect(now!.ageSeconds).toBeLessThan(120);
}, 300_000);

test("a saved plan is carried out a while later, when the last snapshot is another one", async () => {
  stack.config["controlPlane"] = { "karmada-scheduler": { logLevel: 4 } };
  await stack.preview("--save-plan", stack.savedPlan);
  const foretold = await snapshots();
  await eventually(snapshots, (now) => now.at(-1) !== foretold.at(-1), 90);
  const first = await backups();
  await stack.up("--plan", stack.savedPlan);
  expect(Date.parse((await backups())!.lastSuccess!)).toBeGreaterThan(Date.parse(first!.lastSuccess!));
}, 300_000);

test("the program comes back when it is killed, and goes on", async () => {
  const [{ pid } = { pid: 0 }] = await program();
  process.kill(pid, "SIGKILL");
  await eventually(program, (now) => now.length === 1 && now[0]!.pid !== pid, 60);
  await stack.successfully(["preview", "--refresh", "--expect-no-changes"]);
}, 180_000);

test("without a schedule the program ends, and the snapshots stay", async () => {
  stack.config["snapshots"] = { ...(stack.config["snapshots"] as object), schedule: undefined };
  const before = await snapshots();
  await stack.up();
  expect(await program()).toEqual([]);
  expect(await backups()).toBeUndefined();
  expect((await snapshots()).length).toBeGreaterThanOrEqual(before.length);
}, 180_000);
