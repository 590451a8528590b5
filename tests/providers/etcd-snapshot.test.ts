import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { parseManifest } from "../../lib/snapshots/manifest.ts";
import type { ClusterPart } from "../../lib/snapshots/take.ts";
import { deadlineIn, waitFor } from "../../lib/wait.ts";
import type { EtcdSnapshotInputs, Manifest } from "../../providers/etcd-snapshot.ts";
import { provider } from "../../providers/etcd-snapshot-impl.ts";
import { startEtcd, type EtcdCluster } from "../support/etcd.ts";
import { clientOf, connectionOf, fill } from "../support/etcd-data.ts";
import { Programs } from "../support/running.ts";

const port = 23300;
const programs = new Programs(mkdtempSync(join(tmpdir(), "etcd-snapshot-")));
const scratch = mkdtempSync(join(tmpdir(), "etcd-snapshot-scratch-"));
let cluster: EtcdCluster;

beforeAll(async () => {
  cluster = await startEtcd(programs, port);
  const client = clientOf(cluster);
  await waitFor("etcd", deadlineIn(60), () => client.call(cluster.endpoints[0]!, "maintenance/status", {}));
  client.close();
  await fill(cluster, 1_000_000);
});
afterAll(async () => {
  await programs.stop();
  for (const directory of [programs.directory, scratch]) rmSync(directory, { recursive: true });
});

let count = 0;
const fresh = () => ({ kind: "local", directory: join(programs.directory, `backup-${count++}`) }) as const;

const inputsOf = (changes: Partial<EtcdSnapshotInputs> = {}): EtcdSnapshotInputs => ({
  deployment: "prod",
  endpoints: cluster.endpoints,
  ...connectionOf(cluster),
  keyPrefix: "/registry",
  etcdVersion: "3.6.6",
  targets: [fresh()],
  secretKeys: {},
  encryption: { kind: "none" },
  verify: "sha",
  scratch,
  apartFrom: [],
  reason: "on-demand",
  triggers: { ticket: "1" },
  onDelete: "delete",
  ...changes,
});

const idsIn = (inputs: EtcdSnapshotInputs, i = 0) => {
  const target = inputs.targets[i]!;
  const directory = target.kind === "s3" ? "" : join(target.directory, "prod");
  if (!existsSync(directory)) return [];
  return readdirSync(directory).flatMap((file) => (file.endsWith(".json") ? file.slice(0, -5) : []));
};
const fileIn = (inputs: EtcdSnapshotInputs, { file }: Manifest, i = 0) => {
  const target = inputs.targets[i]!;
  return target.kind === "s3" ? "" : join(target.directory, "prod", file);
};
const flip = (path: string) => {
  const bytes = readFileSync(path);
  bytes[1000]! ^= 1;
  writeFileSync(path, bytes);
};

/** Its outputs, read back as Pulumi keeps them. */
async function created(inputs: EtcdSnapshotInputs) {
  const { id, outs } = await provider.create(inputs);
  const { manifest, uri, state } = outs as { manifest: Manifest; uri: string; state: string };
  return { id, outs, manifest, uri, state };
}

