import { randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer, connect, type Socket } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { takeSnapshotApart } from "../../../lib/snapshots/apart.ts";
import { fetchSnapshot } from "../../../lib/snapshots/contents.ts";
import { type Manifest, partDeployment } from "../../../lib/snapshots/manifest.ts";
import { openTarget } from "../../../lib/snapshots/open-target.ts";
import { encryptionKey } from "../../../lib/snapshots/key.ts";
import { sourceMembers } from "../../../lib/snapshots/source.ts";
import { saveSnapshot } from "../../../lib/snapshots/save.ts";
import { type SnapshotPlan, takeSnapshot } from "../../../lib/snapshots/take.ts";
import type { EtcdTools } from "../../../lib/snapshots/tools.ts";
import { verifySnapshot } from "../../../lib/snapshots/verify.ts";
import { etcdHealth } from "../../../lib/etcd/health.ts";
import { deadlineIn, Pending, waitFor } from "../../../lib/wait.ts";
import { startEtcd, type EtcdCluster } from "../../support/etcd.ts";
import { clientOf, connectionOf, fill } from "../../support/etcd-data.ts";
import { canMount, mountFreezable } from "../../support/mount.ts";
import { programPath } from "../../support/programs.ts";
import { Programs } from "../../support/running.ts";
import { type S3Server, startS3 } from "../../support/s3.ts";
import { wayToS3 } from "../../support/way-to-s3.ts";
import { sha256 } from "../../../lib/sha256.ts";

const port = 23100;
const programs = new Programs(mkdtempSync(join(tmpdir(), "snapshot-save-")));
const scratch = join(programs.directory, "scratch");
let cluster: EtcdCluster;
let s3: S3Server;
let tools: EtcdTools;
let keys: number;

beforeAll(async () => {
  mkdirSync(scratch);
  tools = { etcdutl: await programPath("etcdutl"), etcd: await programPath("etcd") };
  cluster = await startEtcd(programs, port, 3);
  s3 = await startS3(programs, port + 50);
  await waitFor("three members", deadlineIn(60), async () => {
    const { members } = await health();
    return members.every((member) => member.healthy) ? true : new Pending("not yet");
  });
  keys = await fill(cluster, 10_000_000);
});
afterAll(async () => {
  await programs.remove();
});

async function health() {
  const client = clientOf(cluster);
  return etcdHealth(client, cluster.endpoints).finally(() => client.close());
}

let count = 0;
const fresh = () => join(programs.directory, `backup-${count++}`);

const plan = (changes: Partial<SnapshotPlan> = {}): SnapshotPlan => ({
  deployment: "prod",
  source: { endpoints: cluster.endpoints, connection: connectionOf(cluster) },
  targets: [{ kind: "local", directory: fresh() }],
  encryption: { kind: "none" },
  verify: "status",
  scratch,
  keyPrefix: "/registry",
  karmadaVersion: "1.18.2",
  tools: async () => tools,
  ...changes,
});

const fileOf = (uri: string) => uri.slice("file://".length);
test("a snapshot is of a follower, its digests are those of the file, and etcd's own tool finds what the manifest says", async () => {
  const { manifest, uri, copies } = await takeSnapshot(plan(), "on-demand");
  const { members, clusterId } = await health();
  const leader = members.find((member) => member.leader)!;
  const bytes = readFileSync(fileOf(uri));
  expect(copies).toEqual([]);
  expect(manifest).toMatchObject({
    deployment: "prod",
    reason: "on-demand",
    clusterId,
    etcdVersion: "3.6.6",
    storageVersion: "3.6.0",
    karmadaVersion: "1.18.2",
    sha256: sha256(bytes),
    sizeBytes: bytes.length,
    database: { sizeBytes: bytes.length, sha256: sha256(bytes.subarray(0, -32)) },
    totalKeys: keys,
    verified: { level: "status" },
  });
  expect(manifest.database.sha256).toBe(bytes.subarray(-32).toString("hex"));
  expect(members.map(({ name }) => name)).toContain(manifest.memberName);
  expect(manifest.memberName).not.toBe(leader.name);
  expect(JSON.parse(readFileSync(fileOf(uri).replace(/db$/, "json"), "utf8"))).toEqual(manifest);
  expect(readdirSync(scratch)).toEqual([]);
});

