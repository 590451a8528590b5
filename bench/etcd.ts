/** What snapshots of etcd cost compared with etcd's own tool, on a database of the size given by `--db-size`. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import type { VerifyLevel } from "../lib/snapshots/manifest.ts";
import type { TargetSettings } from "../lib/snapshots/target-settings.ts";
import { deadlineIn, waitFor } from "../lib/wait.ts";
import { type EtcdCluster, startEtcd } from "../tests/support/etcd.ts";
import { clientOf, fill } from "../tests/support/etcd-data.ts";
import { programPath } from "../tests/support/programs.ts";
import { Programs } from "../tests/support/running.ts";
import { type S3Server, startS3 } from "../tests/support/s3.ts";
import { runSnapshotProgram, type SnapshotRun } from "../tests/support/snapshot-program.ts";
import { seconds, type Benchmark } from "./benchmark.ts";
import { databaseBytes } from "./database-size.ts";

const port = 20_900;
let programs: Programs;
let cluster: EtcdCluster;
let s3: S3Server;

export const benchmarks: Benchmark[] = [
  {
    name: "etcd-snapshot",
    unit: "s",
    // 100 MB a second is what etcd's documentation expects of a snapshot.
    goal: 60,
    timesPeer: 1.15,
    prepare,
    ours: async () => (await taken({ kind: "local", directory: backup() }, "sha")).seconds,
    peer,
  },
  {
    name: "etcd-snapshot-proved",
    unit: "s",
    goal: 60,
    prepare,
    ours: async () => (await taken({ kind: "local", directory: backup() })).seconds,
    peer,
  },
  {
    name: "etcd-snapshot-s3",
    unit: "s",
    goal: 60,
    timesPeer: 1.5,
    prepare: prepareS3,
    ours: async () => (await taken(s3.settings, "sha")).seconds,
    peer,
  },
  {
    name: "etcd-snapshot-s3-proved",
    unit: "s",
    goal: 60,
    prepare: prepareS3,
    ours: async () => (await taken(s3.settings)).seconds,
    peer,
  },
  {
    name: "etcd-snapshot-memory",
    unit: "MB",
    goal: 150,
    runs: 1,
    prepare,
    ours: async () => (await taken({ kind: "local", directory: backup() })).peakMegabytes,
  },
  {
    name: "etcd-snapshot-s3-memory",
    unit: "MB",
    goal: 150,
    runs: 1,
    prepare: prepareS3,
    ours: async () => (await taken(s3.settings)).peakMegabytes,
  },
];

async function prepare(): Promise<() => Promise<void>> {
  programs = new Programs(await mkdtemp(join(tmpdir(), "etcd-bench-")));
  cluster = await startEtcd(programs, port);
  const client = clientOf(cluster);
  await waitFor("etcd", deadlineIn(60), () => client.call(cluster.endpoints[0]!, "maintenance/status", {}));
  client.close();
  await fill(cluster, databaseBytes());
  return async () => {
    await programs.remove();
  };
}

async function prepareS3(): Promise<() => Promise<void>> {
  const undo = await prepare();
  s3 = await startS3(programs, port + 10);
  return undo;
}

const backup = () => join(programs.directory, "backup");

/**
 * A snapshot by a process of its own, as Pulumi's provider has it taken: its start and end count. `sha`: all of it was
 * checked against etcd's digest. `status`, the default of a stack file: etcd's own program has read it as well.
 */
async function taken(target: TargetSettings, verify: VerifyLevel = "status"): Promise<SnapshotRun> {
  try {
    return await runSnapshotProgram(cluster, target, programs.directory, verify);
  } finally {
    await rm(backup(), { recursive: true, force: true });
  }
}

/** `etcdctl snapshot save`, which verifies nothing. */
async function peer(): Promise<number> {
  const file = join(programs.directory, "peer.db");
  const { ca, certificate, key } = cluster.files;
  const identity = [`--cacert=${ca}`, `--cert=${certificate}`, `--key=${key}`];
  const etcdctl = await programPath("etcdctl");
  try {
    return await seconds(() =>
      execa(etcdctl, [`--endpoints=${cluster.endpoints[0]}`, ...identity, "snapshot", "save", file]),
    );
  } finally {
    await rm(file, { force: true });
  }
}
