/** What is asked of members, as a preview has it. */
import type { Input } from "@pulumi/pulumi";
import { deploymentOf } from "./support/deployment.ts";
import { settled, withMocks } from "./support/mocks.ts";

const registered = await withMocks();
const pulumi = await import("@pulumi/pulumi");
const output = await import("@pulumi/pulumi/output.js");
const { askMembers } = await import("../../components/member-apis.ts");

const simulated = (name: string) => ({ name, credentials: { kind: "simulated" } });

/** What is declared to be asked, if anything. */
async function asked(
  config: Record<string, unknown>,
  kubeconfigOf: (member: string) => Input<string> = (member) => `of ${member}`,
): Promise<Record<string, unknown> | undefined> {
  const from = registered.length;
  const deployment = deploymentOf(config);
  const parent = new pulumi.ComponentResource("test:Parent", `parent-${from}`);
  const kubeconfigs = new Map(deployment.members.map(({ name }) => [name, kubeconfigOf(name)]));
  askMembers("apis", { placed: deployment as never, karmada: "1.18.2", kubeconfigs }, parent);
  await settled();
  return registered.slice(from).find(({ type }) => type.endsWith(":MemberApis"))?.inputs;
}

test("every member is asked for its version, and for the kinds that are placed in it", async () => {
  const web = { apiVersion: "apps/v1", kind: "Deployment" };
  const policy = { kind: "PropagationPolicy", name: "web", resourceSelectors: [web] };
  const found = await asked({ members: [simulated("paris"), simulated("oslo")], policies: [policy] });
  expect(found).toMatchObject({
    kubeconfigs: { value: { paris: "of paris", oslo: "of oslo" } },
    selected: [{ ...web, by: ["PropagationPolicy default/web"], members: ["paris", "oslo"] }],
    karmada: "1.18.2",
  });
});

test("those that are there are asked beside one whose kubeconfig a preview does not know yet", async () => {
  const unknown = pulumi.output(output.unknown as string);
  const found = await asked({ members: [simulated("paris"), simulated("oslo")] }, (member) =>
    member === "oslo" ? unknown : `of ${member}`,
  );
  expect(found).toMatchObject({ kubeconfigs: { value: { paris: "of paris", oslo: undefined } } });
});

test("without members there is nothing to ask", async () => {
  expect(await asked({})).toBeUndefined();
});
