/** A Karmada that loses its etcd, and what it manages, which notices nothing. In the order of an operator's bad days. */
import { mkdtempSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { connect, type KubeClient, type KubeObject } from "../../lib/kube/client.ts";
import { watch } from "../../lib/kube/watch.ts";
import type { Manifest } from "../../lib/snapshots/manifest.ts";
import { takeSnapshot } from "../../lib/snapshots/take.ts";
import { deadlineIn, Pending, waitFor } from "../../lib/wait.ts";
import { cleanUp } from "../support/clean-up.ts";
import { startCluster, type Cluster } from "../support/cluster.ts";
import { startEtcd } from "../support/etcd.ts";
import { programPath } from "../support/programs.ts";
import { Programs } from "../support/running.ts";
import { TestStack } from "./support/stack.ts";

jest.setTimeout(600_000);

const basePort = 24000;
const movedTo = 24100;
const membersFrom = 24900;
const count = 200;

interface Outputs {
  kubeconfig: string;
  etcd: { clusterId: string };
  etcdAccess: { endpoints: string[]; ca: string; certificate: string; key: string };
  afterRestore?: { orphans: string[]; removed: string[]; laggingBindings: string[]; unasked: string[] };
}

const programs = new Programs(mkdtempSync(join(tmpdir(), "restore-members-")));
const backup = mkdtempSync(join(tmpdir(), "restore-backup-"));
let stack: TestStack;
let members: Cluster[];
let plane: KubeClient;
let before: Identities;
let clusterId: string;
let deleted: Promise<string[]>;
let stopWatching: () => void;
let lastSeen: string;

beforeAll(async () => {
  const etcd = await startEtcd(programs, membersFrom);
  members = await Promise.all(
    ["one", "two"].map((name, i) => startCluster(programs, etcd, { name, port: membersFrom + 10 + 2 * i })),
  );
  stack = await TestStack.create(
    {
      members: members.map(({ kubeconfig }, i) => ({
        name: ["one", "two"][i],
        credentials: { kind: "kubeconfigFile", path: programs.write(`member-${i}.kubeconfig`, kubeconfig) },
      })),
      snapshots: { targets: [{ kind: "local", directory: backup }], beforeChange: "never" },
      // At upstream's 40 calls a second, the objects alone would take a minute.
      controlPlane: { "karmada-controller-manager": { extraArgs: { "kube-api-qps": "200", "kube-api-burst": "400" } } },
    },
    basePort,
  );
}, 180_000);

afterAll(async () => {
  stopWatching?.();
  await cleanUp(
    () => stack?.remove(),
    () => programs.remove(),
    () => rmSync(backup, { recursive: true, force: true }),
  );
}, 300_000);

test(`${count} objects are propagated to two members, and a snapshot is taken`, async () => {
  await stack.up();
  const { kubeconfig, etcdAccess, ...outputs } = await stack.outputs<Outputs>();
  plane = await connect(kubeconfig);
  clusterId = outputs.etcd.clusterId;
  await applyPolicy();
  await inBatches(
    Array.from({ length: count }, (_, i) => `kept-${String(i).padStart(3, "0")}`),
    applyConfigMap,
  );
  for (const { client } of members) await untilThere(client, count);
  before = await identities();
  const snapshot = await take(etcdAccess);
  expect(snapshot.deployment).toBe(stack.name);
  lastSeen = (await plane.get("/api/v1/namespaces/default/configmaps")).metadata?.resourceVersion ?? "";
  await applyConfigMap("late");
  for (const { client } of members) await untilThere(client, count + 1);
  const watching = deadlineIn(3000);
  ({ deleted, stopWatching } = watchDeletions(watching));
});

test("a restore over a Karmada that works is refused in the preview, with what would open each lock", async () => {
  stack.config["etcd"] = etcd({ generation: 1, replaceClusterId: "none" });
  const { exitCode, text } = await stack.preview();
  expect(exitCode).not.toBe(0);
  expect(text).toContain(`set replaceClusterId to "${clusterId}" if these data may go`);
  expect(text).toContain("set overwriteHealthy to true if that is what you want");
  stack.config["etcd"] = etcd({
    generation: 1,
    replaceClusterId: clusterId,
    overwriteHealthy: true,
    source: { kind: "snapshot", deployment: "another" },
  });
  expect((await stack.preview()).text).toContain("there is no snapshot of another");
});

test("everything is lost: one edit and one up bring it back on other ports", async () => {
  await loseEverything();
  stack.config["placement"] = { kind: "local", directory: stack.directory, basePort: movedTo };
  stack.config["etcd"] = etcd({ generation: 1, replaceClusterId: "none" });
  const preview = await stack.preview();
  expect(preview.text).toContain(`fills an empty etcd (etcd-0, etcd-1, etcd-2) by file://${backup}`);
  const began = performance.now();
  const run = await stack.up();
  const took = (performance.now() - began) / 1000;
  const outputs = await stack.outputs<Outputs>();
  plane = await connect(outputs.kubeconfig);
  await ready(deadlineIn(120));
  const all = (performance.now() - began) / 1000;
  console.info(`total loss: up ${took.toFixed(1)} s, members Ready after ${all.toFixed(1)} s\n${timesOf(run.text)}`);
  expect(all).toBeLessThan(180);
  expect(await identities()).toEqual(before);
  expect(outputs.etcd.clusterId).not.toBe(clusterId);
  expect(outputs.afterRestore).toEqual({
    orphans: ["one: ConfigMap default/late", "two: ConfigMap default/late"],
    removed: [],
    laggingBindings: [],
    unasked: [],
  });
  await stack.up("--expect-no-changes");
});

test("a client that goes on where it was is told to list again", async () => {
  const watching = { watch: "true", resourceVersion: lastSeen, timeoutSeconds: "5" };
  const answer = await plane
    .request("GET", "/api/v1/namespaces/default/configmaps", { query: watching })
    .then(JSON.stringify, String);
  expect(answer).toMatch(/"code":410|410 /);
});

test("what came after the snapshot is deleted in the members when that is asked for, and changes go on", async () => {
  stack.config["etcd"] = etcd({ generation: 1, replaceClusterId: "none", removeOrphans: true });
  await stack.up();
  expect((await stack.outputs<Outputs>()).afterRestore).toMatchObject({ orphans: [] });
  for (const { client } of members) {
    expect(await client.find("/api/v1/namespaces/default/configmaps/late")).toBeUndefined();
  }
  await applyConfigMap("new");
  for (const { client } of members) {
    await waitFor("the new object in the member", deadlineIn(60), async () => {
      return (await client.find("/api/v1/namespaces/default/configmaps/new")) ?? new Pending("not there");
    });
  }
});

test("the quorum is lost: one survivor's data bring everything back, with what came last", async () => {
  const { clusterId: now } = (await stack.outputs<Outputs>()).etcd;
  await loseMembers(["etcd-0", "etcd-2"]);
  const source = { kind: "member", member: "etcd-1" };
  stack.config["etcd"] = etcd({ generation: 2, replaceClusterId: now, source });
  await stack.up();
  plane = await connect((await stack.outputs<Outputs>()).kubeconfig);
  await ready(deadlineIn(120));
  expect(await identities()).toEqual(before);
  expect(await plane.find("/api/v1/namespaces/default/configmaps/new")).toBeDefined();
  await stack.up("--expect-no-changes");
});

test("a stack of its own restores, and the deployment's finds nothing to do", async () => {
  const outputs = await stack.outputs<Outputs>();
  const { id } = await take(outputs.etcdAccess);
  await applyConfigMap("later");
  for (const { client } of members) await untilThere(client, count + 2);
  const target = { kind: "local", directory: backup };
  const restoring = await stack.beside("restoring", {
    program: "restore",
    deployment: stack.name,
    restore: {
      generation: 3,
      replaceClusterId: outputs.etcd.clusterId,
      overwriteHealthy: true,
      source: { kind: "snapshot", id, target },
    },
  });
  expect((await restoring.preview()).text).toContain(`REPLACES cluster ${outputs.etcd.clusterId}`);
  await restoring.up();
  await ready(deadlineIn(120));
  expect((await restoring.outputs<Outputs>()).afterRestore).toMatchObject({
    orphans: ["one: ConfigMap default/later", "two: ConfigMap default/later"],
    unasked: [],
  });
  expect(await identities()).toEqual(before);
  expect(await plane.find("/api/v1/namespaces/default/configmaps/later")).toBeUndefined();
  await stack.up("--expect-no-changes");
  await restoring.up("--expect-no-changes");
});

test("no object was deleted in any member but those that were asked for", async () => {
  stopWatching();
  expect((await deleted).sort()).toEqual(["one: late", "two: late"]);
});

const etcd = (restore: object) => ({ kind: "managed", restore });

/** UIDs of what is propagated and of Karmada itself, and of the copies in the members. */
interface Identities {
  readonly karmada: string | undefined;
  readonly templates: Record<string, string>;
  readonly copies: Record<string, string>[];
}

async function identities(): Promise<Identities> {
  return {
    karmada: (await plane.get("/api/v1/namespaces/kube-system")).metadata?.uid,
    templates: await uids(plane),
    copies: await Promise.all(members.map(({ client }) => uids(client))),
  };
}

async function uids(client: KubeClient): Promise<Record<string, string>> {
  const found = (await configMaps(client)).filter(({ metadata }) => metadata?.name?.startsWith("kept-"));
  expect(found).toHaveLength(count);
  return Object.fromEntries(found.map(({ metadata }) => [metadata?.name ?? "", metadata?.uid ?? ""]));
}

async function take({ endpoints, ...connection }: Outputs["etcdAccess"]): Promise<Manifest> {
  const { manifest } = await takeSnapshot(
    {
      deployment: stack.name,
      source: { endpoints, connection },
      targets: [{ kind: "local", directory: backup }],
      encryption: { kind: "none" },
      verify: "status",
      keyPrefix: "/registry",
      tools: async () => ({ etcdutl: await programPath("etcdutl"), etcd: await programPath("etcd") }),
    },
    "on-demand",
  );
  return manifest;
}

const labelled = { labelSelector: "test=restore" };

async function configMaps(client: KubeClient): Promise<KubeObject[]> {
  const { items } = await client.get<{ items: KubeObject[] }>("/api/v1/namespaces/default/configmaps", {
    query: labelled,
  });
  return items;
}

const applyConfigMap = (name: string) =>
  plane.apply(`/api/v1/namespaces/default/configmaps/${name}`, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, labels: { test: "restore" } },
    data: { of: name },
  });