test("a drill restores it, finds the keys and leaves nothing behind", async () => {
  const { manifest } = await takeSnapshot(plan({ verify: "restore" }), "on-demand");
  expect(manifest.verified.level).toBe("restore");
  expect(readdirSync(scratch)).toEqual([]);
  await expect(takeSnapshot(plan({ verify: "restore", keyPrefix: "/elsewhere" }), "on-demand")).rejects.toThrow(
    "restore drill: the restored etcd holds no key below /elsewhere",
  );
});

test("a drill restores a further cluster of which nothing has been stored yet", async () => {
  const taken = await takeSnapshot(
    plan({ deployment: partDeployment("prod", "events"), verify: "restore", keyPrefix: "/elsewhere" }),
    "on-demand",
  );
  expect(taken.manifest.verified.level).toBe("restore");
});

test("an encrypted one can be proved whole without the key and restored with it only", async () => {
  process.env["SNAPSHOT_SAVE_KEY"] = randomBytes(32).toString("base64");
  const encryption = { kind: "environment", variable: "SNAPSHOT_SAVE_KEY" } as const;
  const withKey = plan({ encryption, verify: "restore" });
  const { manifest, uri } = await takeSnapshot(withKey, "on-demand");
  const stored = readFileSync(fileOf(uri));
  expect(uri).toMatch(/\.db\.aes$/);
  expect(sha256(stored)).toBe(manifest.sha256);
  expect(stored.includes("/registry/filler/")).toBe(false);

  const target = await openTarget(withKey.targets[0]!, { deployment: "prod" });
  await expect(verifySnapshot(target, manifest, "sha", { scratch })).resolves.toMatchObject({
    manifest: { id: manifest.id },
  });
  const to = join(scratch, "plain.db");
  await expect(fetchSnapshot(target, manifest, { to })).rejects.toThrow("it is encrypted with the key");
  const other = { ...encryptionKey(encryption)!, keyId: "0000000000000000" };
  await expect(fetchSnapshot(target, manifest, { to, key: other })).rejects.toThrow(
    "the one given is 0000000000000000",
  );
  await fetchSnapshot(target, manifest, { to, key: encryptionKey(encryption) });
  expect(sha256(readFileSync(to).subarray(0, -32))).toBe(manifest.database.sha256);
  rmSync(to);
  expect(readdirSync(scratch)).toEqual([]);
});

test.each(["none", "environment"] as const)(
  "into a bucket it goes in one request, to the byte, and when the line is cut it is taken again (encryption: %s)",
  async (kind) => {
    process.env["SNAPSHOT_SAVE_KEY"] = randomBytes(32).toString("base64");
    const encryption = kind === "none" ? { kind } : { kind, variable: "SNAPSHOT_SAVE_KEY" };
    for (const how of ["open", "cut"] as const) {
      const way = await wayToS3(s3, ({ upload }) => (upload === "whole" ? how : "open"));
      const settings = { ...s3.settings, endpoint: way.endpoint };
      const target = await openTarget(settings, { deployment: "prod" });
      try {
        const { manifest } = await takeSnapshot(plan({ targets: [settings], encryption }), "on-demand");
        const parts = Array.from({ length: Math.ceil(manifest.sizeBytes / (5 * 2 ** 20)) }, () => "part");
        expect(way.uploads()).toEqual(how === "cut" ? ["whole", "begun", ...parts, "ended"] : ["whole"]);
        expect(await target.list()).toEqual({ snapshots: [manifest], damaged: [] });
        await verifySnapshot(target, manifest, "status", { key: encryptionKey(encryption), tools, scratch });
        expect(readdirSync(scratch)).toEqual([]);
        await target.remove(manifest.id);
      } finally {
        target.close();
        way.close();
      }
    }
  },
);

