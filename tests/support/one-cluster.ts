import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCluster, type Cluster, type ClusterOptions } from "./cluster.ts";
import { startEtcd } from "./etcd.ts";
import { Programs } from "./running.ts";

/**
 * A real cluster for all tests of a `describe`, with an etcd of its own.
 *
 * @param port of the first of four
 * @returns what is there once the tests run
 */
export function oneCluster(port: number, options: Partial<ClusterOptions> = {}): { readonly cluster: Cluster } {
  const programs = new Programs(mkdtempSync(join(tmpdir(), "cluster-")));
  const made: { cluster?: Cluster } = {};
  beforeAll(async () => {
    const etcd = await startEtcd(programs, port);
    made.cluster = await startCluster(programs, etcd, { name: "member", port: port + 2, ...options });
  }, 240_000);
  afterAll(async () => {
    await programs.remove();
  });
  return made as { readonly cluster: Cluster };
}
