import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import type { FileContents } from "../../components/placement.ts";
import type { Process } from "../../components/process.ts";
import { readSettings } from "../../lib/backup/settings.ts";
import { deploymentOf } from "./support/deployment.ts";
import { fakePlacement } from "./support/fake-placement.ts";
import { settled, valueOf, withMocks } from "./support/mocks.ts";

const key = { privateKeyPem: "KEY", publicKeyPem: "PUBLIC", publicKeyFingerprintSha256: "SHA256:abc" };
const registered = await withMocks({ "tls:index/privateKey:PrivateKey": () => key });
const { EtcdBackupSchedule, planBackups } = await import("../../components/etcd-backup-schedule.ts");
const { versionsOfData } = await import("../../components/data-versions.ts");
const { planEtcd } = await import("../../components/etcd-plan.ts");
const { Pki } = await import("../../components/pki.ts");

const deployment = {
  ...deploymentOf({
    snapshots: {
      targets: [
        { kind: "local", directory: "/backup" },
        {
          kind: "s3",
          bucket: "karmada-backup",
          credentials: { kind: "keys", accessKeyId: "id", secretAccessKey: "s3cret" },
        },
      ],
      schedule: { cron: "15 * * * *", jitter: "10m", gate: true, metricsFile: "/var/lib/node_exporter/prod.prom" },
      keep: { last: 5 },
    },
  }),
};
const placed: { process: Process; files: FileContents; opts: pulumi.CustomResourceOptions }[] = [];
class Placed extends pulumi.CustomResource {
  constructor(name: string, opts: pulumi.CustomResourceOptions) {
    super("test:index:Placed", name, {}, opts);
  }
}
const placement = fakePlacement((process, files, opts) => {
  placed.push({ process, files, opts });
  return { resource: new Placed(process.name, opts), version: pulumi.output("0.1.0") };
});
const etcd = planEtcd(deployment as never);
const process = planBackups(deployment as never, etcd)!;
const pki = new Pki("prod-pki", {
  lifetimes: { authorityHours: 1, leafHours: 1, renewBeforeHours: 1 },
  processes: [process, ...etcd.members],
  requests: etcd.requests,
  placement,
});
const ready = new Placed("etcd", {});
const gated = versionsOfData(deployment);
const s3 = deployment.snapshots.targets[1] as { credentials: object };
const secret = { ...s3, credentials: { ...s3.credentials, secretAccessKey: pulumi.secret("s3cret") } };
const declared = (name: string) =>
  new EtcdBackupSchedule(
    name,
    {
      process,
      gated,
      deployment: {
        ...deployment,
        snapshots: { ...deployment.snapshots, targets: [deployment.snapshots.targets[0], secret] },
      } as never,
      etcd,
      ready,
      ground: { placement, pki },
    },
    {},
  );
const schedule = declared("prod-backups");
const versions = valueOf(pulumi.all(schedule.versions));
const state = valueOf(schedule.state);
await settled();
const settings = pulumi.output(placed[0]!.files["settings.json"]!);
const directory = mkdtempSync(join(tmpdir(), "settings-"));
afterAll(() => rmSync(directory, { recursive: true }));

test("the program is started once there is something to save, and is there once the first snapshot is", async () => {
  expect(placed[0]!.opts.dependsOn).toEqual([ready]);
  const status = registered.find(({ name }) => name === "prod-backups-status");
  expect(status?.dependsOn).toEqual(["etcd-backup"]);
  const { karmada, kubernetes, etcd } = deployment.versions;
  expect(status?.inputs).toMatchObject({
    path: "/data/status.json",
    gate: true,
    versions: { karmada, kubernetes, etcd },
  });
  expect(await versions).toEqual({ "etcd-backup": "0.1.0" });
  expect(await state).toEqual({ schedule: "15 * * * *", statusFile: "/data/status.json" });
});

test("it shows etcd a certificate of its own, good for a client and nothing else", () => {
  expect(process.certificates).toEqual([
    {
      name: "etcd-backup-etcd-client",
      authority: "etcd",
      commonName: "system:karmada:etcd-backup-etcd-client",
      usages: ["client"],
    },
  ]);
  expect(Object.keys(placed[0]!.files).sort()).toEqual([
    "pki/etcd/ca.crt",
    "pki/etcd/client.crt",
    "pki/etcd/client.key",
    "settings.json",
  ]);
});

test("its settings are what it reads, secrets in them are secret", async () => {
  expect(await pulumi.isSecret(settings)).toBe(true);
  writeFileSync(join(directory, "settings.json"), await valueOf(settings));
  expect(readSettings(join(directory, "settings.json"))).toEqual({
    deployment: "test",
    karmadaVersion: deployment.versions.karmada,
    etcd: {
      endpoints: ["https://etcd-0.test:2379", "https://etcd-1.test:2379", "https://etcd-2.test:2379"],
      parts: [],
      ca: "/files/pki/etcd/ca.crt",
      certificate: "/files/pki/etcd/client.crt",
      key: "/files/pki/etcd/client.key",
      prefix: "/registry",
    },
    targets: deployment.snapshots.targets,
    encryption: { kind: "none" },
    verify: "status",
    schedule: { cron: "15 * * * *", jitterSeconds: 600, drill: "0 4 * * 0" },
    keep: { last: 5, hourly: 24, daily: 7, weekly: 5 },
    programs: {
      etcd: `/programs/etcd-${deployment.versions.etcd}`,
      etcdutl: `/programs/etcdutl-${deployment.versions.etcd}`,
    },
    apartFrom: ["/data", "/data", "/data"],
    directory: "/data",
    metricsFile: "/var/lib/node_exporter/prod.prom",
    listen: { address: "127.0.0.1", port: 10080 },
  });
});

