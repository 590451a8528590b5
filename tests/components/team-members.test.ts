/** What runs beside a control plane for members that stacks of their own have. */
import * as pulumi from "@pulumi/pulumi";
import type { FileContents } from "../../components/placement.ts";
import type { Process } from "../../components/process.ts";
import { resolve } from "../../spec/resolve.ts";
import { fakePlacement } from "./support/fake-placement.ts";
import { ofEtcd, ofPki, settled, valueOf, withMocks } from "./support/mocks.ts";

const dynamic = "pulumi-nodejs:dynamic";
const registered = await withMocks({
  ...ofPki,
  ...ofEtcd,
});
const { Karmada } = await import("../../components/karmada.ts");

const since = "2026-01-01T00:00:00Z";
const written = "2026-01-02T00:00:00Z";
const deployment = resolve(
  {
    teams: ["maps"],
    controlPlane: { "karmada-scheduler-estimator": { enabled: true }, "karmada-search": { enabled: true } },
  },
  {
    stack: "test",
    directory: "/stack",
    stateHome: "/state",
    served: [
      {
        estimators: { jakarta: "FOR ESTIMATOR", bandung: "FAR" },
        replacedTokens: { jakarta: since },
        writtenTokens: { jakarta: written },
        ways: { bandung: "WAY" },
      },
    ],
  },
);
const placed = new Map<string, { files: FileContents; opts: pulumi.CustomResourceOptions }>();
class Placed extends pulumi.CustomResource {
  constructor({ name }: Process, opts: pulumi.CustomResourceOptions) {
    super("test:index:Placed", name, {}, opts);
  }
}
const karmada = new Karmada("prod", {
  deployment: deployment as never,
  placement: fakePlacement(
    (process, files, opts) => {
      placed.set(process.name, { files, opts });
      return { resource: new Placed(process, opts), version: pulumi.output("v") };
    },
    (process, _files, opts) => ({
      resource: new Placed(process, opts),
      version: pulumi.output("v"),
      revision: pulumi.output("r"),
    }),
  ),
});
const versions = valueOf(karmada.versions);
const joining = karmada.joining;
await settled();

test("each has an estimator by the account that its stack has made, where the scheduler looks for it", async () => {
  for (const [member, kubeconfig] of [
    ["jakarta", "FOR ESTIMATOR"],
    ["bandung", "FAR"],
  ] as const) {
    const name = `${member}-karmada-scheduler-estimator`;
    expect(placed.get(name)!.files).toMatchObject({ "member.config": kubeconfig });
    expect(Object.keys(placed.get(name)!.files).sort()).toEqual([
      "member.config",
      "pki/ca.crt",
      "pki/server.crt",
      "pki/server.key",
    ]);
    const service = registered.find((each) => each.name === `prod-teams-${member}-estimator`);
    expect(service?.deletedWith).toBe("prod-etcd");
    expect(service?.inputs).toMatchObject({
      metadata: { name: `karmada-scheduler-estimator-${member}`, namespace: "karmada-system" },
      spec: { externalName: `${name}.test`, ports: [{ port: 10352, targetPort: 10352 }] },
    });
  }
  expect(await versions).toMatchObject({ "bandung-karmada-scheduler-estimator": "v" });
});

test("programs start again for the tokens that were replaced, once estimators have theirs", () => {
  const [inUse, ...more] = registered.filter(({ type }) => type === `${dynamic}/members:TokensInUse`);
  expect(more).toEqual([]);
  expect(inUse?.inputs).toMatchObject({ tokens: { jakarta: since }, written: { jakarta: written } });
  expect(inUse?.inputs["tokenHolders"]).toMatchObject({
    value: {
      runtime: { kind: "local", directory: "/state/test" },
      programs: ["karmada-controller-manager", "karmada-search"],
    },
  });
  expect(inUse?.dependsOn).toEqual(
    expect.arrayContaining(["jakarta-karmada-scheduler-estimator", "bandung-karmada-scheduler-estimator"]),
  );
});

test("programs start again for another way to a member too, one after the other", () => {
  const inUse = registered.find(({ name }) => name === "prod-ways-in-use");
  expect(inUse?.inputs["ways"]).toMatchObject({ value: { bandung: "WAY" } });
  expect(inUse?.inputs["holders"]).toMatchObject({
    value: { programs: ["karmada-controller-manager", "karmada-search"] },
  });
  expect(inUse?.dependsOn).toContain("karmada-controller-manager");
  const tokens = registered.find(({ type }) => type === `${dynamic}/members:TokensInUse`);
  expect(tokens?.dependsOn).toContain("prod-ways-in-use");
});

test("what asks their estimators starts again for another address of one", () => {
  const inUse = registered.find(({ name }) => name === "prod-estimators-in-use");
  const addresses = ["jakarta", "bandung"].map((member) => [
    member,
    `${member}-karmada-scheduler-estimator.test:10352`,
  ]);
  expect(inUse?.type).toBe(`${dynamic}/members:WaysInUse`);
  expect(inUse?.inputs["ways"]).toMatchObject({ value: Object.fromEntries(addresses) });
  expect(inUse?.inputs["holders"]).toMatchObject({ value: { programs: ["karmada-scheduler"] } });
  expect(inUse?.dependsOn).toEqual(
    expect.arrayContaining(["karmada-scheduler", "prod-teams-jakarta-estimator", "prod-teams-bandung-estimator"]),
  );
});

test("nothing is registered for them here, and it is given out whom it serves", () => {
  for (const type of ["ClusterRegistration", "MemberAccess"])
    expect(registered.filter((each) => each.type.endsWith(`:${type}`))).toEqual([]);
  expect(joining).toMatchObject({ teams: ["maps"], estimates: true });
});
