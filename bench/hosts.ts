/** What a Karmada on three hosts costs: real systemd hosts on this machine, three clusters of it as members. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { hostAt } from "../lib/hosts/hosts.ts";
import { hostPaths } from "../lib/hosts/layout.ts";
import { ensureProgram, type HostedProgram } from "../lib/hosts/program.ts";
import { HostsDeployment } from "../tests/e2e/support/hosts-deployment.ts";
import { oneOfEach } from "../tests/e2e/support/one-of-each.ts";
import { TestStack } from "../tests/e2e/support/stack.ts";
import type { LabHost } from "../tests/support/nspawn-lab.ts";
import { programPath } from "../tests/support/programs.ts";
import { seconds, type Benchmark, startOptions } from "./benchmark.ts";
import { sha256 } from "../lib/sha256.ts";

/** What every host of the deployment runs. */
const names = ["etcd", ...Object.keys(oneOfEach)];

let deployment: HostsDeployment | undefined;
/** Of the `up` that brought it up. */
let logins: number | undefined;

/** Three hosts with nothing of a deployment on them; shared by all benchmarks here. */
async function empty(): Promise<HostsDeployment> {
  deployment ??= await HostsDeployment.create(16, 28600);
  if (logins !== undefined) await deployment.stack.successfully(["destroy", "--yes", "--skip-preview"]);
  logins = undefined;
  return deployment;
}

/** An `up` on empty hosts that have the programs, in seconds. */
async function up(): Promise<number> {
  const { machines, stack } = await empty();
  await send(machines, await programs());
  await execa("sync"); // they are there: not on their way to the disk, where etcd's writes would wait for them
  const before = await loginsOn(machines);
  const took = await seconds(() => stack.up(...startOptions));
  const after = await loginsOn(machines);
  logins = Math.max(...after.map((count, i) => count - before[i]!));
  return took;
}

async function running(): Promise<HostsDeployment> {
  if (logins === undefined) await up();
  return deployment!;
}

/** The same deployment as processes of this machine, with the same members. */
async function upLocally(): Promise<number> {
  const hosts = await empty();
  const stack = await TestStack.create({}, 25000);
  try {
    stack.config = { ...stack.config, members: await hosts.membersFor(stack) };
    return await seconds(() => stack.up(...startOptions));
  } finally {
    await stack.remove();
  }
}

export async function finish(): Promise<void> {
  await deployment?.stop();
  deployment = undefined;
  logins = undefined;
}

const loginsOn = (machines: readonly LabHost[]): Promise<number[]> =>
  Promise.all(
    machines.map(async ({ address }) =>
      Number(
        await hostAt(address).run("counting", `journalctl -u ssh --no-pager -o cat | grep -c "Accepted publickey"`),
      ),
    ),
  );

type Artifact = HostedProgram & { readonly file: string };

async function programs(): Promise<Artifact[]> {
  return Promise.all(
    names.map(async (name) => {
      const file = await programPath(name);
      return {
        name,
        file,
        sha256: sha256(await readFile(file)),
      };
    }),
  );
}

/** As an `up` sends them: to all hosts at the same time. */
async function send(machines: readonly LabHost[], sent: readonly Artifact[]): Promise<void> {
  await Promise.all(
    machines.flatMap(({ address }) => sent.map((program) => ensureProgram(hostAt(address), program, program.file))),
  );
}

/** The same files by scp, each host by one of its own, all at the same time. */
async function copy({ lab, machines }: HostsDeployment, sent: readonly Artifact[]): Promise<void> {
  const options = [
    "-q",
    "-i",
    join(lab.directory, "id"),
    "-o",
    "StrictHostKeyChecking=no",
    "-o",
    "UserKnownHostsFile=/dev/null",
  ];
  await Promise.all(
    machines.map(({ ip }) => execa("scp", [...options, ...sent.map(({ file }) => file), `root@${ip}:/opt/copied/`])),
  );
}

async function onEmptyDisks(
  put: (hosts: HostsDeployment, sent: readonly Artifact[]) => Promise<void>,
): Promise<number> {
  const [hosts, sent] = [await empty(), await programs()];
  const clean = () =>
    Promise.all(
      hosts.machines.map(({ address }) =>
        hostAt(address).run("emptying it", `rm -rf ${hostPaths.programs} /opt/copied; mkdir /opt/copied; sync`),
      ),
    );
  await clean();
  try {
    return await seconds(() => put(hosts, sent));
  } finally {
    await clean();
  }
}

export const benchmarks: Benchmark[] = [
  // Single runs differ by more than the margin to the goal.
  { name: "hosts-up-fresh", unit: "s", goal: 60, timesPeer: 1.6, runs: 5, ours: up, peer: upLocally },
  {
    name: "hosts-up-noop",
    unit: "s",
    goal: 8,
    ours: async () => {
      const { stack } = await running();
      return seconds(() => stack.up(...startOptions));
    },
  },
  {
    name: "hosts-refresh",
    unit: "s",
    goal: 6,
    ours: async () => {
      const { stack } = await running();
      return seconds(() => stack.refresh());
    },
  },
  {
    name: "hosts-logins",
    unit: "connections",
    goal: 1,
    runs: 1,
    ours: async () => {
      await running();
      return logins!;
    },
  },
  {
    name: "hosts-upload",
    unit: "s",
    goal: 30,
    timesPeer: 1.3,
    ours: () => onEmptyDisks(({ machines }, sent) => send(machines, sent)),
    peer: () => onEmptyDisks(copy),
  },
];
