import { rename, rm } from "node:fs/promises";
import { snapshotStream } from "../etcd/snapshot-stream.ts";
import { withPodPort } from "../kube/port-forward.ts";
import { checkedSnapshot } from "../snapshots/digest.ts";
import { writeDurably } from "../snapshots/durable-file.ts";
import { type EtcdTools, type SnapshotStatus, snapshotStatus } from "../snapshots/tools.ts";
import { messageOf } from "../wait.ts";
import type { ForeignPlane } from "./plane.ts";
import { type HostCluster, readyPods } from "./pod-access.ts";

/** A snapshot in a file. */
export interface SnapshotFile extends SnapshotStatus {
  readonly sizeBytes: number;
}

/**
 * Takes a snapshot of a plane's etcd into a file that only this user can read: streamed out of a pod, checked against
 * etcd's own digest, and examined with etcd's tool. An existing file of that name is replaced only by a verified one.
 *
 * @param tools of that etcd's version or a later one
 */
export async function saveForeignSnapshot(
  host: HostCluster,
  { etcd }: Pick<ForeignPlane, "etcd">,
  file: string,
  tools: EtcdTools,
): Promise<SnapshotFile> {
  const pods = await readyPods(host, etcd.workload);
  const failures: string[] = [];
  // The tunnel ends at the pod's loopback address, where etcd of karmadactl init speaks without TLS.
  const scheme = etcd.workload.flags["listen-client-urls"]?.includes("http://127.0.0.1:") === true ? "http" : "https";
  for (const pod of pods) {
    const part = `${file}.part`;
    try {
      const sizeBytes = await withPodPort({ ...host, pod, port: clientPort }, async (port) => {
        const stream = await snapshotStream(`${scheme}://127.0.0.1:${port}`, etcd, { seconds: 3600 });
        const checked = checkedSnapshot(stream.content);
        await writeDurably(part, "w", checked.content).finally(() => stream.end());
        return checked.digest().sizeBytes;
      });
      const status = await snapshotStatus(tools, part);
      await rename(part, file);
      return { ...status, sizeBytes };
    } catch (error) {
      await rm(part, { force: true });
      failures.push(`${pod}: ${messageOf(error)}`);
    }
  }
  throw new Error(`a snapshot of ${host.namespace}/${etcd.workload.name}: ${failures.join("; ")}`);
}

/** Client port of the etcd that any installer makes. */
const clientPort = 2379;
