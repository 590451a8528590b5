/** An etcd in a stack of its own, and a Karmada of another stack that keeps its data there. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { jest } from "@jest/globals";
import { etcdNow } from "../../cli/stack/etcd-now.ts";
import type { EtcdAccess } from "../../components/etcd-access.ts";
import { DirectEtcdClient } from "../../lib/etcd/direct/client.ts";
import { EtcdKeys } from "../../lib/etcd/keys.ts";
import { connect, type KubeClient } from "../../lib/kube/client.ts";
import type { Manifest } from "../../lib/snapshots/manifest.ts";
import type { OfferedEtcd } from "../../spec/etcd/offered.ts";
import { deadlineIn, Pending, waitFor } from "../../lib/wait.ts";
import { cleanUp } from "../support/clean-up.ts";
import { processesNaming, TestStack } from "./support/stack.ts";

jest.setTimeout(600_000);

const [etcdPorts, planePorts] = [29400, 30400];
const prefix = "/registry/plane";
const backup = mkdtempSync(join(tmpdir(), "etcd-stack-backup-"));

interface EtcdOutputs {
  etcd: { clusterId: string; members: { name: string; version: string; healthy: boolean }[] };
  etcdClient: OfferedEtcd;
  etcdAccess: EtcdAccess;
  versions: Record<string, string>;
}
interface PlaneOutputs {
  kubeconfig: string;
  etcd: { clusterId: string };
  programs: { name: string }[];
}

let etcd: TestStack;
let plane: TestStack;
let api: KubeClient;
let taken: string;

beforeAll(async () => {
  etcd = await TestStack.create(
    {
      program: "etcd",
      etcd: { kind: "managed", members: 3 },
      snapshots: { targets: [{ kind: "local", directory: backup }] },
    },
    etcdPorts,
  );
  const directory = join(etcd.directory, "..", "plane-run");
  plane = await etcd.beside("plane", {
    placement: { kind: "local", directory, basePort: planePorts },
    etcd: { kind: "external", stack: etcd.name, prefix },
  });
}, 120_000);

afterAll(async () => {
  await cleanUp(
    () => plane?.pulumi(["destroy", "--yes", "--skip-preview"]),
    () => etcd?.remove(),
    () => rmSync(backup, { recursive: true, force: true }),
  );
}, 300_000);

/** What is stored, by those who run etcd. */
async function keysIn<T>(use: (keys: EtcdKeys) => Promise<T>): Promise<T> {
  const { etcdAccess } = await etcd.outputs<EtcdOutputs>();
  const client = new DirectEtcdClient(etcdAccess);
  try {
    return await use(new EtcdKeys(client, etcdAccess.endpoints[0]!));
  } finally {
    client.close();
  }
}

const configMaps = "/api/v1/namespaces/default/configmaps";
const write = (name: string) =>
  api.create(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { a: "b" } });
const stored = (name: string) => keysIn((keys) => keys.get(`${prefix}/configmaps/default/${name}`));

/** Process IDs of the plane's programs, by the program. */
const running = async (): Promise<string[]> =>
  (await processesNaming(join(etcd.directory, "..", "plane-run")))
    .filter(({ command }) => /\/(kube|karmada)-[\w-]+ /.test(command))
    .map(({ pid, command }) => `${/\/((?:kube|karmada)-[\w-]+) /.exec(command)![1]} ${pid}`)
    .sort();