const applyPolicy = () =>
  plane.apply("/apis/policy.karmada.io/v1alpha1/namespaces/default/propagationpolicies/all", {
    apiVersion: "policy.karmada.io/v1alpha1",
    kind: "PropagationPolicy",
    metadata: { name: "all" },
    spec: {
      resourceSelectors: [{ apiVersion: "v1", kind: "ConfigMap", labelSelector: { matchLabels: { test: "restore" } } }],
      placement: { clusterAffinity: { clusterNames: ["one", "two"] } },
    },
  });

async function untilThere(client: KubeClient, wanted: number): Promise<void> {
  await waitFor(`${wanted} objects in ${client.server}`, deadlineIn(240), async () => {
    const { length } = await configMaps(client);
    return length === wanted ? length : new Pending(`${length} are there`);
  });
}

async function ready(deadline: ReturnType<typeof deadlineIn>): Promise<void> {
  await waitFor("both members to be Ready", deadline, async () => {
    const { items } = await plane.get<{ items: KubeObject[] }>("/apis/cluster.karmada.io/v1alpha1/clusters");
    const states = items.map(({ metadata, status }) => {
      const conditions = (status?.conditions ?? []) as { type: string; status: string }[];
      return `${metadata?.name} ${conditions.find(({ type }) => type === "Ready")?.status}`;
    });
    return states.join() === "one True,two True" ? states : new Pending(states.join());
  });
}