test("one whose process is killed before it is proved is no snapshot and no damage, and goes when an hour has passed", async () => {
  const given = plan();
  const [settings] = given.targets;
  process.env["KARMADA_FAIL_AT"] = "snapshot/stored";
  try {
    await expect(takeSnapshotApart(given, "on-demand")).rejects.toThrow("ended by SIGKILL");
  } finally {
    delete process.env["KARMADA_FAIL_AT"];
  }
  const directory = join((settings as { directory: string }).directory, "prod");
  const left = readdirSync(directory);
  expect(left.map((file) => file.replace(/^[^.]*/, "")).sort()).toEqual([".db", ".unfinished"]);
  const target = await openTarget(settings!, { deployment: "prod" });
  expect(await target.list()).toEqual({ snapshots: [], damaged: [] });

  const { manifest } = await takeSnapshotApart(given, "on-demand");
  expect(readdirSync(directory)).toHaveLength(4); // it may still be under way
  const old = new Date(Date.now() - 61 * 60_000);
  for (const file of left) utimesSync(join(directory, file), old, old);
  await target.prepare(0);
  expect(readdirSync(directory).sort()).toEqual([manifest.file, `${manifest.id}.json`].sort());
});

(canMount ? test : test.skip)(
  "one whose target hangs is given up, also where its process cannot be ended",
  async () => {
    const directory = fresh();
    const share = await mountFreezable(directory);
    try {
      const given = plan({ targets: [{ kind: "local", directory }] });
      await share.freeze();
      const failed = await takeSnapshotApart(given, "on-demand", 3).catch((error: unknown) => String(error));
      const [, pid] = / process (\d+) /.exec(String(failed)) ?? [];
      expect(failed).toBe(
        `Error: prod: taking a snapshot into file://${directory}/prod: it took longer than 3 s, and process ${pid} cannot be ended\nsee whether what it is written to still answers, such as a network share`,
      );
      await share.thaw();
      await waitFor("its end", deadlineIn(10), async () =>
        existsSync(`/proc/${pid}`) ? new Pending("it lives") : true,
      );
      await takeSnapshotApart(given, "on-demand");
    } finally {
      await share.unmount();
    }
  },
);

test("one that takes longer than it may is ended, also where it does not see the first signal", async () => {
  const etcdutl = join(programs.directory, "stopping");
  writeFileSync(etcdutl, "#!/bin/sh\nkill -STOP $PPID\n", { mode: 0o755 });
  const given = plan({ tools: async () => ({ ...tools, etcdutl }) });
  await expect(takeSnapshotApart(given, "on-demand", 3)).rejects.toThrow(
    /^prod: taking a snapshot into file:\S+: it took longer than 3 s, and it was ended\n/,
  );
});