describe("on demand", () => {
  test("is taken into every target, and again is no change", async () => {
    const inputs = inputsOf({ targets: [fresh(), fresh()] });
    const { id, outs, manifest, uri, state } = await created(inputs);
    expect(id).toMatch(/^prod@[0-9a-f]{12}$/);
    expect({ state, uri }).toEqual({ state: "taken", uri: `file://${fileIn(inputs, manifest)}` });
    expect([idsIn(inputs, 0), idsIn(inputs, 1)]).toEqual([[manifest.id], [manifest.id]]);
    expect(await provider.diff(id, outs, inputs)).toMatchObject({ changes: false, replaces: [] });
    expect((await provider.read(id, outs)).props).toEqual(outs);
  });

  test.each([
    ["other triggers", { triggers: { ticket: "2" } }, ["triggers"]],
    ["another main target", { targets: [fresh()] }, ["targets"]],
    ["another deployment", { deployment: "other" }, ["deployment"]],
  ])("%s: another one is made before this one is deleted", async (_, change, replaces) => {
    const inputs = inputsOf();
    const diff = await provider.diff("id", { ...inputs, schemaVersion: 1 }, { ...inputs, ...change });
    expect(diff).toEqual({ changes: true, replaces, deleteBeforeReplace: false });
  });

  test("a bucket of the same name at another server is another main target, with the state of any release", async () => {
    const at = (endpoint: string) =>
      inputsOf({
        targets: [
          { kind: "s3", bucket: "backup", region: "us-east-1", endpoint, credentials: { kind: "environment" } },
        ],
      });
    const state = { ...at("https://10.0.0.7"), schemaVersion: 1, uri: "s3://backup/prod/x.db" };
    expect(await provider.diff("id", state, at("https://10.0.0.8"))).toMatchObject({ replaces: ["targets"] });
    expect(await provider.diff("id", state, at("https://10.0.0.7"))).toMatchObject({ changes: false, replaces: [] });
  });

  test("a further target gets a copy, another proof is made of the same snapshot", async () => {
    const inputs = inputsOf();
    const { id, outs, manifest } = await created(inputs);
    const more = { ...inputs, targets: [...inputs.targets, fresh()], verify: "restore" as const };
    expect(await provider.diff(id, outs, more)).toMatchObject({ changes: true, replaces: [] });
    const { outs: now } = await provider.update(id, outs, more);
    expect(now).toMatchObject({ manifest: { id: manifest.id, totalKeys: 10, verified: { level: "restore" } } });
    expect([idsIn(more, 0), idsIn(more, 1)]).toEqual([[manifest.id], [manifest.id]]);
  });

  test.each(["on-demand", "before-change"] as const)(
    "another secret of a target alone is kept in the state, and takes no new one (%s)",
    async (reason) => {
      const inputs = inputsOf({ reason, secretKeys: { 0: "former" } });
      const { id, outs, manifest } = await created(inputs);
      const now = { ...inputs, secretKeys: { 0: "present" } };
      expect(await provider.diff(id, outs, now)).toMatchObject({ changes: true, replaces: [] });
      const { outs: then } = await provider.update(id, outs, now);
      expect(then).toMatchObject({ secretKeys: { 0: "present" }, manifest: { id: manifest.id } });
      expect(idsIn(inputs)).toEqual([manifest.id]);
    },
  );

  test("one that is damaged or lost is seen by a refresh and repaired from the copy", async () => {
    const inputs = inputsOf({ targets: [fresh(), fresh()] });
    const { id, outs, manifest } = await created(inputs);
    const [main, copy] = [fileIn(inputs, manifest, 0), fileIn(inputs, manifest, 1)];
    const whole = readFileSync(main);
    flip(main);
    const seen = await provider.read(id, outs);
    expect(seen.props["drift"]).toEqual([expect.stringContaining(`file://${main}: it is damaged: SHA-256`)]);
    const repaired = await provider.update(id, seen.props, inputs);
    expect(readFileSync(main).equals(whole)).toBe(true);
    expect(repaired.outs["manifest"]).toEqual(manifest);

    rmSync(copy);
    expect((await provider.read(id, repaired.outs)).props["drift"]).toEqual([
      `file://${copy} is damaged: its data are missing`,
    ]);
    await provider.update(id, repaired.outs, inputs);
    expect(readFileSync(copy).equals(whole)).toBe(true);
  });

  test("one that is lost everywhere is taken anew", async () => {
    const inputs = inputsOf();
    const { id, outs, manifest } = await created(inputs);
    rmSync(join(fileIn(inputs, manifest), ".."), { recursive: true });
    const seen = await provider.read(id, outs);
    expect(seen.props["drift"]).toEqual([`file://${fileIn(inputs, manifest)} is lost`]);
    const { outs: now } = await provider.update(id, seen.props, inputs);
    expect(idsIn(inputs)).toEqual([(now["manifest"] as Manifest).id]);
    expect(idsIn(inputs)).not.toEqual([manifest.id]);
  });

  test("a copy that cannot be made leaves the snapshot, and the next run goes on", async () => {
    const blocked = fresh();
    writeFileSync(blocked.directory, "a file");
    const inputs = inputsOf({ targets: [fresh(), blocked] });
    const error = await provider.create(inputs).then(
      () => undefined,
      (thrown: { message: string; properties: object }) => thrown,
    );
    expect(error?.message).toContain("the snapshot is there, copies are missing: ");
    const [only] = idsIn(inputs);
    expect(error?.properties).toMatchObject({ manifest: { id: only } });
    rmSync(blocked.directory);
    await provider.update("id", error!.properties, inputs);
    expect([idsIn(inputs, 0), idsIn(inputs, 1)]).toEqual([[only], [only]]);
  });

  test("delete removes it, but never the last one of a target", async () => {
    const warned = jest.spyOn(console, "warn").mockImplementation(() => {});
    const inputs = inputsOf();
    const [first, second] = [await created(inputs), await created({ ...inputs, triggers: { ticket: "2" } })];
    await provider.delete(first.id, first.outs);
    expect(idsIn(inputs)).toEqual([second.manifest.id]);
    await provider.delete(second.id, second.outs);
    expect(idsIn(inputs)).toEqual([second.manifest.id]);
    expect(warned.mock.calls).toEqual([[`${second.uri}: kept, it is the last verified snapshot there`]]);
    warned.mockRestore();
  });

  test("all that are deleted at once leave the last one of a target", async () => {
    const warned = jest.spyOn(console, "warn").mockImplementation(() => {});
    const inputs = inputsOf();
    const [first, second] = [await created(inputs), await created({ ...inputs, triggers: { ticket: "2" } })];
    await Promise.all([first, second].map(({ id, outs }) => provider.delete(id, outs)));
    expect(idsIn(inputs)).toEqual([second.manifest.id]);
    warned.mockRestore();
  });

  test("kept ones stay when the resource goes", async () => {
    const inputs = inputsOf({ onDelete: "keep" });
    const [one, two] = [await created(inputs), await created(inputs)];
    await provider.delete(one.id, one.outs);
    expect(idsIn(inputs).toSorted()).toEqual([one.manifest.id, two.manifest.id].toSorted());
  });
});

