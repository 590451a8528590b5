import * as pulumi from "@pulumi/pulumi";
import { resolve } from "../../spec/resolve.ts";
import { fakePlacement } from "./support/fake-placement.ts";
import { settled, withMocks } from "./support/mocks.ts";

const registered = await withMocks();
const { followWays } = await import("../../components/ways-in-use.ts");

/** Stands for a member that joined. */
class Joined extends pulumi.CustomResource {
  declare readonly way: pulumi.Output<string>;
  constructor(name: string, way: pulumi.Input<string>) {
    super("test:index:Joined", name, { way });
  }
}

test("a member that fails keeps its former way, and those of the others are followed", async () => {
  const failed = pulumi.output(Promise.reject<string>(new Error("resource oslo failed to register")));
  const ways = { paris: new Joined("paris", "A").way, oslo: failed, older: pulumi.output(undefined) };
  const members = Object.entries(ways).map(([name, way]) => [name, { way }] as const);
  const { teamMembers } = resolve({}, { stack: "test", directory: "/stack" });
  const placement = fakePlacement();
  const theirs = { members: members as never, teamMembers: teamMembers as never };
  followWays("in-use", { ...theirs, placement, programs: ["holder"] }, {});
  await settled();
  const inUse = registered.find(({ name }) => name === "in-use");
  expect(inUse?.inputs.ways).toMatchObject({ value: { paris: "A", oslo: "" } });
  expect(inUse?.dependsOn).toEqual(["paris"]);
});
