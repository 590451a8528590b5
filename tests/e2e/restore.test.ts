/** A Karmada that loses its etcd, and what it manages, which notices nothing. In the order of an operator's bad days. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import type { EtcdAccess } from "../../components/etcd-access.ts";
import { connect, type KubeClient } from "../../lib/kube/client.ts";
import { deadlineIn } from "../../lib/wait.ts";
import { cleanUp } from "../support/clean-up.ts";
import { startCluster, type Cluster } from "../support/cluster.ts";
import { startEtcd } from "../support/etcd.ts";
import { Programs } from "../support/running.ts";
import { loseEverything, loseMembers } from "./support/losses.ts";
import { type Identities, Propagation } from "./support/propagation.ts";
import { TestStack } from "./support/stack.ts";
import { takeInto } from "./support/take-snapshot.ts";

jest.setTimeout(600_000);

const basePort = 24000;
const movedTo = 24100;
const movedOnto = "127.0.0.2";
const membersFrom = 24900;
const count = 200;

interface Outputs {
  kubeconfig: string;
  etcd: { clusterId: string };
  etcdAccess: EtcdAccess;
  afterRestore?: { orphans: string[]; removed: string[]; laggingBindings: string[]; unasked: string[] };
}

const programs = new Programs(mkdtempSync(join(tmpdir(), "restore-members-")));
const backup = mkdtempSync(join(tmpdir(), "restore-backup-"));
let stack: TestStack;
let members: Cluster[];
let propagation: Propagation;
let plane: KubeClient;
let before: Identities;
let clusterId: string;
let deleted: Promise<string[]>;
let stopWatching: () => void;
let lastSeen: string;
let lostGeneration: number;

beforeAll(async () => {
  const etcd = await startEtcd(programs, membersFrom);
  members = await Promise.all(
    ["one", "two"].map((name, i) => startCluster(programs, etcd, { name, port: membersFrom + 10 + 2 * i })),
  );
  propagation = new Propagation(count, { one: members[0]!.client, two: members[1]!.client });
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
  await propagation.begin(plane);
  before = await propagation.identities(plane);
  const snapshot = await takeInto(backup, etcdAccess);
  expect(snapshot.deployment).toBe(stack.name);
  lastSeen = (await plane.get("/api/v1/namespaces/default/configmaps")).metadata?.resourceVersion ?? "";
  await propagation.add(plane, "late");
  ({ deleted, stopWatching } = propagation.watchDeletions(deadlineIn(3000)));
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

test("everything is lost: one edit and one up bring it back at another address, on other ports", async () => {
  await loseEverything(stack, ["etcd-0", "etcd-1", "etcd-2"]);
  stack.config["placement"] = { kind: "local", directory: stack.directory, basePort: movedTo, address: movedOnto };
  stack.config["etcd"] = etcd({ generation: 1, replaceClusterId: "none" });
  const preview = await stack.preview("--save-plan", stack.savedPlan);
  expect(preview.text).toContain(`fills an empty etcd (etcd-0, etcd-1, etcd-2) by file://${backup}`);
  const began = performance.now();
  const run = await stack.up("--plan", stack.savedPlan);
  const took = (performance.now() - began) / 1000;
  const outputs = await stack.outputs<Outputs>();
  plane = await connect(outputs.kubeconfig);
  await propagation.ready(plane, deadlineIn(120));
  const all = (performance.now() - began) / 1000;
  const { prepared, serving } = await secondsOfEtcd();
  console.info(
    `total loss: up ${took.toFixed(1)} s, of it etcd ${prepared} s and ${serving} s, ` +
      `members Ready after ${all.toFixed(1)} s\n${timesOf(run.text)}`,
  );
  expect(all).toBeLessThan(180);
  expect(prepared + serving).toBeLessThan(30);
  expect(plane.server).toBe(`https://${movedOnto}:${movedTo}`);
  expect(await propagation.identities(plane)).toEqual(before);
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
  await propagation.add(plane, "new");
});

test("the quorum is lost: one survivor's data bring everything back, with what came last, also after a run that died", async () => {
  const { clusterId: now } = (await stack.outputs<Outputs>()).etcd;
  await loseMembers(stack, ["etcd-0", "etcd-2"]);
  const source = { kind: "member", member: "etcd-1" };
  stack.config["etcd"] = etcd({ generation: 2, replaceClusterId: now, source });
  const env = { KARMADA_FAIL_AT: "restore/stopped" };
  const killed = await stack.pulumi(["up", "--yes", "--skip-preview"], { env });
  expect(killed.exitCode).not.toBe(0);
  // Whatever remembers what etcd held was ended by then, and is brought back by the next run.
  await expect(plane.get("/version")).rejects.toThrow(/refused/i);
  await stack.up();
  plane = await connect((await stack.outputs<Outputs>()).kubeconfig);
  await propagation.ready(plane, deadlineIn(120));
  expect(await propagation.identities(plane)).toEqual(before);
  expect(await plane.find("/api/v1/namespaces/default/configmaps/new")).toBeDefined();
  await stack.up("--expect-no-changes");
});

test("a stack of its own restores, and the deployment's finds nothing to do", async () => {
  const outputs = await stack.outputs<Outputs>();
  await propagation.travel(plane, { clusterAffinity: { clusterNames: ["one"] } }, "before");
  const then = await propagation.arrived(plane, ["one"], "before");
  const { id } = await takeInto(backup, outputs.etcdAccess);
  await propagation.add(plane, "later");
  const tolerant = { clusterAffinity: { clusterNames: ["one"] }, clusterTolerations: [{ operator: "Exists" }] };
  await propagation.travel(plane, tolerant, "after");
  lostGeneration = await propagation.arrived(plane, ["one"], "after");
  expect(lostGeneration).toBeGreaterThan(then);
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
  await propagation.ready(plane, deadlineIn(120));
  expect((await restoring.outputs<Outputs>()).afterRestore).toMatchObject({
    orphans: ["one: ConfigMap default/later", "two: ConfigMap default/later"],
    unasked: [],
  });
  expect(await propagation.identities(plane)).toEqual(before);
  expect(await plane.find("/api/v1/namespaces/default/configmaps/later")).toBeUndefined();
  await stack.up("--expect-no-changes");
  await restoring.up("--expect-no-changes");
});

test("a change whose number was used before the restore is made all the same", async () => {
  expect(await propagation.arrived(plane, ["one"], "before")).toBeLessThan(lostGeneration);
  await propagation.travel(plane, { clusterAffinity: { clusterNames: ["two"] } }, "otherwise");
  expect(await propagation.arrived(plane, ["two"], "otherwise")).toBeGreaterThanOrEqual(lostGeneration);
});

test("where everything stays where it is, the preview names what a restore ends, and a saved plan of it is carried out", async () => {
  // It learns by this of the cluster that the other stack has made.
  await stack.up("--refresh");
  const { etcdAccess, etcd: now } = await stack.outputs<Outputs>();
  const { id } = await takeInto(backup, etcdAccess);
  const source = { kind: "snapshot", id };
  stack.config["etcd"] = etcd({ generation: 4, replaceClusterId: now.clusterId, overwriteHealthy: true, source });
  const { text } = await stack.preview("--save-plan", stack.savedPlan);
  for (const program of ["karmada-apiserver", "karmada-controller-manager", "karmada-webhook"])
    expect(text).toMatch(
      new RegExp(`~ pulumi-nodejs:dynamic/local:LocalProcess: \\(update\\)\\s+\\[id=[^\\]]*/${program}\\]`),
    );
  await stack.up("--plan", stack.savedPlan);
  expect((await stack.outputs<Outputs>()).etcd.clusterId).not.toBe(now.clusterId);
  await propagation.ready(plane, deadlineIn(120));
  await stack.up("--expect-no-changes");
});

test("no object was deleted in any member but those that were asked for", async () => {
  stopWatching();
  expect((await deleted).sort()).toEqual(["one: late", "two: late"]);
});

const etcd = (restore: object) => ({ kind: "managed", restore });

/** How long etcd took of the last restore, as its resource tells. */
async function secondsOfEtcd(): Promise<{ prepared: number; serving: number }> {
  const { deployment } = JSON.parse(await stack.state()) as {
    deployment: { resources: { type: string; outputs: { seconds: { prepared: number; serving: number } } }[] };
  };
  return deployment.resources.find(({ type }) => type.endsWith(":EtcdRestore"))!.outputs.seconds;
}

/** What pulumi printed of how long single resources took. */
const timesOf = (text: string): string =>
  text
    .split("\n")
    .filter((line) => /restore|membership|apiserver|gate|registration/i.test(line) && /\(\d+(\.\d+)?s\)/.test(line))
    .join("\n");
