import * as pulumi from "@pulumi/pulumi";
import { withGivenPaths } from "../../components/given-paths.ts";
import { valueOf } from "./support/mocks.ts";

const completed = (content: string): unknown =>
  withGivenPaths({ "given/a": content }, (name) => (name === "hook.kubeconfig" ? "/x/hook.kubeconfig" : undefined))[
    "given/a"
  ];

test.each([
  ["type: KubeConfigFile\nkubeConfigFile: hook.kubeconfig", "type: KubeConfigFile\nkubeConfigFile: /x/hook.kubeconfig"],
  ["- { kubeConfigFile: 'hook.kubeconfig' } # ours", "- { kubeConfigFile: '/x/hook.kubeconfig' } # ours"],
  ['{"kubeConfigFile":"hook.kubeconfig"}', '{"kubeConfigFile":"/x/hook.kubeconfig"}'],
])("the name of a file becomes its path: %j", (typed, whole) => {
  expect(completed(typed)).toBe(whole);
});

test.each([
  "kubeConfigFile: other.kubeconfig",
  "kubeConfigFile: /etc/hook.kubeconfig",
  "kubeConfigFile: hook.kubeconfig/of",
  "path: hook.kubeconfig",
])("text that does not name a given file stays as it is: %s", (typed) => {
  expect(completed(typed)).toBe(typed);
});

test("a secret file is still secret after its paths are filled in", async () => {
  const secret = pulumi.secret("kubeConfigFile: hook");
  const { a } = withGivenPaths({ a: secret }, () => "/x/hook") as { a: pulumi.Output<string> };
  expect([await valueOf(a), await pulumi.isSecret(a)]).toEqual(["kubeConfigFile: /x/hook", true]);
});
