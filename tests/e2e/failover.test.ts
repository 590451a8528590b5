/**
 * A member that is lost: what it ran is placed in others, and when it is back nothing runs twice and nothing is gone. One that
 * moves to another address is looked after there.
 */
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { type AddressInfo, connect as dial, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KubeClient, KubeObject } from "../../lib/kube/client.ts";
import { connect } from "../../lib/kube/client.ts";
import { startCluster } from "../support/cluster.ts";
import { startEtcd } from "../support/etcd.ts";
import { Programs } from "../support/running.ts";
import { eventually, kubectlFor, type Json, type Kubectl, readyOf } from "./support/kubectl.ts";
import { TestStack } from "./support/stack.ts";

const basePort = 27400;
const members = ["paris", "oslo", "rome"] as const;
const simulated = (name: string, syncMode = "Push") => ({ name, syncMode, credentials: { kind: "simulated" } });
const lost = { key: "not-ready", operator: "Exists", effect: "NoExecute" };

let stack: TestStack;
let kubectl: Kubectl;
let removeKubeconfig: () => Promise<void>;
let clients: Record<(typeof members)[number], KubeClient>;

const policies = [
  {
    kind: "PropagationPolicy",
    name: "web",
    resourceSelectors: [{ apiVersion: "apps/v1", kind: "Deployment", name: "web" }],
    placement: {
      clusterAffinity: { clusterNames: members },
      replicaScheduling: {
        replicaSchedulingType: "Divided",
        replicaDivisionPreference: "Weighted",
        weightPreference: {
          staticWeightList: members.map((name) => ({ targetCluster: { clusterNames: [name] }, weight: 1 })),
        },
      },
    },
  },
  {
    kind: "PropagationPolicy",
    name: "only-one",
    resourceSelectors: [{ apiVersion: "v1", kind: "ConfigMap", name: "only-one" }],
    placement: { clusterAffinity: { clusterNames: ["paris"] }, clusterTolerations: [lost] },
  },
];

beforeAll(async () => {
  stack = await TestStack.create(
    {
      etcd: { kind: "managed", members: 1 },
      controlPlane: { failover: { enabled: true } },
      members: [simulated("paris"), simulated("oslo"), simulated("rome", "Pull")],
      policies,
    },
    basePort,
  );
  await stack.up();
  ({ kubectl, remove: removeKubeconfig } = await kubectlFor(
    (await stack.outputs<{ kubeconfig: string }>()).kubeconfig,
  ));
  const opened = members.map(async (name) => {
    const text = await readFile(`${stack.directory}/${name}-kwok/kubeconfig`, "utf8");
    return [name, await connect(text)] as const;
  });
  clients = Object.fromEntries(await Promise.all(opened)) as typeof clients;
}, 300_000);

afterAll(async () => {
  await removeKubeconfig?.();
  await stack?.remove();
}, 180_000);

const inMember = (name: (typeof members)[number], path: string): Promise<KubeObject | undefined> =>
  clients[name].find(path);
const web = "/apis/apps/v1/namespaces/default/deployments/web";
const onlyOne = "/api/v1/namespaces/default/configmaps/only-one";

/** Replicas by the member they are placed in. */
async function placed(): Promise<Record<string, number>> {
  const { spec } = await kubectl.get("resourcebinding", "web-deployment");
  return Object.fromEntries((spec.clusters as Json[]).map(({ name, replicas }) => [name, replicas]));
}

/** Replicas that run, by the member. */
async function running(...names: readonly (typeof members)[number][]): Promise<number[]> {
  const found = await Promise.all(names.map((name) => inMember(name, web)));
  return found.map((object) => object?.status?.readyReplicas ?? 0);
}

/** Processes of the stack by what their command lines have in them. */
const pidOf = async (...pieces: readonly string[]) =>
  (await stack.processes()).find(({ command }) => pieces.every((piece) => command.includes(piece)))!.pid;

const ready = async () => readyOf(await kubectl.get("cluster", "paris"));
const since = (begin: number) => `${((performance.now() - begin) / 1000).toFixed(1)} s`;
let supervisor: number;
let kept: (string | undefined)[];
const uids = async () => {
  const found = [await inMember("oslo", web), await inMember("rome", web)];
  return found.map((object) => object?.metadata?.uid);
};

