/** What asks the members' estimators follows them. */
import * as k8s from "@pulumi/kubernetes";
import * as pulumi from "@pulumi/pulumi";
import type { Process } from "../../components/process.ts";
import { fakePlacement } from "./support/fake-placement.ts";
import { type Registered, settled, withMocks } from "./support/mocks.ts";

const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
const registered = await withMocks({
  "kubernetes:core/v1:Service": ({ metadata }) => {
    const { name } = metadata as { name: string };
    return { metadata: { name, creationTimestamp: name === "old" ? hourAgo : new Date().toISOString() } };
  },
  "test:index:Lost": () => {
    throw new Error("its member is away");
  },
});
const { followEstimators } = await import("../../components/estimators-in-use.ts");

class Thing extends pulumi.CustomResource {
  constructor(type: string, name: string) {
    super(`test:index:${type}`, name, {});
  }
}
const parent = new Thing("Parent", "parent");
const ready = new Thing("Ready", "ready");

/** What follows the estimators of members. @param estimators for each member, what runs it and the age of its Service */
async function follow(name: string, estimators: Record<string, { program?: string; age?: string }>) {
  const found = Object.entries(estimators).map(([member, { program = "Running", age = "new" }]) => ({
    member,
    process: { name: `${member}-estimator` } as Process,
    service: new k8s.core.v1.Service(`${name}-${member}-service`, { metadata: { name: age } }),
    program: new Thing(program, `${name}-${member}-program`),
  }));
  for (const { program } of found) pulumi.recover(program.id, () => "");
  followEstimators(name, found, fakePlacement(), ["karmada-scheduler"], { parent, dependsOn: [ready] });
  await settled();
  return registered.find((each) => each.name === name);
}
const plain = (resource: Registered | undefined, input: string): unknown => {
  const value = resource?.inputs[input] as { value?: unknown };
  return value?.value ?? value;
};

test("each is known by its address, once it runs and is found there", async () => {
  const inUse = await follow("two", { paris: {}, oslo: {} });
  expect(plain(inUse, "ways")).toEqual({ paris: "paris-estimator.test:10352", oslo: "oslo-estimator.test:10352" });
  expect(plain(inUse, "holders")).toMatchObject({ programs: ["karmada-scheduler"] });
  expect(plain(inUse, "mayKnowOthers")).toBe(false);
  expect(inUse?.dependsOn).toEqual(
    ["ready", "two-oslo-program", "two-oslo-service", "two-paris-program", "two-paris-service"].sort(),
  );
});

test("programs may know other addresses where there were estimators before anything followed them", async () => {
  expect(plain(await follow("before", { paris: { age: "old" }, oslo: {} }), "mayKnowOthers")).toBe(true);
});

test("one that cannot be had keeps nobody from following the others", async () => {
  const inUse = await follow("lost", { paris: {}, oslo: { program: "Lost" } });
  expect(plain(inUse, "ways")).toMatchObject({ paris: "paris-estimator.test:10352" });
  expect(inUse?.dependsOn).not.toContain("lost-oslo-program");
});

test("without estimators there is nothing to follow", async () => {
  expect(await follow("none", {})).toBeUndefined();
});
