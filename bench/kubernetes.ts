/**
 * What a Karmada in pods costs: a real host cluster of one node on this machine that has the images, three clusters as
 * members. The peer is `karmadactl init` in the same host cluster, which has one member of etcd, and everything once.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { namespacePath } from "../lib/host-cluster/namespace.ts";
import { MemberClusters } from "../tests/e2e/support/member-clusters.ts";
import { TestStack } from "../tests/e2e/support/stack.ts";
import { cleanUp } from "../tests/support/clean-up.ts";
import { KubernetesLab } from "../tests/support/kubernetes-lab.ts";
import { labImages } from "../tests/support/kubernetes-lab/images.ts";
import { storageClass } from "../tests/support/kubernetes-lab/objects.ts";
import { Programs } from "../tests/support/running.ts";
import { seconds, type Benchmark } from "./benchmark.ts";
import { byKarmadactl } from "./peers/karmadactl.ts";
import { criticalPath, inLines, type ExportedResource } from "./critical-path.ts";

const [labPort, memberPort] = [28600, 28620];
const namespace = "measured";
/** Used ones are never emptied: enough for as many `up`s as there are runs. */
const volumes = 3 * 10;

interface Ground {
  readonly lab: KubernetesLab;
  readonly members: MemberClusters;
  readonly stack: TestStack;
}

let ground: Ground | undefined;
let isUp = false;
let undo: (() => unknown)[] = [];

/** Of `npm start` and `npm run destroy`. */
const options = ["--parallel", "32"];

/** A host cluster with nothing of a deployment in it; shared by all benchmarks here. */
async function empty(): Promise<Ground> {
  ground ??= await prepare();
  if (isUp) await ground.stack.successfully(["destroy", "--yes", "--skip-preview", ...options]);
  isUp = false;
  return ground;
}

async function prepare(): Promise<Ground> {
  const lab = new KubernetesLab(17, labPort);
  undo.unshift(() => lab.stop());
  await lab.start(labImages, volumes);
  const programs = new Programs(mkdtempSync(join(tmpdir(), "kubernetes-members-")));
  undo.unshift(() => programs.remove());
  const members = await MemberClusters.start(programs, lab.network.machine, memberPort);
  const stack = await TestStack.create({}, 0);
  undo.unshift(() => stack.remove());
  stack.config = {
    placement: {
      kind: "kubernetes",
      credentials: { kind: "kubeconfig", kubeconfig: await stack.secret(lab.cluster.kubeconfig) },
      namespace,
      storage: { storageClass },
      exposure: { kind: "nodePort", addresses: [lab.network.node], apiServer: 31443, etcd: 31379 },
    },
    members: await members.entriesFor(stack),
  };
  return { lab, members, stack };
}

/** Removes all of it. */
export async function finish(): Promise<void> {
  const steps = undo;
  [ground, isUp, undo] = [undefined, false, []];
  await cleanUp(...steps);
}

/** An `up` in an empty host cluster, in seconds. */
async function up(): Promise<number> {
  const { stack } = await empty();
  // A failed one leaves something to destroy as well.
  isUp = true;
  const started = Date.now();
  const took = await seconds(() => stack.up(...options));
  const { deployment } = JSON.parse(await stack.state()) as { deployment: { resources: ExportedResource[] } };
  console.error(`${inLines(criticalPath(deployment.resources, started))}\n${took.toFixed(2).padStart(7)} s  end`);
  return took;
}

async function running(): Promise<Ground> {
  if (!isUp) await up();
  return ground!;
}

/** Destroying it, its members joined, in seconds. */
async function destroy(): Promise<number> {
  const { lab, stack } = await running();
  const took = await seconds(() => empty());
  const left = await lab.cluster.client.find(namespacePath(namespace));
  if (left !== undefined) throw new Error(`${stack.name}: destroyed, but the namespace ${namespace} is still there`);
  return took;
}

async function byPeer(): Promise<number> {
  const { lab, members } = await empty();
  return byKarmadactl(lab, members);
}

export const benchmarks: Benchmark[] = [
  { name: "kubernetes-up", unit: "s", goal: 40, timesPeer: 0.4, ours: up, peer: byPeer },
  {
    name: "kubernetes-up-noop",
    unit: "s",
    goal: 10,
    ours: async () => {
      const { stack } = await running();
      return seconds(() => stack.up(...options, "--expect-no-changes"));
    },
  },
  {
    // Of a running deployment without changes.
    name: "kubernetes-preview",
    unit: "s",
    goal: 8,
    ours: async () => {
      const { stack } = await running();
      return seconds(() => stack.preview(...options));
    },
  },
  { name: "kubernetes-destroy", unit: "s", goal: 20, ours: destroy },
];