test("while every member is there replicas are divided among them", async () => {
  await kubectl(["create", "deployment", "web", "--image=flomesh/pipy", "--replicas=6"]);
  await kubectl(["create", "configmap", "only-one", "--from-literal=a=1"]);
  await eventually(
    () => running(...members),
    (counts) => counts.every((count) => count === 2),
    60,
  );
  expect(await placed()).toEqual({ paris: 2, oslo: 2, rome: 2 });
  await eventually(
    () => inMember("paris", onlyOne),
    (found) => found !== undefined,
  );
  await stack.up("--expect-no-changes");
}, 180_000);

test("what ran in one that is lost runs in the others, but what tolerates that stays with it", async () => {
  kept = await uids();
  supervisor = await pidOf("supervisor");
  const server = await pidOf("paris-kube-apiserver");
  // Who would start it again stands still.
  process.kill(supervisor, "SIGSTOP");
  process.kill(server, "SIGKILL");
  const begin = performance.now();
  await eventually(
    () => running("oslo", "rome"),
    (counts) => counts.every((count) => count === 3),
    120,
  );
  console.log(`6 replicas run without the lost member after ${since(begin)}`);
  expect(await ready()).toBe("False");
  expect(await placed()).toEqual({ oslo: 3, rome: 3 });
  expect(await uids()).toEqual(kept);
  const { spec } = await kubectl.get("resourcebinding", "only-one-configmap");
  expect(spec.clusters).toEqual([{ name: "paris" }]);
}, 180_000);

test("within ten seconds of its being Ready again nothing runs twice, and nothing else of it is gone", async () => {
  const begin = performance.now();
  process.kill(supervisor, "SIGCONT");
  await eventually(ready, (status) => status === "True", 150);
  console.log(`Ready again after ${since(begin)}`);
  const again = performance.now();
  await eventually(
    () => inMember("paris", web),
    (found) => found === undefined,
    10,
  );
  console.log(`its stale replicas are gone ${since(again)} after that`);
  expect(await inMember("paris", onlyOne)).toMatchObject({ data: { a: "1" } });
  expect(await running("oslo", "rome")).toEqual([3, 3]);
  expect(await uids()).toEqual(kept);
  const taints = async () => ((await kubectl.get("cluster", "paris")).spec.taints ?? []) as Json[];
  await eventually(taints, (found) => found.every(({ key }) => key !== "not-ready"));
  await stack.up("--expect-no-changes");
}, 240_000);

test("replicas come back when they are asked to", async () => {
  stack.config["policies"] = [
    ...policies,
    {
      kind: "WorkloadRebalancer",
      name: "back",
      workloads: [{ apiVersion: "apps/v1", kind: "Deployment", name: "web", namespace: "default" }],
    },
  ];
  await stack.up();
  await eventually(
    () => running(...members),
    (counts) => counts.every((count) => count === 2),
    60,
  );
  expect(await placed()).toEqual({ paris: 2, oslo: 2, rome: 2 });
}, 120_000);

test("an application that cannot run in a member is placed in another, although both are Ready", async () => {
  const name = "app";
  const metadata = { name, namespace: "default" };
  const resourceSelectors = [{ apiVersion: "apps/v1", kind: "Deployment", name }];
  const apply = (spec: object, kind: string) =>
    kubectl(
      ["apply", "-f", "-"],
      JSON.stringify({
        apiVersion: "policy.karmada.io/v1alpha1",
        kind,
        metadata,
        spec: { resourceSelectors, ...spec },
      }),
    );
  const placedIn = async () => (await kubectl.get("resourcebinding", "app-deployment")).spec.clusters?.[0]?.name;
  const runsIn = async (member: string) => {
    const path = `/apis/apps/v1/namespaces/default/deployments/${name}`;
    return (await inMember(member as "paris", path))?.status?.readyReplicas;
  };
  const affinity = { clusterNames: ["paris", "oslo"] };
  await apply(
    {
      placement: {
        clusterAffinity: affinity,
        spreadConstraints: [{ spreadByField: "cluster", minGroups: 1, maxGroups: 1 }],
      },
      // Karmada refuses a failover that would leave behind what the application needs.
      propagateDeps: true,
      failover: { application: { decisionConditions: { tolerationSeconds: 3 }, purgeMode: "Directly" } },
    },
    "PropagationPolicy",
  );
  const labels = { app: name };
  const deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata,
    spec: {
      // Otherwise one that is to be replaced by it goes on running, and it counts as healthy.
      strategy: { type: "Recreate" },
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name, image: "docker.io/shop/web:1" }] } },
    },
  };
  await kubectl(["apply", "-f", "-"], JSON.stringify(deployment));
  const first = await eventually(placedIn, (found) => found !== undefined);
  await eventually(
    () => runsIn(first),
    (count) => count === 1,
  );
  const imageOverrider = [{ component: "Registry", operator: "replace", value: "registry.invalid" }];
  const overrideRules = [{ targetCluster: { clusterNames: [first] }, overriders: { imageOverrider } }];
  await apply({ overrideRules }, "OverridePolicy");
  const second = affinity.clusterNames.find((each) => each !== first)!;
  await eventually(placedIn, (found) => found === second, 60);
  await eventually(
    () => runsIn(second),
    (count) => count === 1,
  );
  expect(await ready()).toBe("True");
  await kubectl(["delete", "deployment,propagationpolicy,overridepolicy", name]);
}, 180_000);

