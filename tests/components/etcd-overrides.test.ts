import { deploymentOf } from "./support/deployment.ts";
import { commandLine, fakePlacement } from "./support/fake-placement.ts";
import { settled, valueOf, withMocks } from "./support/mocks.ts";
import * as pulumi from "@pulumi/pulumi";
import type { Process } from "../../components/process.ts";

const dynamic = "pulumi-nodejs:dynamic/etcd";
const registered = await withMocks({
  [`${dynamic}:EtcdHealth`]: ({ endpoints }) => ({
    clusterId: `cluster of ${(endpoints as string[]).length}`,
    members: [{ name: "a member", version: "3.6.6", healthy: true }],
  }),
  [`${dynamic}:EtcdMembership`]: () => ({ memberStates: [] }),
});
const { createEtcd } = await import("../../components/create-etcd.ts");
const { allMembers, planEtcd } = await import("../../components/etcd-plan.ts");
const { Pki } = await import("../../components/pki.ts");
const { controlPlaneProcesses } = await import("../../components/processes/control-plane.ts");

const deployment = deploymentOf({
  etcd: {
    kind: "managed",
    members: 1,
    overrides: [
      { name: "events", resources: ["/events"], quota: "4Gi", replace: { "etcd-events-0": 2 } },
      { name: "leases", resources: ["coordination.k8s.io/leases"], members: 3 },
    ],
  },
});
const plan = planEtcd(deployment as never);
const prepare = (process: Process, _: unknown, opts: pulumi.CustomResourceOptions) => ({
  resource: new (class extends pulumi.CustomResource {})("test:index:Prepared", process.name, {}, opts),
  version: pulumi.output("3.6.6"),
  revision: pulumi.output(`revision of ${process.name}`),
});
const placement = fakePlacement(undefined, prepare);
const pki = new Pki("prod-pki", {
  lifetimes: { authorityHours: 1, leafHours: 1, renewBeforeHours: 1 },
  processes: allMembers(plan),
  requests: plan.requests,
  placement,
});
const restoring = { snapshots: deployment.snapshots, programs: [] } as never;
const etcd = createEtcd("prod-etcd", { plan, ground: { placement, pki }, restoring }, {});
const owner = new (class extends pulumi.CustomResource {})("test:index:Owner", "home", {});
const guarded = planEtcd({ ...deployment, etcd: { ...deployment.etcd, protect: true } } as never);
createEtcd("kept-etcd", { plan: guarded, ground: { placement: { ...placement, owner }, pki }, restoring }, {});
const [state, versions] = [valueOf(etcd.state), Object.keys(etcd.versions)];
await settled();

const named = (name: string) => registered.find((resource) => resource.name === name);

test("the API server is told which members hold which kinds; everything else stays in the first etcd", () => {
  const [apiserver] = controlPlaneProcesses(deployment, plan.connection)["kube-apiserver"];
  const leases = [0, 1, 2].map((i) => `https://etcd-leases-${i}.test:2379`).join(";");
  expect(commandLine(apiserver!).filter((arg) => arg.startsWith("--etcd-servers"))).toEqual([
    "--etcd-servers=https://etcd-0.test:2379",
    `--etcd-servers-overrides=/events#https://etcd-events-0.test:2379,coordination.k8s.io/leases#${leases}`,
  ]);
});

test("each is a cluster of its own, kept like the first one", () => {
  expect(named("prod-etcd-events-membership")?.inputs).toMatchObject({
    token: "test.events",
    members: [{ name: "etcd-events-0", revision: "revision of etcd-events-0" }],
    replace: { "etcd-events-0": 2 },
    version: "3.6.6",
  });
  expect(named("prod-etcd-leases-membership")?.inputs.members).toHaveLength(3);
  expect(named("prod-etcd-membership")?.inputs.members).toHaveLength(1);
  expect(commandLine(allMembers(plan)[1]!)).toContain("--quota-backend-bytes=4294967296");
  expect(versions).toEqual(["etcd-0", "etcd-events-0", "etcd-leases-0", "etcd-leases-1", "etcd-leases-2"]);
});

test("what needs etcd waits for all of them, and learns of each", async () => {
  expect(etcd.ready).toMatchObject({ __name: "prod-etcd-health" });
  expect(named("prod-etcd-health")?.dependsOn).toEqual(
    expect.arrayContaining(["prod-etcd-events-health", "prod-etcd-leases-health", "prod-etcd-membership"]),
  );
  expect(await state).toMatchObject({
    clusterId: "cluster of 1",
    overrides: { events: { clusterId: "cluster of 1" }, leases: { clusterId: "cluster of 3" } },
  });
});

test("members are not ended by themselves where what keeps them takes them along", () => {
  expect(named("prod-etcd-membership")?.deletedWith).toBe("");
  expect(named("kept-etcd-membership")?.deletedWith).toBe("home");
  expect(named("kept-etcd-leases-membership")?.deletedWith).toBe("home");
});

test("data that are to be protected are, of each of them, and nothing that is replaced when it changes", () => {
  const isOf = (name: string) => (resource: { readonly name: string }) => resource.name.startsWith(name);
  const namesOf = (of: string) => registered.filter(isOf(of)).filter(({ protect }) => protect);
  expect(
    namesOf("kept-etcd")
      .map(({ name }) => name)
      .sort(),
  ).toEqual(["kept-etcd-events-membership", "kept-etcd-leases-membership", "kept-etcd-membership"]);
  expect(namesOf("prod-etcd")).toEqual([]);
});
