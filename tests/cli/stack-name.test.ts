import { noMonitoring } from "../../cli/monitoring/no-monitoring.ts";
import { missingStack } from "../../cli/stack/missing-stack.ts";
import { stackFile } from "../../cli/stack/stack-file.ts";
import { isSameStack } from "../../toolchain/pulumi/stack-name.ts";
import { workspaceOf } from "../../cli/stack/workspace.ts";

const whole = "organization/karmada/dev";

test("files of a stack go by the last part of its name, as pulumi's do", () => {
  expect(stackFile("/root", whole)).toBe("/root/Pulumi.dev.yaml");
  expect(stackFile("/root", "dev")).toBe("/root/Pulumi.dev.yaml");
  expect(workspaceOf("/root", whole)).toBe("/root/.karmada/dev");
});

test.each([
  ["dev", whole, true],
  ["dev", "dev", true],
  ["organization/dev", whole, true],
  [whole, "dev", true],
  [whole, whole, true],
  ["dev", "organization/karmada/prod", false],
  ["another/dev", whole, false],
  ["organization/other/dev", whole, false],
  ["dev", "mydev", false],
])("%s and %s are one stack: %s", (known, typed, same) => {
  expect(isSameStack(known, typed)).toBe(same);
  expect(isSameStack(typed, known)).toBe(same);
});

test("commands are said with the whole name that was typed, files with its last part", () => {
  expect(missingStack(whole, [], true)).toBe(
    `stack ${whole}: there is none of this name, and no other; npm start -- --stack ${whole} makes it from Pulumi.dev.yaml`,
  );
  expect(missingStack("organization/karmada/prdo", ["prod"], false)).toBe(
    'stack organization/karmada/prdo: there is none of this name, did you mean "prod"? there are prod; choose one with --stack',
  );
  expect(noMonitoring(whole, "karmada")).toBe(
    `stack ${whole}: it has no output "monitoring"; write karmada:monitoring: {enabled: true} into Pulumi.dev.yaml, then npm start -- --stack ${whole}`,
  );
});
