/** What the stack of a deployment takes from stacks of members that it serves. */
import * as pulumi from "@pulumi/pulumi";
import { fetchNamed, readDeployment } from "../../stacks/config.ts";
import { type Made, runStack } from "./support.ts";

const made: Made[] = [];

const teamMembers = async (teams: unknown, outputs: object) =>
  runStack(
    { teams },
    outputs,
    async () => {
      const members = readDeployment(await fetchNamed()).teamMembers;
      const secrets = members.flatMap(({ estimator, way }) => [estimator, way]);
      const secret = await Promise.all(secrets.map((each) => pulumi.isSecret(pulumi.output(each))));
      return { members: members.map(({ name, replaced, written }) => [name, replaced, written]), secret };
    },
    made,
  );

test("kubeconfigs for estimators and ways to members are secrets, and are there before anything is made", async () => {
  const outputs = {
    estimators: { jakarta: "KUBECONFIG" },
    replacedTokens: { jakarta: "2026-01-01T00:00:00Z" },
    writtenTokens: { jakarta: "2026-01-02T00:00:00Z" },
    ways: { jakarta: "WAY" },
  };
  expect(await teamMembers(["maps", "maps"], outputs)).toEqual({
    members: [["jakarta", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"]],
    secret: [true, true],
  });
  expect(made).toMatchObject([
    { type: "pulumi:pulumi:StackReference", name: "team-maps", inputs: { name: "organization/karmada/maps" } },
  ]);
});

test("a stack that has no members yet gives nothing", async () => {
  expect(await teamMembers(["maps"], {})).toEqual({ members: [], secret: [] });
});