/** Proves that Karmada's controllers and Kubernetes' work on what is written now: what one makes, what the other ends. */
async function proveControllers(name: string): Promise<void> {
  const policies = "/apis/policy.karmada.io/v1alpha1/namespaces/default/propagationpolicies";
  const resourceSelectors = [{ apiVersion: "v1", kind: "ConfigMap", name: "new" }];
  await api.create(policies, {
    apiVersion: "policy.karmada.io/v1alpha1",
    kind: "PropagationPolicy",
    metadata: { name },
    spec: { resourceSelectors, placement: { clusterAffinity: { clusterNames: ["none"] } } },
  });
  await api.create("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  await api.request("DELETE", `/api/v1/namespaces/${name}`);
  const binding = `/apis/work.karmada.io/v1alpha2/namespaces/default/resourcebindings/new-configmap`;
  await waitFor("controllers to work", deadlineIn(60), async () => {
    const [bound, namespace] = await Promise.all([api.find(binding), api.find(`/api/v1/namespaces/${name}`)]);
    const done = bound !== undefined && namespace === undefined;
    return (
      done ||
      new Pending(`binding ${bound === undefined ? "missing" : "made"}, namespace ${namespace ? "there" : "gone"}`)
    );
  });
}

test("a control plane cannot come up before the etcd that it names", async () => {
  const { exitCode, text } = await plane.pulumi(["preview"]);
  expect(exitCode).not.toBe(0);
  expect(text).toContain(
    `etcd.stack: got "${etcd.name}", which has no output etcdClient: want a stack of the program etcd, brought up before this one`,
  );
});

test("an etcd comes up by itself, with three members and nothing else", async () => {
  await etcd.up();
  const outputs = await etcd.outputs<EtcdOutputs>();
  expect(outputs.etcd.members.map(({ name, healthy }) => [name, healthy])).toEqual([
    ["etcd-0", true],
    ["etcd-1", true],
    ["etcd-2", true],
  ]);
  expect(Object.keys(outputs.versions).sort()).toEqual(["etcd-0", "etcd-1", "etcd-2"]);
  expect(await etcdNow(outputs.etcdAccess)).toMatchObject([{ state: "Healthy", tolerates: 1 }]);
  await etcd.successfully(["preview", "--expect-no-changes"]);
});

test("a Karmada of another stack keeps its data there, below its prefix, and the key is in neither state in clear", async () => {
  await plane.up();
  const { kubeconfig, ...outputs } = await plane.outputs<PlaneOutputs>();
  expect(outputs.etcd.clusterId).toBe((await etcd.outputs<EtcdOutputs>()).etcd.clusterId);
  api = await connect(kubeconfig);
  await write("first");
  expect(await stored("first")).toBeDefined();
  const keys = await keysIn((all) => all.list("/", 10_000));
  expect(keys.filter((key) => !key.startsWith(`${prefix}/`))).toEqual([]);
  const { etcdClient } = await etcd.outputs<EtcdOutputs>();
  const secret = etcdClient.key.split("\n")[1]!;
  for (const stack of [etcd, plane]) expect(await stack.state()).not.toContain(secret);
  await plane.successfully(["preview", "--expect-no-changes"]);
});

test("a member that is replaced and a flag that changes there interrupt nobody", async () => {
  let failed: unknown;
  let written = 0;
  let done = false;
  const writing = (async () => {
    while (!done) {
      await write(`during-${written}`).then(
        () => written++,
        (error: unknown) => (failed ??= error),
      );
      await sleep(100);
    }
  })();
  const before = await running();
  etcd.config["etcd"] = { kind: "managed", members: 3, replace: { "etcd-1": 1 }, extraArgs: { "log-level": "warn" } };
  await etcd.up();
  done = true;
  await writing;
  expect(failed).toBeUndefined();
  expect(written).toBeGreaterThan(10);
  expect(await running()).toEqual(before);
  await plane.successfully(["preview", "--expect-no-changes"]);
});

test("a restore there goes back to the snapshot, and the next up of the control plane starts its programs anew", async () => {
  const snapshots = await etcd.beside("snapshots", {
    program: "snapshots",
    source: { kind: "stack", stack: etcd.name },
    snapshots: { targets: [{ kind: "local", directory: backup }], verify: "restore" },
    take: [{ name: "now" }],
  });
  await write("kept");
  await snapshots.up();
  await snapshots.successfully(["destroy", "--yes", "--skip-preview"]);
  const snapshot = readdirSync(join(backup, etcd.name))
    .filter((file) => file.endsWith(".json"))
    .map((file) => JSON.parse(readFileSync(join(backup, etcd.name, file), "utf8")) as Manifest)
    .find(({ reason }) => reason === "on-demand");
  taken = snapshot!.id;
  expect(snapshot).toMatchObject({ keyPrefix: "/", verified: { level: "restore" } });
  await write("late");
  expect(await stored("late")).toBeDefined();

  const { clusterId } = (await etcd.outputs<EtcdOutputs>()).etcd;
  const source = { kind: "snapshot", id: taken };
  const restore = { generation: 1, replaceClusterId: clusterId, overwriteHealthy: true, source };
  etcd.config["etcd"] = { ...(etcd.config["etcd"] as object), restore };
  await etcd.up();
  const restored = (await etcd.outputs<EtcdOutputs>()).etcd.clusterId;
  expect(restored).not.toBe(clusterId);
  expect([await stored("late"), (await stored("kept")) !== undefined]).toEqual([undefined, true]);

  const before = await running();
  expect((await plane.preview()).text).toMatch(new RegExp(`cluster *: "${clusterId}" => "${restored}"`));
  await plane.up();
  expect((await plane.outputs<PlaneOutputs>()).etcd.clusterId).toBe(restored);
  const after = await running();
  expect(after.map((each) => each.split(" ")[0])).toEqual(before.map((each) => each.split(" ")[0]));
  expect(after.filter((each) => before.includes(each))).toEqual([]);
  expect(await api.find(`${configMaps}/late`)).toBeUndefined();
  expect(await api.find(`${configMaps}/kept`)).toBeDefined();
  await write("new");
  expect(await stored("new")).toBeDefined();
  await proveControllers("new");
  await plane.successfully(["preview", "--expect-no-changes"]);
  await etcd.successfully(["preview", "--expect-no-changes"]);
});

test("a restore by a stack of its own is told to the control plane once the stack of etcd has looked", async () => {
  const { clusterId } = (await etcd.outputs<EtcdOutputs>()).etcd;
  const source = { kind: "snapshot", id: taken };
  const restoring = await etcd.beside("restore", {
    program: "restore",
    deployment: etcd.name,
    snapshots: { targets: [{ kind: "local", directory: backup }] },
    restore: { generation: 2, replaceClusterId: clusterId, overwriteHealthy: true, source },
  });
  await restoring.up();
  expect(Object.keys(await restoring.outputs()).sort()).toEqual(["clusterId", "previousClusterId", "revision"]);
  await restoring.successfully(["destroy", "--yes", "--skip-preview"]);
  await etcd.up("--refresh");
  const restored = (await etcd.outputs<EtcdOutputs>()).etcdClient.clusterId;
  expect(restored).not.toBe(clusterId);
  const before = await running();
  await plane.up();
  expect((await running()).filter((each) => before.includes(each))).toEqual([]);
  expect(await stored("new")).toBeUndefined();
  expect(await api.find(`${configMaps}/new`)).toBeUndefined();
  await write("new");
  await proveControllers("again");
  await plane.successfully(["preview", "--expect-no-changes"]);
});

test("the control plane goes, then its etcd, and nothing is left", async () => {
  await plane.successfully(["destroy", "--yes", "--skip-preview"]);
  expect(await running()).toEqual([]);
  expect(await stored("new")).toBeDefined();
  await etcd.successfully(["destroy", "--yes", "--skip-preview"]);
  expect(await processesNaming(join(etcd.directory, ".."))).toEqual([]);
});
