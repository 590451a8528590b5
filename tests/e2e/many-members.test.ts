/**
 * Many members in one `up`, some of which cannot join. Each is a kube-apiserver of its own, one in five in Pull mode.
 * KARMADA_TEST_MEMBERS says how many: 12 unless it is set, 50 is what the project promises (16 GB of memory). With
 * KARMADA_TEST_ESTIMATORS=1 each has an estimator (3 GB more for 50).
 */
import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAuthority } from "../support/certificates.ts";
import { cleanUp } from "../support/clean-up.ts";
import { connect } from "../../lib/kube/client.ts";
import type { Cluster } from "../support/cluster.ts";
import { startEtcd } from "../support/etcd.ts";
import { startLightClusters, writeKubeconfigs } from "../support/light-clusters.ts";
import { Programs } from "../support/running.ts";
import { dumpApi } from "../support/api-dump.ts";
import { seededRandom, testSeed } from "../support/seeded-random.ts";
import { startSlowProxy, type SlowProxy } from "../support/slow-proxy.ts";
import { leftOfOthers, tokensNotOne } from "./support/joined-twice.ts";
import { changedSince, placedIn, placeEverywhere, whatIsKept } from "./support/kept-workloads.ts";
import { killTree } from "./support/kill-tree.ts";
import { eventually, kubectlFor, type Json, type Kubectl, readyOf } from "./support/kubectl.ts";
import { TestStack } from "./support/stack.ts";

const count = Number(process.env["KARMADA_TEST_MEMBERS"] ?? 12);
const estimated = process.env["KARMADA_TEST_ESTIMATORS"] === "1";
const basePort = 26000;
const memberPort = 17000;
/** As `npm start` has them. */
const options = ["--continue-on-error", "--parallel", "32"];

const named = (group: string, many: number) => Array.from({ length: many }, (_, i) => `${group}-${i + 1}`);
const pulled = named("pulled", Math.floor(count / 5));
/** Beside those: one that is far away, two names for one cluster, and three more that cannot join. */
const pushed = named("pushed", count - pulled.length - 6);
const twins = ["twin-1", "twin-2"];
const good = [...pushed, ...pulled, "far"];

const programs = new Programs(mkdtempSync(join(tmpdir(), "members-")));
const proxies: SlowProxy[] = [];
let clusters: Map<string, Cluster>;
/** What some had before they joined: the first two keep what they run. */
const watched = ["pushed-1", "pulled-1", "pushed-2"];
const before = new Map<string, Record<string, unknown>>();
let stack: TestStack;
let kubectl: Kubectl;
let removeKubeconfig: () => Promise<void>;

beforeAll(async () => {
  const names = [...good, "twin", "slow"];
  const etcd = await startEtcd(programs, memberPort - 2);
  await timed(`${names.length} clusters start`, async () => {
    const started = await startLightClusters(programs, etcd, names, memberPort);
    clusters = new Map(started.map((cluster, i) => [names[i]!, cluster]));
  });
  for (const name of watched) before.set(name, await dumpApi(clusters.get(name)!.client));
  stack = await TestStack.create(
    {
      etcd: { kind: "managed", members: 1 },
      controlPlane: { "karmada-scheduler-estimator": { enabled: estimated } },
    },
    basePort,
  );
  await stack.up();
  ({ kubectl, remove: removeKubeconfig } = await kubectlFor(
    (await stack.outputs<{ kubeconfig: string }>()).kubeconfig,
  ));
}, 600_000);

afterAll(
  () =>
    cleanUp(
      () => removeKubeconfig?.(),
      () => stack?.remove(),
      () => proxies.forEach((proxy) => proxy.close()),
      () => programs.remove(),
    ),
  300_000,
);

const kubeconfigOf = (name: string) => clusters.get(name)!.kubeconfig;

/** The kubeconfig of a cluster with another address in it. */
const at = (name: string, port: number) => kubeconfigOf(name).replace(/127\.0\.0\.1:\d+/, () => `127.0.0.1:${port}`);

/** The same, over a line on which everything that comes back is late. */
async function delayed(name: string, milliseconds: number): Promise<string> {
  const proxy = await startSlowProxy(Number(new URL(clusters.get(name)!.server).port), milliseconds);
  proxies.push(proxy);
  return at(name, proxy.port);
}

/** Names of Clusters on the plane, by whether they are Ready. */
async function registered(): Promise<{ all: string[]; ready: string[] }> {
  const { items } = await kubectl.get<{ items: Json[] }>("clusters");
  const names = (objects: Json[]) => objects.map(({ metadata }) => metadata.name as string).sort();
  return { all: names(items), ready: names(items.filter((item) => readyOf(item) === "True")) };
}

async function timed<T>(what: string, run: () => Promise<T>): Promise<T> {
  const begin = performance.now();
  const result = await run();
  console.log(`${what}: ${((performance.now() - begin) / 1000).toFixed(1)} s`);
  return result;
}