describe("before a change", () => {
  const before = (changes: Partial<EtcdSnapshotInputs> = {}) =>
    inputsOf({ reason: "before-change", onDelete: "keep", triggers: { version: "3.6.6" }, required: true, ...changes });

  test("there is nothing to save while no cluster is there; the first change takes one", async () => {
    const inputs = before();
    const { id, outs } = await created({ ...inputs, endpoints: [`https://127.0.0.1:${port + 90}`] });
    expect(outs).toMatchObject({ state: "none-bootstrap", copies: [] });
    expect(idsIn(inputs)).toEqual([]);
    const changed = { ...inputs, triggers: { version: "3.6.8" } };
    expect(await provider.diff(id, outs, changed)).toMatchObject({ changes: true, replaces: [] });
    const { outs: now } = await provider.update(id, outs, changed);
    expect(now).toMatchObject({ state: "taken", manifest: { reason: "before-change" } });
    expect(idsIn(inputs)).toHaveLength(1);
  });

  test("each change takes another one and leaves those before it; other inputs take none", async () => {
    const inputs = before();
    const { id, outs } = await created(inputs);
    const { outs: same } = await provider.update(id, outs, { ...inputs, verify: "status" });
    expect(same["manifest"]).toEqual(outs["manifest"]);
    await provider.update(id, same, { ...inputs, triggers: { version: "3.6.8" } });
    expect(idsIn(inputs)).toHaveLength(2);
  });

  test("one that is required fails the change, another one warns", async () => {
    const warned = jest.spyOn(console, "warn").mockImplementation(() => {});
    const gone = { endpoints: [`https://127.0.0.1:${port + 90}`], triggers: { version: "3.6.8" } };
    const inputs = before();
    const { id, outs } = await created(inputs);
    const lost = { ...outs, endpoints: gone.endpoints };
    await expect(provider.update(id, lost, { ...inputs, ...gone })).rejects.toThrow(
      /^no snapshot before the change: no member can give a snapshot: .*\nwith snapshots.beforeChange "best-effort" /,
    );
    const { outs: now } = await provider.update(id, lost, { ...inputs, ...gone, required: false });
    expect(now).toMatchObject({ state: "failed" });
    expect(warned).toHaveBeenCalledWith(expect.stringMatching(/^prod: no snapshot before the change: no member/));
    warned.mockRestore();
  });

  test.each([true, false])("a copy that cannot be made is made by the next run (required: %s)", async (required) => {
    const warned = jest.spyOn(console, "warn").mockImplementation(() => {});
    const blocked = fresh();
    writeFileSync(blocked.directory, "a file");
    const inputs = before({ targets: [fresh(), blocked], required });
    const made = provider.create(inputs).then(
      ({ outs }) => ({ failed: false, state: outs }),
      (thrown: { message: string; properties: object }) => ({ failed: true, state: thrown.properties }),
    );
    const { failed, state } = await made;
    expect(failed).toBe(required);
    const [only] = idsIn(inputs);
    expect(state).toMatchObject({ state: "taken", manifest: { id: only } });
    if (!required) expect(warned).toHaveBeenCalledWith(expect.stringContaining("copies are missing: "));
    rmSync(blocked.directory);
    expect(await provider.diff("id", state as never, inputs)).toMatchObject({ changes: true, replaces: [] });
    const { outs: now } = await provider.update("id", state as never, inputs);
    expect([idsIn(inputs, 0), idsIn(inputs, 1)]).toEqual([[only], [only]]);
    expect(await provider.diff("id", now, inputs)).toMatchObject({ changes: false });
    warned.mockRestore();
  });

  test("members that are about to move are asked where they still are", async () => {
    const inputs = before();
    const { id, outs } = await created(inputs);
    const moved = { ...inputs, endpoints: [`https://127.0.0.1:${port + 90}`] };
    expect(await provider.diff(id, outs, moved)).toMatchObject({ changes: true, replaces: [] });
    const { outs: now } = await provider.update(id, outs, { ...moved, triggers: { members: "3" } });
    expect(now).toMatchObject({ state: "taken", endpoints: moved.endpoints });
    expect(idsIn(inputs)).toHaveLength(2);
    expect(await provider.diff(id, now, { ...moved, triggers: { members: "3" } })).toMatchObject({ changes: false });
  });

  test("nothing is taken of what a restore replaces, dead or alive; of what came of it, it is", async () => {
    const inputs = before();
    const { id, outs, manifest } = await created(inputs);
    const dead = { endpoints: [`https://127.0.0.1:${port + 90}`] };
    const restoring = { ...inputs, ...dead, triggers: { members: "3" }, restoring: 1 };
    const { outs: restored } = await provider.update(id, outs, restoring);
    expect(restored).toMatchObject({ state: "taken", manifest: { id: manifest.id } });
    expect(idsIn(inputs)).toHaveLength(1);
    const upgrade = { ...restoring, endpoints: inputs.endpoints, triggers: { members: "3", version: "3.6.8" } };
    await provider.update(id, restored, upgrade);
    expect(idsIn(inputs)).toHaveLength(2);
    const further = { ...restoring, triggers: { members: "3", quota: "8 GiB" } };
    const warned = jest.spyOn(console, "warn").mockImplementation(() => {});
    const lost = { ...restored, endpoints: dead.endpoints };
    const { outs: again } = await provider.update(id, lost, further);
    expect(again).toMatchObject({ state: "none-restore" });
    expect(warned).toHaveBeenCalledWith(expect.stringMatching(/^prod: no snapshot before the change: no member/));
    warned.mockRestore();
    const { restoring: _, ...unrelated } = further;
    await expect(provider.update(id, lost, unrelated)).rejects.toThrow("no member can give a snapshot");
    expect(await created({ ...restoring, targets: [fresh()] })).toMatchObject({ state: "none-restore" });
  });

  test("one that retention has removed is not missed", async () => {
    const inputs = before();
    const { id, outs, manifest } = await created(inputs);
    rmSync(join(fileIn(inputs, manifest), ".."), { recursive: true });
    expect((await provider.read(id, outs)).props).toEqual(outs);
  });
});