test("switched off, what does it is gone", async () => {
  delete stack.config["controlPlane"];
  await stack.up();
  expect((await kubectl.get("clustertaintpolicies")).items).toEqual([]);
  expect((await stack.processes()).some(({ command }) => command.includes("no-execute-taint-eviction"))).toBe(false);
}, 120_000);

test("one that moves to another address is watched there: what is deleted in it comes back", async () => {
  const programs = new Programs(mkdtempSync(join(tmpdir(), "moving-")));
  const ways: Way[] = [];
  try {
    const etcd = await startEtcd(programs, memberPort);
    const berlin = await startCluster(programs, etcd, { name: "berlin", port: memberPort + 4 });
    const reachedBy = async () => {
      const way = await wayTo(memberPort + 4);
      ways.push(way);
      const path = programs.write("berlin.kubeconfig", berlin.kubeconfig.replace(/127\.0\.0\.1:\d+/, way.address));
      return [simulated("oslo"), { name: "berlin", credentials: { kind: "kubeconfigFile", path } }];
    };
    const selected = { apiVersion: "v1", kind: "ConfigMap", name: "moving" };
    stack.config["membersMayLeave"] = ["paris", "rome"];
    stack.config["members"] = await reachedBy();
    stack.config["policies"] = [
      {
        kind: "PropagationPolicy",
        name: "moving",
        resourceSelectors: [selected],
        placement: { clusterAffinity: { clusterNames: ["berlin"] } },
      },
    ];
    await stack.up();
    await kubectl(["create", "configmap", "moving", "--from-literal=a=1"]);
    const path = "/api/v1/namespaces/default/configmaps/moving";
    const copy = () =>
      eventually(
        () => berlin.client.find(path),
        (found) => found !== undefined,
        60,
      );
    const { metadata } = (await copy())!;
    // A kind is watched once there is one of it: what is deleted before that has nobody seen. The watch comes by the first way.
    await eventually(
      () => kubectl.get<{ items: Json[] }>("works", "--namespace=karmada-es-berlin"),
      ({ items }) => items.some(({ status }) => status?.manifestStatuses?.[0]?.identifier?.name === "moving"),
      60,
    );
    await berlin.client.delete(path);
    expect((await copy())!.metadata?.uid).not.toBe(metadata?.uid);

    const controllers = await pidOf("karmada-controller-manager --");
    stack.config["members"] = await reachedBy();
    ways[0]!.close();
    await stack.up();
    expect((await kubectl.get("cluster", "berlin")).spec.apiEndpoint).toBe(`https://${ways[1]!.address}`);
    expect(await pidOf("karmada-controller-manager --")).not.toBe(controllers);
    await berlin.client.delete(path);
    await copy();
    await stack.up("--expect-no-changes");
    stack.config["policies"] = [];
    stack.config["membersMayLeave"] = ["berlin"];
    stack.config["members"] = [simulated("oslo")];
    await stack.up();
  } finally {
    ways.forEach((way) => way.close());
    await programs.remove();
  }
}, 300_000);

/** Of another cluster than the simulated ones. */
const memberPort = basePort + 1100;

/** A port of loopback that leads to another one until it is closed. */
interface Way {
  /** With its port. */
  readonly address: string;
  close(): void;
}

async function wayTo(target: number): Promise<Way> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = dial(target, "127.0.0.1");
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on("error", () => socket.destroy()).on("close", () => open.delete(socket));
    }
    client.pipe(upstream).pipe(client);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      open.forEach((socket) => socket.destroy());
    },
  };
}
