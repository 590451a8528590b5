import * as pulumi from "@pulumi/pulumi";
import type { EtcdProgram } from "../../spec/etcd-program.ts";
import { resolveEtcdProgram } from "../../spec/etcd-program.ts";
import { fakePlacement } from "./support/fake-placement.ts";
import { ofEtcd, ofPki, settled, valueOf, withMocks } from "./support/mocks.ts";
import type { Process } from "../../components/process.ts";
import type { HookMoment } from "../../components/placement.ts";

const registered = await withMocks({ ...ofPki, ...ofEtcd });
const { EtcdDeployment } = await import("../../components/etcd-deployment.ts");

class Placed extends pulumi.CustomResource {
  constructor({ name }: Process, opts: pulumi.CustomResourceOptions) {
    super("test:index:Placed", name, {}, opts);
  }
}

const version = pulumi.output("1");
const placed: string[] = [];
const prepared: string[] = [];
const hooks: string[] = [];
const placement = {
  ...fakePlacement(
    (process, _files, opts) => {
      placed.push(process.name);
      return { resource: new Placed(process, opts), version };
    },
    (process, _files, opts) => {
      prepared.push(process.name);
      return { resource: new Placed(process, opts), version, revision: version };
    },
  ),
  hooks: ({ when, phase }: HookMoment) => {
    hooks.push(`${when} ${phase}`);
    return [];
  },
  outside: { host: (process: string) => `${process}.outside`, port: () => 32379 },
};
const config = {
  snapshots: { targets: [{ kind: "local", directory: "/backup" }], schedule: { cron: "15 * * * *" } },
  etcd: { kind: "managed", protect: true },
};
const deployment = resolveEtcdProgram(config, { stack: "shared", directory: "/stack", stateHome: "/state" });
const made = new EtcdDeployment("shared", {
  deployment: deployment as unknown as EtcdProgram<pulumi.Output<string>>,
  placement,
});
const outputs = valueOf(pulumi.all([made.etcdClient, made.etcdAccess]));
await settled();

const namesOf = (kind: string) => registered.filter(({ type }) => type.endsWith(`:${kind}`)).map(({ name }) => name);

test("members of etcd and what takes its snapshots run, and nothing of a control plane", () => {
  expect(prepared).toEqual(["etcd-0", "etcd-1", "etcd-2"]);
  expect(placed).toEqual(["etcd-backup"]);
  expect(namesOf("EtcdMembership")).toEqual(["shared-etcd-membership"]);
  expect(namesOf("EtcdSnapshot")).toEqual(["shared-snapshot-before-change"]);
  expect(namesOf("EtcdBackupStatus")).toEqual(["shared-backups-status"]);
  expect(registered.find(({ name }) => name === "shared-etcd-membership")?.protect).toBe(true);
});

test("certificates are of etcd's authorities, one of them for control planes of other stacks", () => {
  expect(namesOf("SelfSignedCert").sort()).toEqual(["shared-pki-ca-etcd", "shared-pki-ca-etcd-peer"]);
  expect(namesOf("LocallySignedCert")).toContain("shared-pki-karmada-etcd-client");
  expect(namesOf("LocallySignedCert").filter((name) => name.includes("apiserver"))).toEqual([]);
});

test("a change of the version or of the members is saved before, and backups say no more of versions than there is", () => {
  const inputsOf = (kind: string) => registered.find(({ type }) => type.endsWith(`:${kind}`))?.inputs;
  expect(inputsOf("EtcdSnapshot")?.["triggers"]).toEqual({
    etcd: "3.6.6",
    members: "etcd-0,etcd-1,etcd-2",
    quota: "8Gi",
    replace: "{}",
  });
  expect(inputsOf("EtcdBackupStatus")?.["versions"]).toEqual({ etcd: "3.6.6" });
});

test("hooks have etcd's phase", () => {
  expect(hooks.sort()).toEqual(["after etcd", "before etcd"]);
});

test("control planes are given all that they reach it by, snapshots and restores too", async () => {
  const [client, access] = await outputs;
  expect(client).toEqual({
    endpoints: ["https://etcd-0.test:2379", "https://etcd-1.test:2379", "https://etcd-2.test:2379"],
    outside: ["https://etcd-0.outside:32379", "https://etcd-1.outside:32379", "https://etcd-2.outside:32379"],
    ca: "CA",
    certificate: "CERT",
    key: "KEY",
    clusterId: "c1",
  });
  expect(await pulumi.isSecret(made.etcdClient)).toBe(true);
  expect(access).toMatchObject({
    deployment: "shared",
    prefix: "/",
    karmadaVersion: "",
    etcdVersion: "3.6.6",
    managed: { parts: {}, programs: [] },
  });
  expect(access.managed?.members.map(({ name }) => name)).toEqual(["etcd-0", "etcd-1", "etcd-2"]);
});