test(`${count} members are declared by two directories, and an up is killed again and again while they join`, async () => {
  const directory = (group: string, kubeconfigs: Record<string, string>) =>
    writeKubeconfigs(join(programs.directory, group), kubeconfigs);
  const byName = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, kubeconfigOf(name)]));
  const other = await createAuthority("another");
  const impostor = JSON.parse(kubeconfigOf("pushed-1")) as Json;
  impostor.clusters[0].cluster["certificate-authority-data"] = Buffer.from(other.certificate).toString("base64");
  stack.config["memberGroups"] = [
    {
      name: "reached",
      directory: directory("reached", {
        ...byName(pushed),
        far: await delayed("far", 100),
        "twin-1": kubeconfigOf("twin"),
        "twin-2": kubeconfigOf("twin"),
        dead: at("slow", 1),
        impostor: JSON.stringify(impostor),
        slow: await delayed("slow", 6000),
      }),
    },
    { name: "reaching", defaults: { syncMode: "Pull" }, directory: directory("reaching", byName(pulled)) },
  ];
  const preview = await timed("preview", () => stack.preview());
  expect(preview.exitCode).toBe(0);

  const killed = async (when: () => Promise<unknown>) => {
    const up = stack.start(["up", "--yes", "--skip-preview", ...options]);
    await when();
    await killTree(up.pid!);
    await up;
    const { all } = await registered();
    console.log(`then ${all.length} of ${count} members were registered`);
  };
  const seed = testSeed();
  const random = seededRandom(seed);
  console.log(`once more: KARMADA_TEST_SEED=${seed}`);
  // Later each time, from before the first member joins until all have.
  for (const latest of [1, 2, 3, 4, 5].map((nth) => 2000 * nth + 30 * nth * count)) {
    const moment = latest * (0.5 + 0.5 * random());
    console.log(`pulumi up is killed after ${(moment / 1000).toFixed(1)} s`);
    await killed(() => new Promise((resolve) => setTimeout(resolve, moment)));
  }
  await killed(() => eventually(registered, ({ all }) => all.length >= count / 4, 120));
}, 400_000);

test("the next up joins all that can join, and says of each other one why it cannot", async () => {
  const run = await timed("up", () => stack.pulumi(["up", "--yes", "--skip-preview", ...options]));
  expect(run.exitCode).not.toBe(0);
  const errors = new Set(run.text.match(/(?<=error: )[\w-]+: .*$/gm));
  const { all, ready } = await registered();
  const [taken] = twins.filter((name) => all.includes(name));
  const [refused] = twins.filter((name) => name !== taken);
  const server = (name: string) => clusters.get(name)!.server;
  const toDo = "start the member, or correct the server in its kubeconfig";
  expect([...errors].sort()).toEqual([
    expect.stringMatching(
      new RegExp(`^dead: waited \\d+s for the member: https://127.0.0.1:1: connection refused, .*; ${toDo}$`),
    ),
    `impostor: ${server("pushed-1")}: the server's certificate is not signed by the kubeconfig's authority; this may be another cluster than you mean: take a new kubeconfig from the member`,
    expect.stringMatching(
      new RegExp(
        `^slow: waited \\d+s for the member: https://127.0.0.1:${proxies[1]!.port}: no answer in time; ${toDo}$`,
      ),
    ),
    expect.stringMatching(
      new RegExp(
        `^${refused}: (${server("twin")} is registered already, as ${taken}|the same cluster is joining as ${taken} at this moment); a cluster joins once(\\nto rename it, .*)?$`,
      ),
    ),
  ]);
  expect(ready).toEqual([...good, taken].sort());
  expect(all).toEqual(ready);
}, 400_000);

test("nothing is there twice of what was killed, and nothing of who has not joined", async () => {
  const { ready } = await registered();
  const twice = await Promise.all(
    ready.map(
      async (name) => [name, await tokensNotOne(clusters.get(name.replace(/^twin-.$/, "twin"))!.client)] as const,
    ),
  );
  expect(twice.filter(([, accounts]) => accounts.length > 0)).toEqual([]);
  const plane = await connect((await stack.outputs<{ kubeconfig: string }>()).kubeconfig);
  expect(await leftOfOthers(plane, ready)).toEqual([]);
  expect(await clusters.get("slow")!.client.find("/api/v1/namespaces/karmada-cluster")).toBeUndefined();
  const running = (await stack.processes()).map(({ command }) => command.split(" ").slice(0, 6).join(" "));
  expect(running.filter((each) => each.includes("karmada-agent")).length).toBe(pulled.length);
  expect(running.filter((each, i) => running.indexOf(each) !== i)).toEqual([]);
});

