/** What etcd's health, a restore and the replacement of a dead member take, on a database of the size given by `--db-size`. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { EtcdClient } from "../lib/etcd/client.ts";
import { etcdHealth } from "../lib/etcd/health.ts";
import type { Desired } from "../lib/etcd/membership/situation.ts";
import { snapshotStream } from "../lib/etcd/snapshot-stream.ts";
import { type PinnedSource, pinSource } from "../lib/restore/source.ts";
import { initialClusterOf } from "../lib/restore/token.ts";
import { processPaths } from "../lib/supervisor/process-paths.ts";
import { writeDurably } from "../lib/snapshots/durable-file.ts";
import { deadlineIn, Pending, waitFor } from "../lib/wait.ts";
import { provider } from "../providers/etcd-restore-impl.ts";
import { fillEtcd } from "../tests/support/etcd-data.ts";
import { restoreInputs } from "../tests/support/etcd-inputs.ts";
import { EtcdFleet } from "../tests/support/etcd-fleet.ts";
import { PreparedEtcd } from "../tests/support/prepared-etcd.ts";
import { programPath } from "../tests/support/programs.ts";
import { Programs } from "../tests/support/running.ts";
import { seconds, type Benchmark } from "./benchmark.ts";
import { databaseBytes } from "./database-size.ts";

const port = 20_920;

export const benchmarks: Benchmark[] = [
  { name: "etcd-health", unit: "s", goal: 1, prepare: fiveMembers, ours: health },
  {
    name: "etcd-restore",
    unit: "s",
    goal: 30,
    timesPeer: 1.1,
    prepare: snapshotFile,
    ours: () => onEmptyDisks(restored),
    peer: () => onEmptyDisks(restoredByHand),
  },
  {
    name: "etcd-replace",
    unit: "s",
    goal: 60,
    timesPeer: 1.3,
    prepare: threeMembers,
    ours: replaced,
    peer: replacedByHand,
  },
];

let etcd: PreparedEtcd;

async function fiveMembers(): Promise<() => Promise<void>> {
  etcd = await PreparedEtcd.create(port, 5);
  await etcd.start();
  return () => etcd.remove();
}

/** With new connections, as in every run of the program. */
async function health(): Promise<number> {
  const client = new EtcdClient(etcd.connection);
  try {
    return await seconds(() =>
      etcdHealth(
        client,
        etcd.members.map(({ clientUrl }) => clientUrl),
      ),
    );
  } finally {
    client.close();
  }
}

let directory: string;
let file: string;
/** As a preview finds it. */
let pinned: PinnedSource;

async function snapshotFile(): Promise<() => Promise<void>> {
  directory = await mkdtemp(join(tmpdir(), "etcd-bench-"));
  file = join(directory, "snapshot.db");
  const source = await PreparedEtcd.create(port, 1);
  try {
    await source.start();
    const { clientUrl } = source.members[0]!;
    await fillEtcd(source.client, clientUrl, databaseBytes());
    const { content } = await snapshotStream(clientUrl, source.connection, { seconds: 600 });
    await writeDurably(file, "wx", content);
  } finally {
    await source.remove();
  }
  const rules = { deployment: "bench", etcdVersion: "3.6.6", allowForeignSnapshot: true };
  pinned = await pinSource({ kind: "file", path: file }, { ...rules, etcdutl: await programPath("etcdutl") });
  return () => rm(directory, { recursive: true, force: true });
}

/** Three members that are prepared and have no data. */
async function onEmptyDisks(work: (etcd: PreparedEtcd) => Promise<unknown>): Promise<number> {
  const empty = await PreparedEtcd.create(port);
  try {
    return await seconds(() => work(empty));
  } finally {
    await empty.remove();
  }
}

async function restored(etcd: PreparedEtcd): Promise<void> {
  const source = { kind: "file", path: file } as const;
  const etcdutl = await programPath("etcdutl");
  await provider.create(restoreInputs(etcd, { cluster: "bench", etcdutl, source, pinned, timeoutSeconds: 600 }));
}

