import { waitForRule } from "../../../../../toolchain/plugins/kubernetes/ready/wait-for.ts";
import type { View } from "../../../../../toolchain/plugins/kubernetes/ready/rule.ts";

const view = (status: object) => ({ object: { apiVersion: "v1", kind: "Pod", status } }) as unknown as View;

test("a value that can never be equal fails at once, with the problem, whatever else is waited for", () => {
  const rule = waitForRule('["condition=Ready", "jsonpath={.status.addresses}=10.0.0.1"]');
  expect(rule.judge(view({ addresses: ["10.0.0.1"], conditions: [] }))).toMatchObject({
    ready: false,
    failed: true,
    problems: ['"{.status.addresses}" has a non-primitive value'],
  });
});

test("a value that is not there yet is waited for", () => {
  expect(waitForRule("jsonpath={.status.phase}=Running").judge(view({ phase: "Pending" }))).toMatchObject({
    ready: false,
    failed: false,
    problems: [],
  });
});
