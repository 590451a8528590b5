/**
 * What many members cost: clusters of a real kube-apiserver each, joined in Push mode to a control plane on this machine,
 * by `pulumi up` with the options of `npm start`. The peer joins ten of them one by one, which is scaled to all of them.
 */
import { mkdtempSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { connect, type KubeClient } from "../lib/kube/client.ts";
import { watch } from "../lib/kube/watch.ts";
import { becomeReady, readyCondition } from "../lib/members/registration.ts";
import { paths } from "../lib/members/names.ts";
import { deadlineIn } from "../lib/wait.ts";
import { TestStack } from "../tests/e2e/support/stack.ts";
import { startEtcd } from "../tests/support/etcd.ts";
import { startLightClusters } from "../tests/support/light-clusters.ts";
import { programPath } from "../tests/support/programs.ts";
import { Programs } from "../tests/support/running.ts";
import { startSlowProxy } from "../tests/support/slow-proxy.ts";
import { median, seconds, type Benchmark, startOptions } from "./benchmark.ts";
import { memberCount } from "./member-count.ts";

const basePort = 21000;
const firstMemberPort = 17000;
/** How many the peer joins. */
const sampled = 10;

const count = memberCount();
/** One more than the fifty, to be added to them. */
const names = Array.from({ length: count + 1 }, (_, i) => `member-${String(i + 1).padStart(3, "0")}`);

interface Ground {
  readonly programs: Programs;
  readonly stack: TestStack;
  readonly plane: KubeClient;
  /** Paths of the kubeconfigs of all clusters, by name. */
  readonly kubeconfigs: ReadonlyMap<string, string>;
  /** For the control plane without members: an `up` with nothing to do, in seconds, and the state. */
  readonly alone: { readonly noop: number; readonly bytes: number };
}

let ground: Promise<Ground> | undefined;
let started: { programs?: Programs; stack?: TestStack } = {};

/** The clusters, and a control plane that has none of them yet. */
function ready(): Promise<Ground> {
  return (ground ??= prepare());
}

async function prepare(): Promise<Ground> {
  const programs = new Programs(mkdtempSync(join(tmpdir(), "members-")));
  started = { programs };
  const etcd = await startEtcd(programs, firstMemberPort - 2);
  const took = await seconds(async () => {
    const clusters = await startLightClusters(programs, etcd, names, firstMemberPort);
    clusters.forEach(({ kubeconfig }, i) => programs.write(`${names[i]!}.kubeconfig`, kubeconfig));
  });
  console.error(`${names.length} clusters started in ${took.toFixed(0)} s`);
  const kubeconfigs = new Map(names.map((name) => [name, join(programs.directory, `${name}.kubeconfig`)]));
  const stack = await TestStack.create({ etcd: { kind: "managed", members: 1 } }, basePort);
  started.stack = stack;
  await up(stack, []);
  const { kubeconfig } = await stack.outputs<{ kubeconfig: string }>();
  programs.write("karmada.kubeconfig", kubeconfig);
  const alone = { noop: await noop(stack), bytes: (await stat(stack.stateFile)).size };
  return { programs, stack, plane: await connect(kubeconfig), kubeconfigs, alone };
}

/** Removes all of it. */
export async function finish(): Promise<void> {
  const { programs, stack } = started;
  started = {};
  ground = undefined;
  try {
    await stack?.remove();
  } finally {
    await programs?.remove();
  }
}

const member = (name: string, path: string) => ({ name, credentials: { kind: "kubeconfigFile", path } });

function up(stack: TestStack, members: object[]) {
  stack.config = { ...stack.config, members };
  return stack.up(...startOptions);
}

/** An `up` that joins the given number of members, in seconds. */
async function upTo(many: number): Promise<number> {
  const { stack, kubeconfigs } = await ready();
  const took = await seconds(() => up(stack, declared(kubeconfigs, many)));
  joined = many;
  return took;
}

let joined = 0;

async function withMembers(many: number): Promise<Ground> {
  if (joined !== many) await upTo(many);
  return ready();
}

const declared = (kubeconfigs: Ground["kubeconfigs"], many: number) =>
  [...kubeconfigs].slice(0, many).map(([name, path]) => member(name, path));

async function noop(stack: TestStack): Promise<number> {
  const took: number[] = [];
  for (let i = 0; i < 3; i++) took.push(await seconds(() => stack.up(...startOptions, "--expect-no-changes")));
  return median(took);
}

/** `karmadactl join` for ten of them, one after another until each is Ready; in seconds for all. */
async function oneByOne(): Promise<number> {
  const { programs, plane, kubeconfigs } = await withMembers(count - sampled);
  const karmadactl = await programPath("karmadactl");
  const own = join(programs.directory, "karmada.kubeconfig");
  const took = await seconds(async () => {
    for (const name of names.slice(count - sampled, count)) {
      const path = kubeconfigs.get(name)!;
      await execa(karmadactl, ["join", name, `--kubeconfig=${own}`, `--cluster-kubeconfig=${path}`]);
      await becomeReady(plane, name, deadlineIn(120));
    }
  });
  // The next `up` takes them over as they are.
  return (took / sampled) * count;
}

/** What an `up` that adds one takes beyond the time in which Karmada itself finds the new Cluster ready. */
async function addOne(): Promise<number> {
  const { plane } = await withMembers(count);
  const own = readyTime(plane, names[count]!);
  const took = await upTo(count + 1);
  return took - (await own);
}

/** Seconds from the first sight of a Cluster until it is Ready. */
async function readyTime(plane: KubeClient, cluster: string): Promise<number> {
  let seen: number | undefined;
  const query = { fieldSelector: `metadata.name=${cluster}` };
  for await (const { type, object } of watch(plane, paths.clusters, deadlineIn(120), query)) {
    if (type === "DELETED") continue;
    seen ??= performance.now();
    if (readyCondition(object)?.status === "True") return (performance.now() - seen) / 1000;
  }
  throw new Error(`${cluster} did not become Ready`);
}

/** What two members that are dead, one refusing connections and one silent, add to an `up`. */
async function withDead(): Promise<number> {
  const { stack, programs, kubeconfigs, plane } = await withMembers(count);
  const without = await noop(stack);
  const silent = await startSlowProxy(Number(new URL(plane.server).port), Infinity);
  try {
    const [, path] = [...kubeconfigs].at(-1)!;
    const text = await readFile(path, "utf8");
    const at = (port: number) => text.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${port}`);
    const dead = [
      member("refusing", programs.write("refusing.kubeconfig", at(1))),
      member("silent", programs.write("silent.kubeconfig", at(silent.port))),
    ];
    stack.config = { ...stack.config, members: [...declared(kubeconfigs, count), ...dead] };
    const started = performance.now();
    const run = await stack.pulumi(["up", "--yes", "--skip-preview", ...startOptions]);
    const took = (performance.now() - started) / 1000;
    const named = dead.filter(({ name }) => run.text.includes(`error: ${name}: `));
    if (run.exitCode === 0 || named.length < dead.length) throw new Error(`not both were reported:\n${run.text}`);
    return took - without;
  } finally {
    silent.close();
    await upTo(count);
  }
}

export const benchmarks: Benchmark[] = [
  { name: "members-join", unit: "s", goal: 60, timesPeer: 0.25, runs: 1, ours: () => upTo(count), peer: oneByOne },
  { name: "members-add-one", unit: "s", goal: 5, runs: 3, ours: addOne },
  { name: "members-noop", unit: "s", goal: 15, runs: 1, ours: async () => noop((await withMembers(count)).stack) },
  {
    name: "members-noop-each",
    unit: "s",
    goal: 0.15,
    runs: 1,
    ours: async () => {
      const { stack, alone } = await withMembers(count);
      return ((await noop(stack)) - alone.noop) / count;
    },
  },
  {
    name: "members-state",
    unit: "bytes",
    goal: 12_000,
    runs: 1,
    ours: async () => {
      const { stack, alone } = await withMembers(count);
      return ((await stat(stack.stateFile)).size - alone.bytes) / count;
    },
  },
  { name: "members-dead", unit: "s", goal: 10, runs: 1, ours: withDead },
];