describe("of a deployment with a further cluster for some kinds", () => {
  const further = new Programs(mkdtempSync(join(tmpdir(), "etcd-snapshot-events-")));
  let parts: ClusterPart[];
  beforeAll(async () => {
    const events = await startEtcd(further, port + 20, 1, cluster.authority);
    const client = clientOf(events);
    await waitFor("etcd", deadlineIn(60), () => client.call(events.endpoints[0]!, "maintenance/status", {}));
    client.close();
    await fill(events, 300_000);
    parts = [{ name: "events", endpoints: events.endpoints }];
  });
  afterAll(async () => {
    await further.stop();
    rmSync(further.directory, { recursive: true });
  });

  const partIn = ({ targets }: EtcdSnapshotInputs, { parts: [part] = [] }: Manifest, i = 0) => {
    const target = targets[i]!;
    return target.kind === "s3" ? "" : join(target.directory, "prod.events", `${part?.id}.db`);
  };

  test("both are one snapshot, in every target", async () => {
    const inputs = inputsOf({ targets: [fresh(), fresh()], parts, verify: "status" });
    const { id, outs, manifest } = await created(inputs);
    expect(manifest).toMatchObject({ totalKeys: 10, parts: [{ name: "events", deployment: "prod.events" }] });
    for (const i of [0, 1]) expect(existsSync(partIn(inputs, manifest, i))).toBe(true);
    const part = parseManifest(readFileSync(partIn(inputs, manifest).replace(/db$/, "json"), "utf8"));
    const { id: partId, deployment, sha256 } = manifest.parts![0]!;
    expect(part).toMatchObject({ id: partId, deployment, sha256, totalKeys: 3 });
    expect((await provider.read(id, outs)).props).toEqual(outs);
  });

  test("a part that is damaged is repaired from its copy; when it is lost everywhere, all is taken anew", async () => {
    const inputs = inputsOf({ targets: [fresh(), fresh()], parts });
    const { id, outs, manifest } = await created(inputs);
    const path = partIn(inputs, manifest);
    const whole = readFileSync(path);
    flip(path);
    const seen = await provider.read(id, outs);
    expect(seen.props["drift"]).toEqual([expect.stringContaining(`file://${path}: it is damaged: SHA-256`)]);
    const { outs: repaired } = await provider.update(id, seen.props, inputs);
    expect(readFileSync(path).equals(whole)).toBe(true);
    expect(repaired["manifest"]).toEqual(manifest);
    for (const i of [0, 1]) rmSync(partIn(inputs, manifest, i));
    const { outs: now } = await provider.update(id, repaired, inputs);
    expect((now["manifest"] as Manifest).parts![0]!.id).not.toBe(manifest.parts![0]!.id);
    expect((await provider.read(id, now)).props).toEqual(now);
  });

  test("when the first cluster gives none, nothing is left of the further one's", async () => {
    const inputs = inputsOf({ parts, endpoints: [`https://127.0.0.1:${port + 90}`] });
    await expect(provider.create(inputs)).rejects.toThrow(/^no member can give a snapshot: /);
    const [target] = inputs.targets;
    expect(target?.kind === "local" && readdirSync(join(target.directory, "prod.events"))).toEqual([]);
  });

  test("delete takes its part along, and leaves the part of the last one of a target", async () => {
    const warned = jest.spyOn(console, "warn").mockImplementation(() => {});
    const inputs = inputsOf({ parts });
    const [first, second] = [await created(inputs), await created({ ...inputs, triggers: { ticket: "2" } })];
    // One of which the first cluster's was never taken, as by an up that was killed.
    await created({ ...inputs, deployment: "prod.events", parts: [], triggers: { ticket: "3" } });
    await provider.delete(first.id, first.outs);
    expect(existsSync(partIn(inputs, first.manifest))).toBe(false);
    await provider.delete(second.id, second.outs);
    expect(idsIn(inputs)).toEqual([second.manifest.id]);
    expect(existsSync(partIn(inputs, second.manifest))).toBe(true);
    expect(warned.mock.calls).toContainEqual([`${second.uri}: kept, it is the last verified snapshot there`]);
    warned.mockRestore();
  });

  test("delete takes its part along, though it is the last one of the further cluster", async () => {
    const inputs = inputsOf({ parts });
    const one = await created(inputs);
    await created({ ...inputs, parts: [], triggers: { ticket: "2" } });
    await provider.delete(one.id, one.outs);
    expect(existsSync(partIn(inputs, one.manifest))).toBe(false);
  });

  test("before the change that brings it, there is nothing to save of it; before the one that takes it away, there is", async () => {
    const before = inputsOf({ reason: "before-change", onDelete: "keep", triggers: { overrides: "" } });
    const { id, outs } = await created(before);
    const dead = [{ name: "events", endpoints: [`https://127.0.0.1:${port + 90}`] }];
    const { outs: added } = await provider.update(id, outs, {
      ...before,
      parts: dead,
      triggers: { overrides: "events" },
    });
    expect(added).toMatchObject({ state: "taken", manifest: { reason: "before-change" } });
    expect((added["manifest"] as Manifest).parts).toBeUndefined();
    const { outs: gone } = await provider.update(id, { ...added, parts }, before);
    expect((gone["manifest"] as Manifest).parts).toHaveLength(1);
  });
});

test("a target inside etcd's data is refused", async () => {
  const inputs = inputsOf({ apartFrom: [programs.directory] });
  await expect(provider.create(inputs)).rejects.toThrow("which holds the data themselves: both would be lost together");
});