/** Names of objects with our label that are deleted in a member from now on. */
function watchDeletions(until: ReturnType<typeof deadlineIn>) {
  let over = false;
  const seen: string[] = [];
  const following = members.map(async ({ client }, i) => {
    const name = ["one", "two"][i];
    while (!over) {
      const one = deadlineIn(Math.min(20, until.left() / 1000));
      for await (const { type, object } of watch(client, "/api/v1/namespaces/default/configmaps", one, labelled)) {
        if (type === "DELETED") seen.push(`${name}: ${object.metadata?.name}`);
        if (over) break;
      }
    }
  });
  return {
    deleted: Promise.all(following).then(() => seen),
    stopWatching: () => (over = true),
  };
}

/** The host is gone: every program is, and the disks with the data. */
async function loseEverything(): Promise<void> {
  await killed(() => true);
  for (const member of ["etcd-0", "etcd-1", "etcd-2"]) {
    await rm(join(stack.directory, member, "data"), { recursive: true });
  }
}

/** The supervisor is killed with them: it would start them at once. */
async function loseMembers(names: string[]): Promise<void> {
  await killed(
    (command) => command.includes("supervisor/main") || names.some((name) => command.includes(`--name=${name}`)),
  );
  for (const name of names) await rm(join(stack.directory, name, "data"), { recursive: true });
}

async function killed(which: (command: string) => boolean): Promise<void> {
  const found = (await stack.processes()).filter(({ command }) => which(command));
  const supervisors = found.filter(({ command }) => command.includes("supervisor/main"));
  for (const { pid } of [...supervisors, ...found.filter((each) => !supervisors.includes(each))]) {
    process.kill(pid, "SIGKILL");
  }
  await waitFor("them to end", deadlineIn(10), async () => {
    const left = (await stack.processes()).filter(({ pid }) => found.some((each) => each.pid === pid));
    return left.length === 0 ? true : new Pending(`${left.length} run`);
  });
}

async function inBatches(names: string[], apply: (name: string) => Promise<unknown>): Promise<void> {
  for (let i = 0; i < names.length; i += 20) await Promise.all(names.slice(i, i + 20).map(apply));
}

/** What pulumi printed of how long single resources took. */
const timesOf = (text: string): string =>
  text
    .split("\n")
    .filter((line) => /restore|membership|apiserver|gate|registration/i.test(line) && /\(\d+(\.\d+)?s\)/.test(line))
    .join("\n");
