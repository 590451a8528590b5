import { readRestore } from "../../stacks/config.ts";
import { restorable } from "../../stacks/restorable.ts";
import { type Made, runStack } from "./support.ts";

const member = (name: string, port: number) => ({
  name,
  peerUrl: `https://127.0.0.1:${port + 1}`,
  clientUrl: `https://127.0.0.1:${port}`,
});
const managed = {
  runtime: { kind: "local", directory: "/data/prod" },
  members: [member("etcd-0", 2379)],
  parts: { events: [member("etcd-events-0", 3379)] },
  programs: ["karmada-apiserver", "karmada-scheduler"],
};
const access = {
  deployment: "prod",
  endpoints: ["https://127.0.0.1:2379"],
  ca: "ca",
  certificate: "certificate",
  key: "k3y",
  prefix: "/registry",
  karmadaVersion: "1.18.2",
  etcdVersion: "3.6.8",
  dataDirectories: ["/data/prod"],
  managed,
};
const snapshot = { kind: "snapshot", target: { kind: "local", directory: "/backup" } };
const file = { kind: "file", path: "/backup/x.db" };
const locks = { generation: 1, replaceClusterId: "abc" };
const made: Made[] = [];

/** Runs the program as a stack with this block. */
const up = (restore: object) =>
  runStack(
    { program: "restore", deployment: "prod", restore: { ...locks, ...restore } },
    { etcdAccess: access, kubeconfig: "kubeconfig", members: [{ name: "one" }] },
    async () => {
      const { restoreStack } = await import("../../stacks/restore.ts");
      return restoreStack(readRestore());
    },
    made,
  );

test("beside an etcd by itself there is no Karmada to look at after it", async () => {
  const alone = { ...access, prefix: "/", managed: { ...managed, parts: {}, programs: [] } };
  const outputs = await runStack(
    { program: "restore", deployment: "etcd", restore: { ...locks, source: snapshot } },
    { etcdAccess: alone, etcdClient: {} },
    async () => {
      const { restoreStack } = await import("../../stacks/restore.ts");
      return restoreStack(readRestore());
    },
    made,
  );
  expect(made.map(({ type }) => type)).not.toContain("pulumi-nodejs:dynamic/etcd:RestoreAftermath");
  expect(outputs).not.toHaveProperty("afterRestore");
  expect(restores()["restore"]).toMatchObject({ members: managed.members, programs: [], keyPrefix: "/" });
});

const restores = () =>
  Object.fromEntries(
    made.filter(({ type }) => type.endsWith(":EtcdRestore")).map(({ name, inputs }) => [name, inputs]),
  );

test("each etcd gets its part of the snapshot, and the programs start again once all have", async () => {
  await up({ source: snapshot, overrides: { events: "def" } });
  expect(restores()).toEqual({
    restore: expect.objectContaining({
      cluster: "prod",
      members: managed.members,
      replaceClusterId: "abc",
      programs: managed.programs,
      resume: true,
      source: expect.objectContaining({ kind: "snapshot", deployment: "prod", id: "latest", there: "abc" }),
    }),
    "restore-events": expect.objectContaining({
      cluster: "prod.events",
      members: managed.parts.events,
      replaceClusterId: "def",
      resume: false,
      source: expect.objectContaining({ kind: "snapshot", deployment: "prod", part: "events", there: "abc" }),
    }),
  });
  expect(restores()["restore"]!["source"]).not.toHaveProperty("part");
});

test.each([
  ["a file", { source: file, allowForeignSnapshot: true }],
  ["a member", { source: { kind: "member", member: "etcd-0" } }],
])("%s is of the first etcd: those beside it keep what they have", async (_, restore) => {
  await up(restore);
  expect(Object.keys(restores())).toEqual(["restore"]);
  expect(restores()["restore"]).toMatchObject({ cluster: "prod", members: managed.members, source: restore.source });
});

test("what a file has nothing for is refused by name", async () => {
  await expect(up({ source: file, overrides: { events: "def" } })).rejects.toThrow(
    "restore.overrides: got events, and only a snapshot of this program holds something for it: leave it out, it keeps what it has",
  );
  expect(restores()).toEqual({});
});

describe("what cannot be restored whole is refused before anything is done", () => {
  const refusal = (source: object, overrides = {}, found: object = access) =>
    expect(() => restorable(found as never, { source, overrides } as never, "prod"));

  test("an etcd that is forgotten, or that there is not", () => {
    refusal(snapshot, { events: "def" }).not.toThrow();
    refusal(snapshot).toThrow(
      "restore.overrides: the deployment has etcds of their own for some kinds of objects: name events, each with the ID of the cluster that may go",
    );
    refusal(snapshot, { events: "def", leases: "none" }).toThrow(
      "restore.overrides.leases: prod has no such etcd, it has events",
    );
    refusal(snapshot, { events: "def" }, { managed: { ...managed, parts: {} } }).toThrow(
      "restore.overrides.events: prod has no such etcd, it has none",
    );
  });

  test("from a member of another etcd", () => {
    refusal({ kind: "member", member: "etcd-0" }).not.toThrow();
    refusal({ kind: "member", member: "etcd-events-0" }).toThrow(
      'restore.source.member: got "etcd-events-0", want one of etcd-0',
    );
  });

  test("an etcd that others run", () => {
    const { managed: _, ...external } = access;
    refusal(snapshot, {}, external).toThrow("deployment: the etcd of prod is external\nrestore it with its own means");
  });
});
