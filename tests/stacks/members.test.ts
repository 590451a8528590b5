/** A stack of members: what it takes from the stack of the deployment, and what it declares. */
import { readMembers } from "../../stacks/config.ts";
import { type Made, runStack } from "./support.ts";
import { sampleKubeconfig } from "../support/sample-kubeconfig.ts";

const kubeconfig = sampleKubeconfig("jakarta.example.org");
const credentials = { kind: "kubeconfig", kubeconfig };
const joining = {
  deployment: "prod",
  karmada: "1.18.2",
  server: "https://karmada.example.org:5443",
  authority: "CA",
  restored: "cluster-2",
  names: ["karmada.example.org"],
  signsRequests: true,
  networks: [],
  estimates: false,
  agent: { version: "1.17.1", logLevel: 4, extraArgs: {}, featureGates: {}, resources: {} },
  lifetimes: { certificateValidity: "24h", renewBefore: "1h" },
};
const offered = { joining, members: [{ name: "paris" }], kubeconfig: "ADMIN" };
const made: Made[] = [];

/** Runs the program as a stack of these members. */
const up = (members: object[], outputs: object = offered, more: object = {}) =>
  runStack(
    { program: "members", deployment: "prod", members, ...more },
    outputs,
    async () => {
      const { membersStack } = await import("../../stacks/members.ts");
      return membersStack(await readMembers());
    },
    made,
    {
      "pulumi-nodejs:dynamic/members:AgentCertificate": {
        certificate: "SIGNED",
        key: "KEY",
        expires: "2026-12-01T00:00:00Z",
      },
      "pulumi-nodejs:dynamic/members:MemberAccess": { kubeconfig: "ESTIMATOR" },
      "pulumi-nodejs:dynamic/members:ClusterRegistration": {
        way: "WAY",
        tokenReplaced: "2026-01-01T00:00:00Z",
        tokenWritten: "2026-01-02T00:00:00Z",
      },
    },
  );

test("a member whose kubeconfig another stack gives out is joined with it", async () => {
  const outputs = { ...offered, cluster: kubeconfig };
  await up([{ name: "jakarta", credentials: { kind: "stack", stack: "eks/jakarta", output: "cluster" } }], outputs);
  const [typed] = found("ClusterRegistration");
  await up([{ name: "jakarta", credentials }]);
  expect(found("ClusterRegistration")).toEqual([typed]);
  expect(typed).toMatchObject({ inputs: { cluster: "jakarta" } });
});

const found = (type: string) => made.filter((each) => each.type.endsWith(`:${type}`));

test("a member in Push mode is a registration at the control plane of the other stack, and no process", async () => {
  const outputs = await up([{ name: "jakarta", region: "id", credentials }]);
  expect(found("ClusterRegistration")).toMatchObject([
    { inputs: { cluster: "jakarta", karmadaKubeconfig: { value: "ADMIN" }, syncMode: "Push", region: "id" } },
  ]);
  expect(found("StackReference")).toMatchObject([{ inputs: { name: "organization/karmada/prod" } }]);
  expect(found("DeclaredMembers")).toMatchObject([{ inputs: { members: ["jakarta"], mayLeave: [], policies: [] } }]);
  for (const none of ["AgentCertificate", "MemberAccess", "LocalProcess", "Pki", "Program"])
    expect(found(none)).toEqual([]);
  expect(outputs).toMatchObject({
    deployment: "organization/karmada/prod",
    karmada: "1.18.2",
    endpoint: "https://karmada.example.org:5443",
    members: [{ name: "jakarta", syncMode: "Push" }],
  });
});

test("the agent of one in Pull mode runs in it, as the other stack says, by a certificate that the control plane signs", async () => {
  const outputs = await up([{ name: "jakarta", syncMode: "Pull", credentials }]);
  expect(found("AgentCertificate")).toMatchObject([
    { inputs: { cluster: "jakarta", authority: "CA", validSeconds: 24 * 3600, renewBeforeSeconds: 3600 } },
  ]);
  expect(found("AgentHome")).toMatchObject([{ inputs: { cluster: "jakarta", deployment: "prod" } }]);
  const [deployment] = found("Deployment") as unknown as { inputs: { spec: { template: { spec: Pod } } } }[];
  const [container] = deployment!.inputs.spec.template.spec.containers;
  expect(container!.image).toBe("docker.io/karmada/karmada-agent:v1.17.1");
  expect(container!.args).toContain("--v=4");
  expect(found("PulledMember")).toHaveLength(1);
  expect(outputs).toMatchObject({
    versions: { "jakarta-karmada-agent": "1.17.1" },
    certificates: { "agent-jakarta": "2026-12-01T00:00:00Z" },
  });
});

interface Pod {
  readonly containers: readonly { readonly image: string; readonly args: readonly string[] }[];
}

test("for a deployment that serves this stack there are accounts for estimators, when tokens were replaced, and how members are reached", async () => {
  const serving = { ...offered, joining: { ...joining, estimates: true, teams: ["tested"] } };
  const outputs = await up([{ name: "jakarta", credentials, rotate: 1 }], serving);
  expect(found("MemberAccess")).toMatchObject([{ inputs: { cluster: "jakarta", purpose: "estimator", rotate: "1" } }]);
  const [registration] = found("ClusterRegistration");
  expect(registration!.inputs).toMatchObject({ heldElsewhere: true });
  expect(registration!.inputs).not.toHaveProperty("tokenHolders");
  expect(outputs).toMatchObject({
    estimators: { jakarta: "ESTIMATOR" },
    replacedTokens: { jakarta: "2026-01-01T00:00:00Z" },
    writtenTokens: { jakarta: "2026-01-02T00:00:00Z" },
    ways: { jakarta: "WAY" },
  });
  expect(found("LocalProcess")).toEqual([]);
  const alone = await up([{ name: "jakarta", credentials }]);
  for (const output of ["estimators", "ways"]) expect(alone).not.toHaveProperty(output);
});

test("policies are objects at the control plane of the other stack, and known to who lets members leave", async () => {
  const quota = { kind: "FederatedResourceQuota", name: "all", overall: { cpu: "10" } };
  await up([{ name: "jakarta", credentials }], offered, { policies: [quota], membersMayLeave: ["bandung"] });
  expect(made.map(({ name }) => name)).toContain("tested-policies-FederatedResourceQuota/default/all");
  expect(found("DeclaredMembers")).toMatchObject([
    { inputs: { mayLeave: ["bandung"], policies: ["FederatedResourceQuota default/all"] } },
  ]);
});

test("a stack that is not up, or made by an older program, is refused with what to do before anything is made", async () => {
  await expect(up([], {})).rejects.toThrow(
    "deployment: the stack organization/karmada/prod has no output joining\nbring it up with this version of the program first",
  );
  expect(made.map(({ type }) => type)).toEqual(["pulumi:pulumi:StackReference"]);
});