describe("damage is found", () => {
  let taken: { manifest: Manifest; uri: string; plan: SnapshotPlan };
  beforeEach(async () => {
    const used = plan();
    taken = { ...(await takeSnapshot(used, "on-demand")), plan: used };
  });
  const verify = async (level: "sha" | "status") => {
    const target = await openTarget(taken.plan.targets[0]!, { deployment: "prod" });
    return verifySnapshot(target, taken.manifest, level, { tools, scratch });
  };

  test.each(["sha", "status"] as const)("a flipped bit, by %s", async (level) => {
    const path = fileOf(taken.uri);
    const bytes = readFileSync(path);
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(path, bytes);
    await expect(verify(level)).rejects.toThrow(level === "sha" ? /: it is damaged: SHA-256 / : /: it was damaged$/);
  });

  test("a file that was cut off", async () => {
    truncateSync(fileOf(taken.uri), taken.manifest.sizeBytes - 4096);
    await expect(verify("status")).rejects.toThrow(/.*\.db: etcd's digest at the end is .*: it was damaged$/);
    truncateSync(fileOf(taken.uri), 100_000);
    await expect(verify("status")).rejects.toThrow("100000 bytes without etcd's digest at their end: it was cut off");
  });

  test("another snapshot under its name", async () => {
    const other = await takeSnapshot(plan(), "on-demand");
    writeFileSync(fileOf(taken.uri), readFileSync(fileOf(other.uri)));
    if (other.manifest.sha256 === taken.manifest.sha256) return; // nothing was written in between
    await expect(verify("sha")).rejects.toThrow("it is damaged");
  });
});

test.each([
  ["breaks off", "cut", 30, "snapshot: it broke off"],
  ["falls silent", "stall", 1, "snapshot: nothing came for 1 s"],
] as const)("a member that %s is left for another", async (_, how, stallSeconds, said) => {
  const proxy = await brokenProxy(how);
  try {
    const members = await sourceMembers(plan().source, { emergency: false });
    const leader = members.find((member) => member.leader)!;
    const through = proxy.open(members.find((member) => !member.leader)!.endpoint);
    const target = await openTarget({ kind: "local", directory: fresh() }, { deployment: "prod" });
    const save = (endpoints: string[]) =>
      saveSnapshot({
        ...plan(),
        scratch,
        source: { endpoints, connection: connectionOf(cluster) },
        target,
        reason: "on-demand",
        key: undefined,
        tools,
        stallSeconds,
      });
    const manifest = await save([through, leader.endpoint]);
    expect(manifest.memberName).toBe(leader.name);
    await expect(save([through])).rejects.toThrow(
      `no member gave a whole snapshot: ${Array(3).fill(`${through}: ${said}`).join("; ")}`,
    );
    expect(await target.list()).toEqual({ snapshots: [manifest], damaged: [] });
  } finally {
    proxy.close();
  }
});

test("of a target that is full nothing is tried on another member", async () => {
  const target = await openTarget({ kind: "local", directory: fresh() }, { deployment: "prod" });
  const put = target.put.bind(target);
  let tries = 0;
  target.put = async (...args) => {
    tries++;
    await put(...args);
    throw new Error("no room");
  };
  const options = { ...plan(), scratch, target, reason: "on-demand", key: undefined, tools } as const;
  await expect(saveSnapshot(options)).rejects.toThrow(/^no room$/);
  expect(tries).toBe(1);
  expect(await target.list()).toEqual({ snapshots: [], damaged: [] });
});

test("a second target holds the same bytes; one that cannot take them is said, the snapshot stands", async () => {
  const [first, second] = [fresh(), fresh()];
  const file = join(programs.directory, "a-file");
  writeFileSync(file, "");
  const targets = [first, second, file].map((directory) => ({ kind: "local", directory }) as const);
  const { manifest, copies } = await takeSnapshot(plan({ targets }), "on-demand");
  const at = (directory: string) => readFileSync(join(directory, "prod", manifest.file));
  expect(at(second).equals(at(first))).toBe(true);
  expect(statSync(join(second, "prod", `${manifest.id}.json`)).isFile()).toBe(true);
  expect(copies).toEqual([
    { uri: `file://${second}/prod` },
    { uri: `file://${file}/prod`, problem: expect.stringContaining(`file://${file}/prod: `) as string },
  ]);
});

test("without a quorum nothing is taken, but in an emergency what a survivor has", async () => {
  const survivors = await startEtcd(new Programs(mkdtempSync(join(programs.directory, "lost-"))), port + 20, 3);
  try {
    const source = { endpoints: survivors.endpoints, connection: connectionOf(survivors) };
    await waitFor("a leader", deadlineIn(60), () => sourceMembers(source, { emergency: false }));
    await fill(survivors, 500_000);
    await Promise.all(survivors.members.slice(1).map((member) => member.kill()));
    await waitFor("the loss to be noticed", deadlineIn(60), async () => {
      const [only] = await sourceMembers(source, { emergency: true });
      return only?.problem === undefined ? new Pending("it still knows a leader") : only;
    });
    await expect(takeSnapshot(plan({ source }), "on-demand")).rejects.toThrow(/^no member can give a snapshot: /);
    const { manifest } = await takeSnapshot(plan({ source, verify: "restore" }), "emergency");
    expect(manifest).toMatchObject({ memberName: "etcd-0", totalKeys: 5, verified: { level: "restore" } });
  } finally {
    await Promise.all(survivors.members.map((member) => member.kill()));
  }
});

/** Lets a little of a snapshot through, then breaks off or falls silent. */
async function brokenProxy(how: "cut" | "stall") {
  const sockets = new Set<Socket>();
  let to = 0;
  const server = createServer((near) => {
    const far = connect(to, "127.0.0.1");
    let passed = 0;
    far.on("data", (chunk) => {
      passed += chunk.length;
      if (passed < 1_000_000) near.write(chunk);
      else if (how === "cut") near.destroy();
    });
    near.on("data", (chunk) => far.write(chunk));
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => [near, far].forEach((each) => each.destroy()));
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    open(endpoint: string): string {
      to = Number(new URL(endpoint).port);
      return `https://127.0.0.1:${(server.address() as { port: number }).port}`;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
