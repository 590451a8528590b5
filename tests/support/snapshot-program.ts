import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { type Order, snapshotProgram } from "../../lib/snapshots/apart.ts";
import type { Manifest, VerifyLevel } from "../../lib/snapshots/manifest.ts";
import type { TargetSettings } from "../../lib/snapshots/target-settings.ts";
import { type EtcdCluster } from "./etcd.ts";
import { connectionOf } from "./etcd-data.ts";
import { peakUntilEnd } from "./peak-memory.ts";
import { programPath } from "./programs.ts";

/** What became of a run of the program that takes snapshots. */
export interface SnapshotRun {
  readonly manifest: Manifest;
  /** From its start to its end. */
  readonly seconds: number;
  readonly peakMegabytes: number;
}

/** Has that program, as Pulumi's provider does, take a snapshot of a cluster and prove it. @throws when it takes none */
export async function runSnapshotProgram(
  cluster: EtcdCluster,
  target: TargetSettings,
  scratch: string,
  verify: VerifyLevel = "status",
): Promise<SnapshotRun> {
  const order: Order = {
    plan: {
      deployment: "prod",
      source: { endpoints: cluster.endpoints, connection: connectionOf(cluster) },
      targets: [target],
      encryption: { kind: "none" },
      verify,
      scratch,
      keyPrefix: "/registry",
    },
    tools: { etcd: "", etcdutl: await programPath("etcdutl") },
    reason: "on-demand",
  };
  const { command, args, env } = snapshotProgram();
  const began = performance.now();
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.write(`${JSON.stringify(order)}\n`);
  const [peakMegabytes, answer] = await Promise.all([peakUntilEnd(child.pid!), text(child.stdout)]);
  const { taken } = JSON.parse(answer) as { taken?: { manifest: Manifest } };
  if (taken === undefined) throw new Error(`no snapshot was taken: ${answer}`);
  return { manifest: taken.manifest, seconds: (performance.now() - began) / 1000, peakMegabytes };
}