test("it may write to its targets, to the file of the collector and to its own directory in the scratch one", () => {
  const snapshots = { ...deployment.snapshots, scratch: "/var/scratch" };
  expect(planBackups({ ...deployment, snapshots } as never, etcd)!.writes).toEqual([
    { path: "/backup", own: ["test"] },
    { path: "/var/lib/node_exporter", files: ["prod.prom"] },
    { path: "/var/scratch", own: ["karmada-backup-test"] },
  ]);
});

test("what is its own in a mount is made there only", () => {
  const targets = [{ kind: "nfs", directory: "/mnt/backup" }];
  const snapshots = { ...deployment.snapshots, targets };
  expect(planBackups({ ...deployment, snapshots } as never, etcd)!.writes).toContainEqual({
    path: "/mnt/backup",
    own: ["test"],
    network: true,
  });
});

test("the backup program writes to the volume of a mount, and knows only the mount", async () => {
  const volume = { persistentVolume: "karmada-backup" };
  const targets = [{ kind: "nfs", directory: "/mnt/backup", volume }];
  const snapshots = { ...deployment.snapshots, targets };
  const changed = { ...deployment, snapshots } as never;
  expect(planBackups(changed, etcd)!.writes).toContainEqual({
    path: "/mnt/backup",
    own: ["test"],
    network: true,
    volume,
  });
  const from = placed.length;
  new EtcdBackupSchedule(
    "prod-in-pod",
    { process, deployment: changed, gated, etcd, ready, ground: { placement, pki } },
    {},
  );
  const text = await valueOf(pulumi.output(placed[from]!.files["settings.json"]!));
  expect(JSON.parse(text).targets).toEqual([{ kind: "nfs", directory: "/mnt/backup" }]);
});

test("the backup program has the limits and requests of the schedule", () => {
  const resources = { memory: "1Gi", requests: { memory: "256Mi" } };
  const schedule = { ...deployment.snapshots.schedule!, resources };
  const snapshots = { ...deployment.snapshots, schedule };
  expect(planBackups({ ...deployment, snapshots } as never, etcd)).toMatchObject({
    limits: { memory: "1Gi" },
    requests: { memory: "256Mi" },
  });
});

test("on a host it is given what the profile takes that a file of this machine has, and no more", async () => {
  const path = join(directory, "credentials");
  writeFileSync(path, "[other]\naws_access_key_id = O\n[backup]\naws_access_key_id = B\n");
  const onHost = (profile: string, from = placed.length) => {
    const file = { ...s3, credentials: { kind: "file", path, profile } };
    const snapshots = { ...deployment.snapshots, targets: [deployment.snapshots.targets[0], file] };
    const host = pulumi.output(new Promise<never>(() => {})); // nobody is to be asked for a status
    const there = Object.assign(Object.create(placement), { hostOf: () => host }) as typeof placement;
    const given = { ...process, files: { ...process.files, "login-1": { from: "given" as const } } };
    const of = { process: given, deployment: { ...deployment, snapshots } as never, gated, etcd, ready };
    new EtcdBackupSchedule(`prod-${profile}`, { ...of, ground: { placement: there, pki } }, {});
    return placed[from]!.files;
  };
  const files = onHost("backup");
  expect(await pulumi.isSecret(pulumi.output(files["login-1"]))).toBe(true);
  expect(await valueOf(pulumi.output(files["login-1"]))).toBe("[backup]\naws_access_key_id = B\n");
  expect(JSON.parse((await valueOf(pulumi.output(files["settings.json"])))!).targets[1].credentials).toEqual({
    kind: "file",
    path: "/files/login-1",
    profile: "backup",
  });
  expect(() => onHost("none")).toThrow(
    `snapshots.targets[1].credentials: reading ${path} of this machine: there is no profile "none"`,
  );
});

test("nothing is planned without a schedule", () => {
  expect(planBackups(deploymentOf() as never, etcd)).toBeUndefined();
});

test("a preview foretells nothing of it, since a saved plan fails where an output comes out otherwise", async () => {
  const mocks = { newResource: ({ name, inputs }: pulumi.runtime.MockResourceArgs) => ({ id: name, state: inputs }) };
  await pulumi.runtime.setMocks({ ...mocks, call: () => ({}) }, "karmada", "prod", true);
  const { state } = declared("foretold-backups");
  await settled();
  expect(await (state as unknown as { isKnown: Promise<boolean> }).isKnown).toBe(false);
});
