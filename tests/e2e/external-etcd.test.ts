/** A control plane on an etcd that somebody else runs, with authentication on and rights on one prefix, and its snapshots. */
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { etcdNow } from "../../cli/stack/etcd-now.ts";
import type { EtcdAccess } from "../../components/etcd-access.ts";
import type { EtcdConnection } from "../../lib/etcd/client.ts";
import { DirectEtcdClient } from "../../lib/etcd/direct/client.ts";
import { EtcdKeys } from "../../lib/etcd/keys.ts";
import type { Manifest } from "../../lib/snapshots/manifest.ts";
import { as, authenticate } from "../support/etcd-auth.ts";
import { startEtcd, type EtcdCluster } from "../support/etcd.ts";
import { Programs } from "../support/running.ts";
import { kubectlFor } from "./support/kubectl.ts";
import { TestStack } from "./support/stack.ts";

interface Outputs {
  kubeconfig: string;
  etcd: { members: { name: string; role: string; healthy: boolean; dbSize: number }[] };
  etcdAccess: EtcdAccess;
  backups: { lastSuccess?: string; problem?: string };
}

const [basePort, etcdPort] = [22000, 23380];
const prefix = "/registry/karmada";
const programs = new Programs(mkdtempSync(join(tmpdir(), "e2e-external-")));
const kept = join(programs.directory, "kept");
let cluster: EtcdCluster;
let root: EtcdConnection;
let client: DirectEtcdClient;
let keys: EtcdKeys;
let stack: TestStack;

beforeAll(async () => {
  cluster = await startEtcd(programs, etcdPort);
  // What kube-apiserver notes its compactions under is beside the prefix.
  root = await authenticate(cluster, { karmada: [`--prefix=true readwrite ${prefix}/`, "readwrite compact_rev_key"] });
  client = new DirectEtcdClient(root);
  keys = new EtcdKeys(client, cluster.endpoints[0]!);
  await keys.putIfAbsent("/somebody/else", "1");
  const snapshots = { targets: [{ kind: "local", directory: kept }], schedule: { cron: "0 0 1 1 *" } };
  stack = await TestStack.create({ etcd: external(await as(cluster, "karmada")), snapshots }, basePort);
}, 60_000);
afterAll(async () => {
  await stack?.remove();
  client?.close();
  await programs.remove();
}, 180_000);

const external = (storing: EtcdConnection, more: object = {}) => ({
  kind: "external",
  endpoints: cluster.endpoints,
  prefix,
  ...storing,
  ...more,
});

const manifests = (): Manifest[] =>
  readdirSync(join(kept, "test"))
    .filter((file) => file.endsWith(".json"))
    .sort()
    .map((file) => JSON.parse(readFileSync(join(kept, "test", file), "utf8")) as Manifest);

test("snapshots that the user may not take are refused with the right that is missing, before anything is started", async () => {
  const { exitCode, text } = await stack.pulumi(["up", "--yes", "--skip-preview"]);
  expect(exitCode).not.toBe(0);
  expect(text).toMatch(
    /the user "karmada", whom the client certificate names, needs the role root: [^]*etcdctl user grant-role karmada root; or give the certificate of a user who has it \(of a deployment: etcd\.maintenance\)/,
  );
  expect((await stack.processes()).filter(({ command }) => !command.includes("lib/supervisor/main.ts"))).toEqual([]);
}, 120_000);

test("with a certificate for maintenance it comes up, its members are seen, and snapshots are taken before it and by the clock", async () => {
  const { certificate, key } = root;
  stack.config["etcd"] = external(await as(cluster, "karmada"), { maintenance: { certificate, key } });
  await stack.up();
  const { kubeconfig, etcd, backups } = await stack.outputs<Outputs>();
  expect(etcd.members).toMatchObject([{ name: "etcd-0", role: "leader", healthy: true, dbSize: expect.any(Number) }]);
  expect(etcd.members[0]!.dbSize).toBeGreaterThan(0);
  expect(backups).toMatchObject({ lastSuccess: expect.stringMatching(/^\d{4}-/) });
  expect(backups.problem).toBeUndefined();
  expect(manifests()).toMatchObject([
    { reason: "before-change", keyPrefix: prefix, verified: { level: "status" } },
    { reason: "scheduled", keyPrefix: prefix, verified: { level: "status" } },
  ]);
  const { kubectl, remove } = await kubectlFor(kubeconfig);
  try {
    await kubectl(["create", "namespace", "tenant"]);
    expect((await kubectl.get("apiservice", "v1alpha1.cluster.karmada.io")).status.conditions).toContainEqual(
      expect.objectContaining({ type: "Available", status: "True" }),
    );
  } finally {
    await remove();
  }
  expect(await keys.get("/somebody/else")).toBe("1");
  const beside = (await keys.list("/", 10_000)).filter((key) => !key.startsWith(`${prefix}/`));
  expect(beside).toEqual(["/somebody/else"]);
  await stack.successfully(["preview", "--refresh", "--expect-no-changes"]);
}, 300_000);

test("before the versions change another snapshot is taken", async () => {
  stack.config["versions"] = { etcd: "3.6.8" };
  await stack.up();
  expect(manifests().filter(({ reason }) => reason === "before-change")).toHaveLength(2);
}, 180_000);

test("a stack of snapshots takes one of it, proved by a restore", async () => {
  const snapshots = await stack.beside("snapshots", {
    program: "snapshots",
    source: { kind: "stack", stack: stack.name },
    snapshots: { targets: [{ kind: "local", directory: join(programs.directory, "asked") }], verify: "restore" },
    take: [{ name: "now" }],
  });
  await snapshots.up();
  expect(await snapshots.outputs()).toMatchObject({
    snapshots: { now: { manifest: { reason: "on-demand", keyPrefix: prefix, verified: { level: "restore" } } } },
  });
}, 180_000);

test("npm run status shows its members as they are now", async () => {
  const { etcdAccess } = await stack.outputs<Outputs>();
  expect(await etcdNow(etcdAccess)).toMatchObject([
    { name: "etcd", state: "Healthy", members: [{ name: "etcd-0", role: "leader" }] },
  ]);
}, 30_000);

test("destroy leaves what others have there, and a deployment that is to take it up again", async () => {
  await stack.successfully(["destroy", "--yes", "--skip-preview"]);
  expect(await keys.get("/somebody/else")).toBe("1");
  expect(await keys.list(`${prefix}/namespaces/tenant`, 1)).toEqual([`${prefix}/namespaces/tenant`]);
}, 60_000);