/** `etcdutl snapshot restore` for all members at once, and their start. */
async function restoredByHand(etcd: PreparedEtcd): Promise<void> {
  const { directory, members, runtime } = etcd;
  const etcdutl = await programPath("etcdutl");
  const initialCluster = initialClusterOf(members);
  await Promise.all(
    members.map(({ name, peerUrl }) =>
      execa(etcdutl, [
        "snapshot",
        "restore",
        file,
        `--name=${name}`,
        `--initial-cluster=${initialCluster}`,
        `--initial-advertise-peer-urls=${peerUrl}`,
        "--initial-cluster-token=bench",
        `--data-dir=${join(processPaths({ directory, name }).data, "1")}`,
        "--bump-revision=1000000000",
        "--mark-compacted",
      ]),
    ),
  );
  const bootstrap = { token: "bench", state: "new", initialCluster, incarnation: 1 } as const;
  await Promise.all(members.map(({ name }) => runtime.start(name, bootstrap)));
  await etcd.clusterId();
}

const names = ["etcd-0", "etcd-1", "etcd-2"];
const victim = "etcd-2";
let fleet: EtcdFleet;
let times = 0;

async function threeMembers(): Promise<() => Promise<void>> {
  const programs = new Programs(await mkdtemp(join(tmpdir(), "etcd-bench-")));
  fleet = await EtcdFleet.create(programs, port);
  const desired = fleet.declare(names);
  await fleet.reconcile(desired);
  await fillEtcd(fleet.client, desired.members[0]!.clientUrl, databaseBytes());
  return async () => {
    await fleet.stop();
    await programs.remove();
  };
}

async function replaced(): Promise<number> {
  await fleet.runtime.wipe(victim);
  const desired = fleet.declare(names, { replace: { [victim]: ++times } });
  return seconds(() => fleet.reconcile(desired, 600));
}

/** Removes the dead one, adds and starts a new one, and transfers the whole database to it, without any checks. */
async function replacedByHand(): Promise<number> {
  const desired = fleet.declare(names, { replace: { [victim]: times } });
  await fleet.runtime.wipe(victim);
  const took = await seconds(() => transferToANewOne(desired));
  await fleet.note(desired);
  return took;
}

async function transferToANewOne({ members }: Desired): Promise<void> {
  const { client, runtime } = fleet;
  const [first, , last] = members as [Desired["members"][0], Desired["members"][0], Desired["members"][0]];
  const ask = <T>(method: string, body: object = {}) => client.call<T>(first.clientUrl, method, body, 10_000);
  const { members: there } = await ask<{ members: { ID: string; name: string }[] }>("cluster/member/list");
  const id = there.find(({ name }) => name === victim)?.ID;
  // etcd refuses changes until the members have been connected for five seconds.
  await waitFor("the old member to go", deadlineIn(60), () => ask("cluster/member/remove", { ID: id }));
  await waitFor("a new member's place", deadlineIn(60), () => ask("cluster/member/add", { peerURLs: [last.peerUrl] }));
  const initialCluster = members.map(({ name, peerUrl }) => `${name}=${peerUrl}`).join(",");
  const { incarnations } = await runtime.observe(victim);
  const incarnation = 1 + Math.max(100, ...incarnations);
  await runtime.start(victim, { token: "test", state: "existing", initialCluster, incarnation });
  const applied = async (endpoint: string) =>
    Number((await client.call<{ raftAppliedIndex: string }>(endpoint, "maintenance/status", {})).raftAppliedIndex);
  const wanted = await applied(first.clientUrl);
  await waitFor("the transfer", deadlineIn(600), async () => {
    const now = await applied(last.clientUrl);
    return now >= wanted ? true : new Pending(`${now} of ${wanted}`);
  });
}
