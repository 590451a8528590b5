import * as pulumi from "@pulumi/pulumi";
import { readProgram, readSnapshots } from "../../stacks/config.ts";
import { createAuthority } from "../support/certificates.ts";
import { type Made, runStack } from "./support.ts";

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
};
const made: Made[] = [];

const up = (config: Record<string, unknown>, outputs: object = { etcdAccess: access }) =>
  runStack(
    config,
    outputs,
    async () => {
      const { snapshotsStack } = await import("../../stacks/snapshots.ts");
      return snapshotsStack(readSnapshots());
    },
    made,
  );

const s3 = {
  kind: "s3",
  bucket: "karmada-backup",
  credentials: { kind: "keys", accessKeyId: "id", secretAccessKey: "s3cret" },
};
const config = {
  program: "snapshots",
  source: { kind: "stack", stack: "prod" },
  snapshots: { targets: [{ kind: "local", directory: "/backup" }, s3] },
  take: [
    { name: "before-1-18", triggers: { ticket: 4711 } },
    { name: "monthly", onDelete: "delete" },
  ],
};

test("takes each snapshot of the deployment that the other stack describes", async () => {
  expect(await up(config)).toMatchObject({ deployment: "prod" });
  expect(made.map(({ type, name }) => [type, name])).toEqual([
    ["pulumi:pulumi:StackReference", "deployment"],
    ["pulumi-nodejs:dynamic/etcd:EtcdSnapshot", "snapshot-before-1-18"],
    ["pulumi-nodejs:dynamic/etcd:EtcdSnapshot", "snapshot-monthly"],
  ]);
  expect(made[0]!.inputs).toMatchObject({ name: "organization/karmada/prod" });
  expect(made[1]!.inputs).toMatchObject({
    deployment: "prod",
    endpoints: access.endpoints,
    keyPrefix: "/registry",
    etcdVersion: "3.6.8",
    apartFrom: ["/data/prod"],
    reason: "on-demand",
    triggers: { ticket: "4711" },
    onDelete: "keep",
    verify: "status",
  });
  expect(made[2]!.inputs).toMatchObject({ triggers: {}, onDelete: "delete" });
});

test("the secret of a target is apart from it", async () => {
  await up(config);
  const { targets, secretKeys } = made[1]!.inputs;
  expect(JSON.stringify(targets)).not.toContain("s3cret");
  expect(targets).toMatchObject([{ kind: "local" }, { credentials: { accessKeyId: "id", secretAccessKey: "" } }]);
  expect(JSON.stringify(secretKeys)).toContain("s3cret");
});

test("an etcd that others run is named by its addresses", async () => {
  const { certificate, key } = await createAuthority("etcd");
  const endpoints = ["https://etcd.example.org:2379"];
  const source = { kind: "endpoints", name: "theirs", endpoints, ca: certificate, certificate, key };
  expect(await up({ ...config, source })).toMatchObject({ deployment: "theirs" });
  expect(made.map(({ type }) => type)).toEqual(Array(2).fill("pulumi-nodejs:dynamic/etcd:EtcdSnapshot"));
  expect(made[0]!.inputs).toMatchObject({ deployment: "theirs", endpoints, keyPrefix: "/registry" });
});

test("a program that does not exist is refused", () => {
  pulumi.runtime.setAllConfig({ "karmada:program": "snapshot" });
  expect(() => readProgram()).toThrow(
    'program: got "snapshot", want "karmada", "members", "etcd", "snapshots", "restore" or "adopted"',
  );
});
