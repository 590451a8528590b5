/**
 * What it takes until all pods of a member that is lost run in two others: clusters of real API servers, controllers and
 * schedulers on this machine, whose nodes and pods KWOK simulates, with all of Karmada's own failover between them.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { connect, type KubeClient, type KubeObject } from "../lib/kube/client.ts";
import { deadlineIn, Pending, waitFor } from "../lib/wait.ts";
import { web } from "../tests/e2e/support/addons.ts";
import { TestStack } from "../tests/e2e/support/stack.ts";
import { seconds, type Benchmark, startOptions } from "./benchmark.ts";
import { podCount } from "./pod-count.ts";

/** Until it is certain that a member is lost, and what it had is placed in the others. */
const certain = 60;
/** The two others make 20 pods a second each, which is the most by kube-controller-manager's defaults; a fifth is to spare. */
const podsPerSecond = 40 / 1.2;
const replicas = 100;
const podsPerNode = 100;
const deployments = "/apis/apps/v1/namespaces/default/deployments";

const pods = podCount();

/** A new control plane with all pods in the member `lost`, until that is lost. */
async function failOver(): Promise<number> {
  const stack = await TestStack.create(config(), 24500);
  try {
    await stack.up(...startOptions);
    const plane = await connect((await stack.outputs<{ kubeconfig: string }>()).kubeconfig);
    const [lost, ...others] = await Promise.all(["lost", "left", "right"].map((name) => memberOf(stack, name)));
    const created = await seconds(async () => {
      for (let i = 0; i < pods / replicas; i++) await plane.create(deployments, web(`app-${i}`, replicas));
      await untilRunning([lost!], 1800);
    });
    console.error(`${pods} pods run in one member after ${created.toFixed(0)} s`);
    const goOn = await lose(stack);
    try {
      return await seconds(() => untilRunning(others, 1800));
    } finally {
      goOn();
    }
  } finally {
    await stack.remove();
  }
}

function config() {
  const nodes = Math.ceil(pods / podsPerNode);
  return {
    etcd: { kind: "managed", members: 1 },
    controlPlane: { failover: { enabled: true } },
    members: ["lost", "left", "right"].map((name) => ({
      name,
      credentials: { kind: "simulated", nodes, pods: podsPerNode },
    })),
    policies: [
      {
        kind: "PropagationPolicy",
        name: "apps",
        resourceSelectors: [{ apiVersion: "apps/v1", kind: "Deployment" }],
        placement: {
          clusterAffinities: [
            { affinityName: "first", clusterNames: ["lost"] },
            { affinityName: "then", clusterNames: ["left", "right"] },
          ],
          replicaScheduling: {
            replicaSchedulingType: "Divided",
            replicaDivisionPreference: "Weighted",
            weightPreference: {
              staticWeightList: ["lost", "left", "right"].map((name) => ({
                targetCluster: { clusterNames: [name] },
                weight: 1,
              })),
            },
          },
        },
      },
    ],
  };
}

const memberOf = async (stack: TestStack, name: string): Promise<KubeClient> =>
  connect(await readFile(join(stack.directory, `${name}-kwok`, "kubeconfig"), "utf8"));

/** Until all pods are Ready in the members together. */
async function untilRunning(members: readonly KubeClient[], timeout: number): Promise<void> {
  await waitFor("the pods", deadlineIn(timeout), async () => {
    const counts = await Promise.all(members.map(ready));
    const sum = counts.reduce((total, count) => total + count, 0);
    return sum === pods ? true : new Pending(`${sum} of ${pods} are Ready`);
  });
}

async function ready(member: KubeClient): Promise<number> {
  const { items } = await member.get<{ items: KubeObject[] }>(deployments);
  return items.reduce((sum, { status }) => sum + (status?.readyReplicas ?? 0), 0);
}

/** Kills its API server. Who would start it again stands still until that is called. */
async function lose(stack: TestStack): Promise<() => void> {
  const processes = await stack.processes();
  const pidOf = (piece: string) => processes.find(({ command }) => command.includes(piece))!.pid;
  const supervisor = pidOf("supervisor");
  process.kill(supervisor, "SIGSTOP");
  process.kill(pidOf("lost-kube-apiserver"), "SIGKILL");
  return () => process.kill(supervisor, "SIGCONT");
}

export const benchmarks: Benchmark[] = [
  { name: "failover", unit: "s", goal: certain + pods / podsPerSecond, runs: 1, ours: failOver },
];
