/** What the dev stack costs: the same description as Pulumi.dev.yaml, in a directory of its own. */
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { parse } from "yaml";
import { kwokStages } from "../components/processes/kwok-stages.ts";
import { TestStack, type StackConfig } from "../tests/e2e/support/stack.ts";
import { defaultVersions, install, programsOf } from "../toolchain/index.ts";
import { median, seconds, type Benchmark } from "./benchmark.ts";
import { criticalPath, inLines, type ExportedResource } from "./critical-path.ts";

const basePort = 20000;
let stack: TestStack | undefined;
let isUp = false;

/** The dev stack, up; shared by the benchmarks that look at a running one. */
async function running(): Promise<TestStack> {
  const found = stack ?? (await fresh());
  if (!isUp) await found.up();
  isUp = true;
  return found;
}

/** The dev stack before its first `up`. */
async function fresh(): Promise<TestStack> {
  await finish();
  stack = await TestStack.create(await devConfig(), basePort);
  return stack;
}

/** Removes the dev stack, up or not. */
export async function finish(): Promise<void> {
  await stack?.remove();
  stack = undefined;
  isUp = false;
}

async function devConfig(): Promise<StackConfig> {
  const file = join(import.meta.dirname, "../Pulumi.dev.yaml");
  const { config } = parse(await readFile(file, "utf8")) as { config: Record<string, unknown> };
  const entries = Object.entries(config).map(([key, value]) => [key.replace(/^karmada:/, ""), value] as const);
  return Object.fromEntries(entries.filter(([key]) => key !== "placement"));
}

/** The hand-written plane, from nothing to all members Ready. */
async function byHand(): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), "karmada-peer-"));
  const path = join(directory, "bin");
  const stages = join(directory, "stages.yaml");
  await mkdir(path);
  await writeFile(stages, kwokStages);
  const artifacts = await install(programsOf(defaultVersions));
  for (const { name, path: target } of artifacts) await symlink(target, join(path, name));
  const crds = artifacts.find(({ name }) => name === "karmada-crds")!.path;
  const plane = join(directory, "plane");
  try {
    return await seconds(() =>
      execa("bash", [join(import.meta.dirname, "peers/plane.sh"), plane, "23000"], {
        env: { PATH: `${path}:${process.env["PATH"]}`, CRDS: crds, STAGES: stages },
        timeout: 180_000,
      }),
    );
  } finally {
    const pids = (await readFile(join(plane, "pids"), "utf8").catch(() => "")).split("\n").filter(Boolean);
    for (const pid of pids) {
      try {
        process.kill(Number(pid), "SIGKILL");
      } catch {
        // it has ended by itself
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await rm(directory, { recursive: true, force: true });
  }
}

/** The resources in the state. */
async function resources(of: TestStack) {
  const { deployment } = JSON.parse(await of.state()) as {
    deployment: { resources: (ExportedResource & { inputs?: { __provider?: string } })[] };
  };
  return deployment.resources;
}

/** CPU seconds and resident bytes of everything the stack runs. */
async function usage(of: TestStack): Promise<{ cpu: number; memory: number }> {
  let cpu = 0;
  let memory = 0;
  for (const { pid } of await of.processes()) {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
    if (stat === undefined) continue;
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    cpu += (Number(fields[11]) + Number(fields[12])) / 100;
    memory += Number(fields[21]) * 4096;
  }
  return { cpu, memory };
}

/** What declared snapshots, before changes and scheduled, add to an `up` with nothing to do. */
async function noopWithSnapshots(): Promise<number> {
  const up = await running();
  const { config } = up;
  const without = await noop(up);
  const target = { kind: "local", directory: `${up.directory}-backup` };
  up.config = { ...config, snapshots: { targets: [target], schedule: { cron: "0 * * * *" } } };
  await up.up();
  const declared = await noop(up);
  up.config = config;
  await up.up();
  return declared - without;
}

async function noop(of: TestStack): Promise<number> {
  const took: number[] = [];
  for (let i = 0; i < 3; i++) took.push(await seconds(() => of.up()));
  return median(took);
}

export const benchmarks: Benchmark[] = [
  {
    name: "up-fresh",
    unit: "s",
    goal: 25,
    timesPeer: 1.3,
    ours: async () => {
      const created = await fresh();
      const started = Date.now();
      const took = await seconds(() => created.up());
      isUp = true;
      console.error(
        `${inLines(criticalPath(await resources(created), started))}\n${took.toFixed(2).padStart(7)} s  end`,
      );
      return took;
    },
    peer: byHand,
  },
  {
    name: "preview-fresh",
    unit: "s",
    goal: 5,
    ours: async () => {
      const created = await fresh();
      return seconds(() => created.preview());
    },
  },
  { name: "up-noop", unit: "s", goal: 8, ours: async () => seconds(async () => (await running()).up()) },
  { name: "etcd-noop", unit: "s", goal: 1, runs: 1, ours: noopWithSnapshots },
  { name: "preview-noop", unit: "s", goal: 5, ours: async () => seconds(async () => (await running()).preview()) },
  {
    name: "state-bytes",
    unit: "bytes",
    goal: 1_500_000,
    runs: 1,
    ours: async () => (await stat((await running()).stateFile)).size,
  },
  {
    name: "provider-bytes",
    unit: "bytes",
    goal: 3000,
    runs: 1,
    ours: async () =>
      Math.max(...(await resources(await running())).map(({ inputs }) => inputs?.__provider?.length ?? 0)),
  },
  {
    name: "idle-cpu",
    unit: "% of a core",
    goal: 15,
    runs: 1,
    ours: async () => {
      const up = await running();
      // Informers and collectors are still busy after the start.
      await new Promise((resolve) => setTimeout(resolve, 60_000));
      const before = await usage(up);
      await new Promise((resolve) => setTimeout(resolve, 30_000));
      return ((await usage(up)).cpu - before.cpu) / 0.3;
    },
  },
  {
    name: "idle-memory",
    unit: "MB",
    goal: 3500,
    runs: 1,
    ours: async () => (await usage(await running())).memory / 1e6,
  },
  {
    name: "destroy",
    unit: "s",
    goal: 20,
    ours: async () => {
      const up = await running();
      const took = await seconds(() => up.successfully(["destroy", "--yes", "--skip-preview"]));
      await finish();
      return took;
    },
  },
];