/** Those that serve the members, by these; memory that is theirs alone in MB. */
async function estimators(): Promise<Map<string, { memory: number; metrics: string }>> {
  const found = (await stack.processes()).filter(({ command }) => command.includes("scheduler-estimator --"));
  const described = found.map(async ({ pid, command }) => {
    const [, cluster = ""] = /--cluster-name=(\S+)/.exec(command) ?? [];
    const [, metrics = ""] = /--metrics-bind-address=(\S+)/.exec(command) ?? [];
    const [, own = "0"] = /^Private_Dirty:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/smaps_rollup`, "utf8")) ?? [];
    return [cluster, { memory: Number(own) / 1024, metrics }] as const;
  });
  return new Map(await Promise.all(described));
}

(estimated ? test : test.skip)(
  "each that has joined has an estimator, and the scheduler asks all of them at once",
  async () => {
    const { ready } = await registered();
    const found = await estimators();
    // Which of the twins joins may have changed from one up that was killed to the next: the first has its own still.
    const [refused = ""] = twins.filter((name) => !ready.includes(name));
    expect([...found.keys()].filter((name) => name !== refused).sort()).toEqual(ready);
    const total = [...found.values()].reduce((sum, { memory }) => sum + memory, 0);
    console.log(`${found.size} estimators: ${total.toFixed(0)} MB`);
    await kubectl(["create", "deployment", "roomy", "--image=none.invalid/none", "--replicas=6"]);
    const policy = {
      apiVersion: "policy.karmada.io/v1alpha1",
      kind: "PropagationPolicy",
      metadata: { name: "roomy", namespace: "default" },
      spec: {
        resourceSelectors: [{ apiVersion: "apps/v1", kind: "Deployment", name: "roomy" }],
        placement: {
          clusterAffinity: { clusterNames: ready },
          replicaScheduling: {
            replicaSchedulingType: "Divided",
            replicaDivisionPreference: "Weighted",
            weightPreference: { dynamicWeight: "AvailableReplicas" },
          },
        },
      },
    };
    await kubectl(["create", "-f", "-"], JSON.stringify(policy));
    const asked = async () => {
      const metrics = ready.map(async (name) => (await fetch(`http://${found.get(name)!.metrics}/metrics`)).text());
      return (await Promise.all(metrics)).filter((text) =>
        /estimating_request_total\{result="success",type="MaxAvailableReplicas"\} [1-9]/.test(text),
      ).length;
    };
    await timed("the scheduler has asked all", () => eventually(asked, (count) => count === ready.length, 60));
    await kubectl(["delete", "deployment/roomy", "propagationpolicy/roomy"]);
  },
  120_000,
);

test("without those that cannot join there is nothing more to do", async () => {
  const { ready } = await registered();
  for (const name of [...twins, "dead", "impostor", "slow"].filter((name) => !ready.includes(name))) {
    rmSync(join(programs.directory, "reached", `${name}.kubeconfig`));
  }
  await stack.up(...options);
  await timed("up with nothing to do", () => stack.up(...options, "--expect-no-changes"));
  await timed("refresh", () => stack.refresh("--parallel", "32", "--expect-no-changes"));
  expect((await registered()).ready).toEqual(ready);
}, 300_000);

test("members that leave leave nothing behind, on the plane or in them, but for what runs in those that keep it", async () => {
  const groups = stack.config["memberGroups"] as { name: string }[];
  const keeping = (name: string) => ({ name, preserveWorkloads: true });
  stack.config["memberGroups"] = groups.map((group) => ({
    ...group,
    members: [keeping(group.name === "reached" ? "pushed-1" : "pulled-1")],
  }));
  await stack.up(...options);
  await placeEverywhere(kubectl);
  const client = (name: string) => clusters.get(name)!.client;
  const uids = await Promise.all(watched.map((name) => placedIn(client(name))));
  stack.config["memberGroups"] = [];
  await timed("all leave", () => stack.up(...options));
  expect((await registered()).all).toEqual([]);
  expect([...(await estimators()).keys()]).toEqual([]);
  const { items } = await kubectl.get<{ items: Json[] }>("namespaces");
  expect(items.filter(({ metadata }) => metadata.name.startsWith("karmada-es-"))).toEqual([]);
  const left = await Promise.all(
    [...clusters].map(async ([name, { client }]) => [name, await client.find("/api/v1/namespaces/karmada-cluster")]),
  );
  expect(left.filter(([, namespace]) => namespace !== undefined)).toEqual([]);
  const [pushedOne, pulledOne, other] = await Promise.all(
    watched.map((name) => changedSince(client(name), before.get(name)!)),
  );
  const kept = ["/api/v1/namespaces /kept", "/apis/apps/v1/deployments kept/web"];
  expect([pushedOne, pulledOne]).toEqual([kept, kept].map((more) => ({ more, otherwise: [] })));
  expect(other).toEqual({ more: [], otherwise: [] });
  for (const [i, name] of watched.slice(0, 2).entries())
    expect(await whatIsKept(client(name))).toEqual({
      uid: uids[i],
      labels: undefined,
      ofNamespace: { "kubernetes.io/metadata.name": "kept" },
    });
}, 400_000);
