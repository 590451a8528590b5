import { execa } from "execa";
import { copyFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { encode } from "../../lib/etcd/client.ts";
import { observeEtcd } from "../../lib/etcd/health.ts";
import { type ClusterPart, takeSnapshot } from "../../lib/snapshots/take.ts";
import type { TargetSettings } from "../../lib/snapshots/target-settings.ts";
import { clusterIdOfData } from "../../lib/etcd/wal.ts";
import { digestOf } from "../../lib/etcd/runtime/snapshot-file.ts";
import { processPaths } from "../../lib/supervisor/process-paths.ts";
import { provider } from "../../providers/etcd-restore-impl.ts";
import { unknownValue } from "../../toolchain/pulumi/unknown-value.ts";
import type { EtcdRestoreInputs, EtcdRestoreOutputs } from "../../providers/etcd-restore.ts";
import { restoreInputs } from "../support/etcd-inputs.ts";
import { PreparedEtcd } from "../support/prepared-etcd.ts";
import { programPath } from "../support/programs.ts";

jest.setTimeout(120_000);

/** Ports 24900 to 24999. */
const port = 24900;

let etcdutl: string;
let etcd: PreparedEtcd;
beforeAll(async () => {
  etcdutl = await programPath("etcdutl");
});
afterEach(() => etcd.remove());

const inputs = (change: Partial<EtcdRestoreInputs> = {}) => restoreInputs(etcd, { etcdutl, ...change });

const check = async (news: EtcdRestoreInputs, olds: object = {}) => {
  const { inputs: checked, failures = [] } = await provider.check(olds, news);
  return { inputs: checked as EtcdRestoreInputs, failures };
};

/** What an `up` does that finds no problem. */
async function restore(news: EtcdRestoreInputs): Promise<EtcdRestoreOutputs> {
  const { inputs: checked, failures } = await check(news);
  expect(failures).toEqual([]);
  return (await provider.create(checked)).outs as EtcdRestoreOutputs;
}

/** Three members with 200 keys, a snapshot of them, and 20 keys that came after it. */
async function clusterWithSnapshot() {
  etcd = await PreparedEtcd.create(port);
  await etcd.start();
  const before = await etcd.write("/registry/kept", 200);
  const path = await etcd.save("snapshot.db");
  await etcd.write("/registry/lost", 20);
  return { before, path, clusterId: await etcd.clusterId(), source: { kind: "file", path } as const };
}

const value = (key: string) => etcd.keys().get(key);

test("what it does is not known yet where a preview does not know what it depends on", async () => {
  etcd = await PreparedEtcd.create(port);
  const { inputs: news, failures } = await check(inputs({ etcdVersion: unknownValue }));
  expect(failures).toEqual([]);
  expect([news.pinned, news.plan]).toEqual([unknownValue, unknownValue]);
});

test("three locks are closed, and the preview says what is there and how to open each", async () => {
  const { clusterId, source } = await clusterWithSnapshot();
  const pids = await etcd.pids();
  const { failures } = await check(inputs({ source }));
  expect(failures).toEqual([
    {
      property: "replaceClusterId",
      reason: expect.stringMatching(
        new RegExp(
          `^got "none", and cluster ${clusterId} is there \\(etcd-0 answers\\).*; set replaceClusterId to "${clusterId}" if these data may go$`,
        ),
      ),
    },
    {
      property: "overwriteHealthy",
      reason: expect.stringMatching(
        new RegExp(
          `^cluster ${clusterId} works \\(revision 22\\d\\), and a restore takes it back in time; set overwriteHealthy to true`,
        ),
      ),
    },
  ]);
  const forced = provider.create({ ...inputs({ source }), pinned: { uri: "x" } });
  await expect(forced).rejects.toThrow(/^dev: restoring: replaceClusterId: got "none"/);
  expect(await etcd.pids()).toEqual(pids);
});

test("going back in time: what was there is there, what came later is not, and a watch is told", async () => {
  const { before, clusterId, source } = await clusterWithSnapshot();
  const seen = await revision();
  const news = inputs({ source, replaceClusterId: clusterId, overwriteHealthy: true });
  const { inputs: checked } = await check(news);
  const bytes = readFileSync(source.path);
  const database = { sizeBytes: bytes.length, sha256: bytes.subarray(-32).toString("hex") };
  const pinned = { uri: `file://${source.path}`, sha256: await digestOf(source.path), database };
  expect(checked.pinned).toEqual({ ...pinned, revision: expect.stringMatching(/^2\d\d$/) });
  expect(checked.plan).toEqual([
    `REPLACES cluster ${clusterId} (etcd-0, etcd-1, etcd-2) by file://${source.path}`,
    "what was written after revision 201 is lost",
    "the previous data stay beside the new ones, under lower numbers",
  ]);
  const restored = await restore(news);
  expect(restored).toMatchObject({ restoredGeneration: 1, previousClusterId: clusterId, bumpRevision: "1000000000" });
  expect(restored.token).toBe(`dev-${restored.restoredSha256.slice(0, 8)}-g1`);
  expect(restored.clusterId).not.toBe(clusterId);
  expect(await etcd.clusterId()).toBe(restored.clusterId);
  expect(await etcd.keys().list("/registry/kept/", 300)).toEqual(before);
  expect(await value(before[7] ?? "")).toBe(`value of ${before[7]}`);
  expect(await etcd.keys().list("/registry/lost/", 10)).toEqual([]);
  expect(BigInt(await revision())).toBeGreaterThan(1_000_000_000n);
  expect(await watchFrom(BigInt(seen) + 1n)).toMatchObject({ canceled: true, compact_revision: expect.any(String) });
  const { data } = processPaths({ directory: etcd.directory, name: "etcd-1" });
  for (const { name } of etcd.members) {
    const { log } = processPaths({ directory: etcd.directory, name });
    expect(readFileSync(log, "utf8")).not.toContain("leadership transfer starting");
  }
  expect(clusterIdOfData(join(data, "1"))).toBe(clusterId);
  expect(clusterIdOfData(join(data, "2"))).toBe(restored.clusterId);
  expect(restored.incarnations).toEqual({ "etcd-0": 2, "etcd-1": 2, "etcd-2": 2 });
});

test("a restore is done once: the same again does nothing, whatever the state remembers, and a lower number is refused", async () => {
  const { clusterId, source } = await clusterWithSnapshot();
  const news = inputs({ source, replaceClusterId: clusterId, overwriteHealthy: true, generation: 2 });
  const { inputs: checked } = await check(news);
  const { outs, id } = await provider.create(checked);
  const pids = await etcd.pids();
  await etcd.write("/registry/after", 5);

  const again = await check(news, checked);
  expect(again).toEqual({ inputs: checked, failures: [] });
  expect((await provider.diff(id, outs, again.inputs)).changes).toBe(false);

  const forgotten = await check(news);
  expect(forgotten.failures).toEqual([]);
  expect(forgotten.inputs.plan).toEqual([
    expect.stringMatching(/^generation 2 was restored on 20.*: nothing is done$/),
  ]);
  expect((await provider.create(forgotten.inputs)).outs).toMatchObject({ clusterId: outs.clusterId });
  expect(await etcd.pids()).toEqual(pids);
  expect(await etcd.keys().list("/registry/after/", 10)).toHaveLength(5);

  const { failures } = await check(inputs({ source, replaceClusterId: outs.clusterId, overwriteHealthy: true }));
  expect(failures).toEqual([
    {
      property: "generation",
      reason: expect.stringMatching(
        /^got 1, and generation 2 was restored on etcd-0 already \(20.*\); for another restore want 3 or higher$/,
      ),
    },
  ]);
});

test("the ID that opened the lock once does not open it again", async () => {
  const { clusterId, source } = await clusterWithSnapshot();
  const locks = { replaceClusterId: clusterId, overwriteHealthy: true };
  const { clusterId: now } = await restore(inputs({ source, ...locks }));
  const { failures } = await check(inputs({ source, ...locks, generation: 2 }));
  expect(failures.map(({ reason }) => reason)).toEqual([expect.stringContaining(`set replaceClusterId to "${now}"`)]);
});

test("all is lost: every disk, and the addresses are others", async () => {
  const { before, source } = await clusterWithSnapshot();
  const far = join(etcd.directory, "..", "elsewhere.db");
  copyFileSync(source.path, far);
  await Promise.all(etcd.members.map(({ name }) => etcd.lose(name)));
  await etcd.prepare(port + 50);
  const began = performance.now();
  const restored = await restore(inputs({ source: { kind: "file", path: far } }));
  const took = (performance.now() - began) / 1000;
  console.info(`total loss of a small etcd: ${took.toFixed(1)} s, ${JSON.stringify(restored.seconds)}`);
  expect(took).toBeLessThan(30);
  expect(await etcd.keys().list("/registry/kept/", 300)).toEqual(before);
  expect(etcd.members[0]?.clientUrl).toBe(`https://127.0.0.1:${port + 50}`);
});

test.each([["runs", true] as const, ["does not run", false] as const])(
  "the quorum is lost: one survivor, which %s, is the source, and no acknowledged write is lost",
  async (_, runs) => {
    etcd = await PreparedEtcd.create(port);
    await etcd.start();
    const before = await etcd.write("/registry/kept", 200);
    const clusterId = await etcd.clusterId();
    await etcd.lose("etcd-0");
    await etcd.lose("etcd-2");
    if (!runs) await etcd.runtime.stop("etcd-1");
    const source = { kind: "member", member: "etcd-1" } as const;
    const none = await check(inputs({ source }));
    expect(none.failures.map(({ property, reason }) => `${property}: ${reason}`)).toEqual([
      `replaceClusterId: got "none", and cluster ${clusterId} is there (${runs ? "etcd-1 answers" : "data of etcd-1"}); ` +
        `set replaceClusterId to "${clusterId}" if these data may go`,
    ]);
    await restore(inputs({ source, replaceClusterId: clusterId }));
    expect(await etcd.keys().list("/registry/kept/", 300)).toEqual(before);
    expect(await etcd.keys(2).get(before[199] ?? "")).toBe(`value of ${before[199]}`);
  },
);

test("the quorum is lost: a snapshot takes the place of the survivor that runs, which opens two locks of three", async () => {
  const { before, clusterId, source } = await clusterWithSnapshot();
  await etcd.lose("etcd-0");
  await etcd.lose("etcd-2");
  // It answers, and no quorum agrees: it is there, and does not work.
  const { failures } = await check(inputs({ source }));
  expect(failures).toEqual([
    {
      property: "replaceClusterId",
      reason: `got "none", and cluster ${clusterId} is there (etcd-1 answers); set replaceClusterId to "${clusterId}" if these data may go`,
    },
  ]);
  const restored = await restore(inputs({ source, replaceClusterId: clusterId }));
  expect(restored.incarnations).toEqual({ "etcd-0": 1, "etcd-1": 2, "etcd-2": 1 });
  expect(await etcd.clusterId()).toBe(restored.clusterId);
  expect(await etcd.keys().list("/registry/kept/", 300)).toEqual(before);
  expect(await etcd.keys().list("/registry/lost/", 10)).toEqual([]);
  const { data } = processPaths({ directory: etcd.directory, name: "etcd-1" });
  expect(clusterIdOfData(join(data, "1"))).toBe(clusterId);
});

test("the leases of the control plane go, so that nobody waits for who held them; a member's heartbeat stays", async () => {
  etcd = await PreparedEtcd.create(port);
  await etcd.start();
  const [lock] = await etcd.write("/registry/leases/karmada-system", 1);
  const [election] = await etcd.write("/registry/leases/kube-system", 1);
  const heartbeats = await etcd.write("/registry/leases/karmada-cluster", 2);
  const others = await etcd.write("/registry/leases/karmada-system-of-ours", 1);
  const path = await etcd.save("snapshot.db");
  const locks = { replaceClusterId: await etcd.clusterId(), overwriteHealthy: true };
  await restore(inputs({ source: { kind: "file", path }, ...locks }));
  for (const gone of [lock, election]) expect(await value(gone ?? "")).toBeUndefined();
  expect(await etcd.keys().list("/registry/leases/", 10)).toEqual([...heartbeats, ...others]);
});

test("alarms that come with a snapshot are ended: its members are others, and etcd would refuse every write", async () => {
  etcd = await PreparedEtcd.create(port);
  await etcd.start();
  const [lock] = await etcd.write("/registry/leases/kube-system", 1);
  const { members } = await observeEtcd(etcd.client, [endpoint()]);
  const raise = (alarm: string, memberID: string) =>
    etcd.client.call(endpoint(), "maintenance/alarm", { action: "ACTIVATE", memberID, alarm });
  await raise("NOSPACE", BigInt(`0x${members[1]?.id}`).toString());
  await raise("CORRUPT", BigInt(`0x${members[1]?.id}`).toString());
  await raise("CORRUPT", "0");
  const path = await etcd.save("snapshot.db");
  await expect(etcd.write("/registry/before", 1)).rejects.toThrow("corrupt cluster");
  const locks = { replaceClusterId: await etcd.clusterId(), overwriteHealthy: true };
  await restore(inputs({ source: { kind: "file", path }, ...locks }));
  expect(await value(lock ?? "")).toBeUndefined();
  await etcd.write("/registry/after", 1);
  expect(await observeEtcd(etcd.client, [endpoint()])).toMatchObject({ state: "Healthy", strayAlarms: [] });
});

/** A restore that is killed at a point of it. */
async function killedAt(point: string, news: EtcdRestoreInputs): Promise<void> {
  const { inputs: checked } = await check(news);
  const run = await execa("node", ["tests/providers/support/call.ts", "etcd-restore", "create"], {
    input: JSON.stringify([checked]),
    env: { KARMADA_FAIL_AT: point },
    preferLocal: true,
    reject: false,
    cwd: new URL("../..", import.meta.url).pathname,
  });
  expect(run.signal).toBe("SIGKILL");
}

test.each(["restore/made", "restore/noted", "restore/placed"])(
  "killed at %s, where no member runs, the next run asks for no other cluster to go, and restores",
  async (point) => {
    const { before, clusterId, source } = await clusterWithSnapshot();
    for (const { name } of etcd.members) await etcd.runtime.stop(name);
    const news = inputs({ source, replaceClusterId: clusterId });
    await killedAt(point, news);
    const restored = await restore(news);
    expect(await etcd.clusterId()).toBe(restored.clusterId);
    expect(await etcd.keys().list("/registry/kept/", 300)).toEqual(before);
  },
);

test.each(["restore/prepared", "restore/stopped", "restore/started"])(
  "killed at %s, the next run brings it to its end",
  async (point) => {
    const { before, clusterId, source } = await clusterWithSnapshot();
    const news = inputs({ source, replaceClusterId: clusterId, overwriteHealthy: true });
    await killedAt(point, news);
    const again = await check(news);
    expect(again).toMatchObject({
      inputs: { plan: ["generation 1 was begun and is brought to its end"] },
      failures: [],
    });
    const { outs } = await provider.create(again.inputs);
    expect(outs.incarnations).toEqual({ "etcd-0": 2, "etcd-1": 2, "etcd-2": 2 });
    expect(await etcd.clusterId()).toBe(outs.clusterId);
    expect(await etcd.keys().list("/registry/kept/", 300)).toEqual(before);
    expect(await etcd.keys().list("/registry/lost/", 300)).toEqual([]);
  },
);

test("data that lie ready from another source are made anew once its locks are open, and nothing is restored before", async () => {
  const { clusterId, path } = await clusterWithSnapshot();
  const right = await etcd.save("right.db");
  const locks = { replaceClusterId: clusterId, overwriteHealthy: true };
  await killedAt("restore/prepared", inputs({ source: { kind: "file", path }, ...locks }));

  const closed = await check(inputs({ source: { kind: "file", path } }));
  expect(closed.failures.map(({ property }) => property)).toEqual(["replaceClusterId", "overwriteHealthy"]);
  const other = await check(inputs({ source: { kind: "file", path: right }, ...locks, sha256: "0".repeat(64) }));
  expect(other.failures.map(({ property }) => property)).toEqual(["source"]);

  const news = inputs({ source: { kind: "file", path: right }, ...locks, sha256: await digestOf(right) });
  const restored = await restore(news);
  expect(restored).toMatchObject({
    restoredSha256: news.sha256,
    incarnations: { "etcd-0": 3, "etcd-1": 3, "etcd-2": 3 },
  });
  expect(await etcd.keys().list("/registry/lost/", 300)).toHaveLength(20);
});

test("one that was done, and whose cluster does not serve any more, is not taken for done", async () => {
  const { clusterId, source } = await clusterWithSnapshot();
  const news = inputs({ source, replaceClusterId: clusterId, overwriteHealthy: true });
  await restore(news);
  for (const { name } of etcd.members) await etcd.runtime.stop(name);
  const { failures } = await check(news);
  expect(failures).toEqual([
    { property: "generation", reason: expect.stringMatching(/^got 1, .*; for another restore want 2 or higher$/) },
  ]);
});

test("a snapshot of another Karmada is refused, and taken when it is to become this one", async () => {
  const { before, clusterId } = await clusterWithSnapshot();
  const target = { kind: "local", directory: join(etcd.directory, "..", "backup") } as const;
  const { manifest } = await save("other", target);
  const source = { kind: "snapshot", target, deployment: "other", id: "latest", encryption: { kind: "none" } } as const;
  const locks = { replaceClusterId: clusterId, overwriteHealthy: true };
  const { failures } = await check(inputs({ source, ...locks, allowForeignSnapshot: false }));
  expect(failures).toEqual([
    {
      property: "source",
      reason:
        `snapshot ${manifest.id} is of the Karmada "other", and this one is "dev"; ` +
        "set allowForeignSnapshot to true if it is to become that one",
    },
  ]);
  await restore(inputs({ source, ...locks }));
  expect(await etcd.keys().list("/registry/kept/", 300)).toEqual(before);
});

test("a further cluster gets its part of the snapshot, and none that has no such part", async () => {
  const { before, clusterId } = await clusterWithSnapshot();
  const target = { kind: "local", directory: join(etcd.directory, "..", "backup") } as const;
  const part = { name: "events", endpoints: [endpoint()] };
  const { manifest } = await save("dev", target, [part]);
  await etcd.write("/registry/later", 5);
  const source = { kind: "snapshot", target, deployment: "dev", id: "latest", encryption: { kind: "none" } } as const;
  const of = (name: string) =>
    inputs({
      cluster: `dev.${name}`,
      source: { ...source, part: name },
      replaceClusterId: clusterId,
      overwriteHealthy: true,
      allowForeignSnapshot: false,
    });
  expect((await check(of("leases"))).failures).toEqual([
    {
      property: "source",
      reason:
        `snapshot ${manifest.id} holds nothing of the etcd "leases", which came later; ` +
        "choose a newer one, or take it out of etcd.overrides until this one is restored",
    },
  ]);
  const [{ id, sha256 } = { id: "", sha256: "" }] = manifest.parts ?? [];
  expect((await check(of("events"))).inputs.pinned).toMatchObject({
    uri: `file://${target.directory}/dev.events/${id}.db`,
    sha256,
  });
  expect(await restore(of("events"))).toMatchObject({ restoredSha256: sha256 });
  expect(await etcd.keys().list("/registry/kept/", 300)).toEqual(before);
  expect(await etcd.keys().list("/registry/later/", 10)).toEqual([]);
});

test("damaged files, files of nobody and members without data are refused before anything is stopped", async () => {
  const { clusterId, source, path } = await clusterWithSnapshot();
  const pids = await etcd.pids();
  const locks = { replaceClusterId: clusterId, overwriteHealthy: true };
  const refusal = async (change: Partial<EtcdRestoreInputs>) => {
    const { failures } = await check(inputs({ ...locks, source, ...change }));
    return failures.map(({ property, reason }) => `${property}: ${reason}`);
  };
  const flipped = `${path}.flipped`;
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(5000) ^ 1, 5000);
  writeFileSync(flipped, bytes);
  const cut = `${path}.cut`;
  copyFileSync(path, cut);
  truncateSync(cut, 10_000);
  expect(await refusal({ source: { kind: "file", path: flipped } })).toEqual([
    expect.stringMatching(/^source: .*flipped: etcd's digest at the end is .*: it was damaged$/),
  ]);
  expect(await refusal({ source: { kind: "file", path: cut } })).toEqual([
    expect.stringMatching(/^source: .*cut: 10000 bytes without etcd's digest at their end: it was cut off$/),
  ]);
  expect(await refusal({ allowForeignSnapshot: false })).toEqual([
    `source: ${path}: a file by itself does not say which Karmada it is of; set allowForeignSnapshot to true if you know`,
  ]);
  expect(await refusal({ sha256: "0".repeat(64) })).toEqual([
    `source: ${path}: its SHA-256 is ${await digestOf(path)}, want ${"0".repeat(64)}`,
  ]);
  const { inputs: checked } = await check(inputs({ source, ...locks }));
  writeFileSync(path, readFileSync(flipped));
  await expect(provider.create(checked)).rejects.toThrow(/^.*: etcd's digest at the end is .*: it was damaged$/);
  writeFileSync(path, readFileSync(await etcd.save("another.db")));
  await expect(provider.create(checked)).rejects.toThrow(`${path}: it was changed since the preview: its SHA-256 is`);
  expect(await etcd.pids()).toEqual(pids);
  expect(existsSync(join(processPaths({ directory: etcd.directory, name: "etcd-0" }).data, "2"))).toBe(false);
});

const save = (deployment: string, target: TargetSettings, parts: ClusterPart[] = []) =>
  takeSnapshot(
    {
      deployment,
      source: { endpoints: [endpoint()], connection: etcd.connection },
      parts,
      targets: [target],
      encryption: { kind: "none" },
      verify: "sha",
      keyPrefix: "/registry",
      tools: () => Promise.reject(new Error("not wanted")),
    },
    "on-demand",
  );

const endpoint = () => etcd.members[0]?.clientUrl ?? "";

async function revision(): Promise<string> {
  const { header } = await etcd.client.call<{ header: { revision: string } }>(endpoint(), "maintenance/status", {});
  return header.revision;
}

/** The answer that ends a watch of a client that goes on where it was. */
async function watchFrom(start: bigint): Promise<object> {
  const create = { create_request: { key: encode("/registry/kept/0000"), start_revision: String(start) } };
  const text = await fetchLines(JSON.stringify(create));
  return text.map((line) => (JSON.parse(line) as { result: object }).result).at(-1) ?? {};
}

async function fetchLines(body: string): Promise<string[]> {
  const { default: https } = await import("node:https");
  const { ca, certificate: cert, key } = etcd.connection;
  return new Promise((resolve, reject) => {
    const request = https.request(`${endpoint()}/v3/watch`, { method: "POST", ca, cert, key }, (response) => {
      const lines: string[] = [];
      response.on("data", (chunk: Buffer) => {
        lines.push(...chunk.toString().trim().split("\n"));
        if (!lines.some((line) => line.includes("canceled"))) return;
        request.destroy();
        resolve(lines);
      });
    });
    request.on("error", reject);
    request.setTimeout(5000, () => reject(new Error("the watch was told nothing")));
    request.end(body);
  });
}
