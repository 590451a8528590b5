/** A restore that came to nothing halfway, and the next ones, as an operator tries them. */
import { join } from "node:path";
import { jest } from "@jest/globals";
import type { EtcdRuntime } from "../../../lib/etcd/runtime/runtime.ts";
import { restoreCluster, type FetchedSnapshot, type RestorePlan } from "../../../lib/restore/cluster.ts";
import { digestOf } from "../../../lib/etcd/runtime/snapshot-file.ts";
import { processPaths } from "../../../lib/supervisor/process-paths.ts";
import { PreparedEtcd } from "../../support/prepared-etcd.ts";
import { programPath } from "../../support/programs.ts";

jest.setTimeout(120_000);

let etcd: PreparedEtcd;
let plan: RestorePlan;
beforeAll(async () => {
  etcd = await PreparedEtcd.create(21870);
  await etcd.start();
  await etcd.write("/registry/first", 20);
});
afterAll(() => etcd.remove());

/** All members of a runtime but one have room for another copy of their data. */
const withoutRoom = (member: string): EtcdRuntime =>
  new Proxy(etcd.runtime, {
    get: (runtime, method) => {
      if (method === "files") {
        return (name: string) => {
          const files = runtime.files(name);
          const restore = () => Promise.reject(new Error("no room"));
          return name === member ? { evidence: () => files.evidence(), restore } : files;
        };
      }
      const value = runtime[method as keyof EtcdRuntime];
      return typeof value === "function" ? value.bind(runtime) : value;
    },
  });

const attempt = (snapshot: FetchedSnapshot, runtime: EtcdRuntime) =>
  restoreCluster(plan, { runtime, client: etcd.client, say: () => {}, fetch: () => Promise.resolve(snapshot) }, 60);

const snapshotAt = async (name: string, revision: bigint): Promise<FetchedSnapshot> => {
  const file = await etcd.save(name);
  const sha256 = await digestOf(file);
  return { file, bare: false, sha256, revision, proved: Promise.resolve(), examine: async () => {} };
};

test("data that etcd was never given are not taken for a member's own, and not made again", async () => {
  const first = await snapshotAt("first.db", 21n);
  await etcd.write("/registry/second", 20);
  const second = await snapshotAt("second.db", 41n);
  await etcd.write("/registry/third", 20);
  const own = await etcd.clusterId();
  for (const { name } of etcd.members) await etcd.runtime.stop(name);
  plan = {
    cluster: "dev",
    members: etcd.members,
    source: "file",
    programs: [],
    keyPrefix: "/registry",
    lastSeenRevision: 61n,
    etcdutl: await programPath("etcdutl"),
    generation: 1,
    replaceClusterId: own,
    overwriteHealthy: false,
  };

  for (const snapshot of [first, second, second])
    await expect(attempt(snapshot, withoutRoom("etcd-1"))).rejects.toThrow(
      "dev: restoring: the data of 1 of 3 members could not be made, and nothing was stopped: no room",
    );
  const files = etcd.runtime.files("etcd-0");
  expect(await files.evidence()).toMatchObject({ data: true, clusterId: own });
  const copied = join(etcd.directory, "copied.db");
  await files.copyDatabase(copied);
  const { data } = processPaths({ directory: etcd.directory, name: "etcd-0" });
  expect(await digestOf(copied)).toBe(await digestOf(join(data, "1/member/snap/db")));

  const { incarnations } = await attempt(second, etcd.runtime);
  expect(incarnations).toEqual({ "etcd-0": 3, "etcd-1": 2, "etcd-2": 3 });
  expect(await etcd.keys().get("/registry/second/0001")).toBeDefined();
  expect(await etcd.keys().get("/registry/third/0001")).toBeUndefined();
});
