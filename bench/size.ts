/**
 * How large a control plane has to be: the memory of its programs without members, with many, and with Deployments that
 * are propagated to all of them. Members are clusters of a real kube-apiserver each, joined in Push mode. One of each
 * program runs, as on one host of several.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connect, type KubeClient, type KubeObject } from "../lib/kube/client.ts";
import { deadlineIn, Pending, waitFor } from "../lib/wait.ts";
import { web } from "../tests/e2e/support/addons.ts";
import { TestStack } from "../tests/e2e/support/stack.ts";
import { startEtcd } from "../tests/support/etcd.ts";
import { startLightClusters } from "../tests/support/light-clusters.ts";
import { Programs } from "../tests/support/running.ts";
import { type Benchmark, startOptions } from "./benchmark.ts";
import { memberCount } from "./member-count.ts";
import { forgetPeak, type Usage, usageOf } from "./process-usage.ts";

const basePort = 24600;
const firstMemberPort = 17400;
const deployments = 60;
/** How long it is looked at when it has nothing to do, in seconds. */
const rest = 60;

const members = memberCount();

/** What each program took over one of the three parts of the run, by its name. */
type Part = ReadonlyMap<string, Usage>;

interface Sizes {
  readonly alone: Part;
  readonly withMembers: Part;
  readonly withWorks: Part;
}

let measured: Promise<Sizes> | undefined;

/** All figures come from one run. */
const sizes = () => (measured ??= run());

async function run(): Promise<Sizes> {
  const programs = new Programs(mkdtempSync(join(tmpdir(), "size-")));
  let stack: TestStack | undefined;
  try {
    const names = Array.from({ length: members }, (_, i) => `member-${i + 1}`);
    const etcd = await startEtcd(programs, firstMemberPort - 2);
    const clusters = await startLightClusters(programs, etcd, names, firstMemberPort);
    stack = await TestStack.create({ etcd: { kind: "managed", members: 1 }, policies }, basePort);
    await stack.up(...startOptions);
    const alone = await atRest(stack);
    stack.config["members"] = clusters.map(({ kubeconfig }, i) => ({
      name: names[i]!,
      credentials: { kind: "kubeconfigFile", path: programs.write(`${names[i]!}.kubeconfig`, kubeconfig) },
    }));
    await stack.up(...startOptions);
    const withMembers = await atRest(stack);
    const plane = await connect((await stack.outputs<{ kubeconfig: string }>()).kubeconfig);
    for (let i = 0; i < deployments; i++)
      await plane.create("/apis/apps/v1/namespaces/default/deployments", web(`app-${i}`, 1));
    await untilApplied(plane);
    const withWorks = await atRest(stack);
    const sizes = { alone, withMembers, withWorks };
    console.error(table(sizes));
    return sizes;
  } finally {
    await stack?.remove();
    await programs.remove();
  }
}

const policies = [
  {
    kind: "ClusterPropagationPolicy",
    name: "everywhere",
    resourceSelectors: [{ apiVersion: "apps/v1", kind: "Deployment" }],
    placement: { replicaScheduling: { replicaSchedulingType: "Duplicated" } },
  },
];

/** Each program once: its peak is that of the part before, its processor time that of the rest. */
async function atRest(stack: TestStack): Promise<Part> {
  const processes = (await stack.processes()).filter(({ command }) => !/^(\S*\/)?node /.test(command));
  const before = processes.map(({ pid }) => usageOf(pid));
  await sleep(rest * 1000);
  const part = new Map<string, Usage>();
  for (const [i, { pid, command }] of processes.entries()) {
    const usage = usageOf(pid);
    part.set(basename(command.split(" ")[0]!), { ...usage, processor: usage.processor - before[i]!.processor });
    forgetPeak(pid);
  }
  return part;
}

async function untilApplied(plane: KubeClient): Promise<void> {
  const wanted = deployments * members;
  await waitFor("the Deployments", deadlineIn(1800), async () => {
    const { items } = await plane.get<{ items: KubeObject[] }>(
      "/apis/work.karmada.io/v1alpha2/namespaces/default/resourcebindings",
    );
    const applied = items.flatMap(({ status }) => status?.aggregatedStatus ?? []).filter(({ applied }) => applied);
    return applied.length === wanted ? true : new Pending(`${applied.length} of ${wanted} are applied`);
  });
}

const sum = (part: Part, of: keyof Usage) => [...part.values()].reduce((total, usage) => total + usage[of], 0);

/** What each program has at most, and what it spends at rest. */
function table({ alone, withMembers, withWorks }: Sizes): string {
  const rows = [...alone.keys()].sort().map((program) => {
    const parts = [alone, withMembers, withWorks].map((part) => {
      const { peak = NaN, processor = NaN } = part.get(program) ?? {};
      return `${peak.toFixed(0).padStart(6)} MiB ${(processor / rest).toFixed(3)} cores`;
    });
    return [program.padEnd(32), ...parts].join("  ");
  });
  return [`no members; ${members} members; ${deployments} Deployments in each of them`, ...rows].join("\n");
}

const figure = (name: string, unit: string, goal: number, of: (sizes: Sizes) => number): Benchmark => ({
  name,
  unit,
  goal,
  runs: 1,
  ours: async () => of(await sizes()),
});

/** 1.5 GiB is what a host has to have, and with 4 GiB it is to do for 50 members with 100 objects in each. */
export const benchmarks: Benchmark[] = [
  figure("size-plane", "MiB", 1536, ({ alone }) => sum(alone, "peak")),
  figure(
    "size-member",
    "MiB",
    20,
    ({ alone, withMembers }) => (sum(withMembers, "peak") - sum(alone, "memory")) / members,
  ),
  figure(
    "size-work",
    "KiB",
    512,
    ({ withMembers, withWorks }) =>
      ((sum(withWorks, "peak") - sum(withMembers, "memory")) * 1024) / (deployments * members),
  ),
  figure("size-rest", "cores", 1, ({ withWorks }) => sum(withWorks, "processor") / rest),
];
