import * as pulumi from "@pulumi/pulumi";
import { fetchNamed, readDeployment } from "../../stacks/config.ts";
import { offeredByThis } from "../../stacks/offered-templates.ts";
import { type Made, runStack } from "./support.ts";

const quota = { name: "small", body: { kind: "FederatedResourceQuota", name: "small", overall: { cpu: "1" } } };
const made: Made[] = [];

/** The policies of a stack with this configuration, where others have these outputs. */
const policies = async (config: Record<string, unknown>, outputs: object) =>
  runStack(
    config,
    outputs,
    async () => ({ policies: readDeployment(await fetchNamed()).policies.map(({ kind, name }) => [kind, name]) }),
    made,
  );

test("templates that another stack gives out are there before anything is made", async () => {
  const config = { policyTemplatesFrom: ["platform"], policies: [{ template: "small" }] };
  expect(await policies(config, { policyTemplates: [quota] })).toEqual({
    policies: [["FederatedResourceQuota", "small"]],
  });
  expect(made).toMatchObject([
    {
      type: "pulumi:pulumi:StackReference",
      name: "templates-platform",
      inputs: { name: "organization/karmada/platform" },
    },
  ]);
});

test("a stack that offers none is refused, with what to do", async () => {
  await expect(policies({ policyTemplatesFrom: ["acme/games/eu"] }, {})).rejects.toThrow(
    "policyTemplatesFrom[0]: the stack acme/games/eu offers no templates\nwrite them into its policyTemplates, and bring it up with this version of the program",
  );
});

test("templates with something encrypted in them are offered as a secret, others as they are", async () => {
  const before = process.env["PULUMI_CONFIG_SECRET_KEYS"];
  try {
    process.env["PULUMI_CONFIG_SECRET_KEYS"] = JSON.stringify([`${pulumi.getProject()}:policies`]);
    expect(offeredByThis([quota])).toEqual([quota]);
    process.env["PULUMI_CONFIG_SECRET_KEYS"] = JSON.stringify([`${pulumi.getProject()}:policyTemplates`]);
    expect(await pulumi.isSecret(pulumi.output(offeredByThis([quota])))).toBe(true);
  } finally {
    if (before === undefined) delete process.env["PULUMI_CONFIG_SECRET_KEYS"];
    else process.env["PULUMI_CONFIG_SECRET_KEYS"] = before;
  }
});
