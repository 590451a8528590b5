import { membersWarnings, resolveMembersProgram } from "../../spec/members-program.ts";
import { joiningOf, type PlaneOffered } from "../../spec/members/joining.ts";
import { resolve } from "../../spec/resolve.ts";
import { sampleKubeconfig } from "../support/sample-kubeconfig.ts";
import { context, problemsIn } from "./configuration.ts";

const kubeconfig = sampleKubeconfig("jakarta.example.org");
const credentials = { kind: "kubeconfig", kubeconfig };
const member = (name: string, more: object = {}) => ({ name, credentials, ...more });
const pulled = (more: object = {}) => member("jakarta", { syncMode: "Pull", ...more });
const login = JSON.stringify({ auths: { "mirror.example.org": { auth: "bWU6cDRzcw==" } } });
const inPods = (more: object = {}) => ({
  placement: {
    kind: "kubernetes",
    credentials,
    exposure: { kind: "nodePort", addresses: ["203.0.113.9"] },
    images: { karmada: "mirror.example.org/karmada", login },
  },
  ...more,
});
const reached = inPods({ pki: { signRequests: true, extraNames: ["karmada.example.org"] } });

/** What a deployment with this stack file offers. */
function planeOf(config: object = {}): PlaneOffered {
  const deployment = resolve(config, { ...context, stack: "prod" });
  const joining = joiningOf(deployment, { server: "https://203.0.113.9:32443", authority: "CA" });
  return { ...joining, members: deployment.members.map(({ name }) => name) };
}

const resolved = (config: object, plane: object = reached) =>
  resolveMembersProgram({ program: "members", deployment: "prod", ...config }, { ...context, plane: planeOf(plane) });

const problemsOf = (config: object, plane: object = reached): string[] => problemsIn(() => resolved(config, plane));

test("what a deployment offers has nothing in it that is secret", () => {
  const text = JSON.stringify(planeOf({ ...reached, members: [member("paris")] }));
  for (const secret of ["t0ken", "login", "bWU6cDRzcw=="]) expect(text).not.toContain(secret);
  expect(planeOf(reached)).toMatchObject({
    deployment: "prod",
    karmada: "1.18.2",
    names: ["karmada.example.org", "203.0.113.9"],
    signsRequests: true,
    estimates: false,
    agent: { version: "1.18.2", logLevel: 2 },
    images: { karmada: "mirror.example.org/karmada", pinned: {}, pullPolicy: "IfNotPresent" },
    lifetimes: { certificateValidity: "8760h", renewBefore: "720h" },
  });
});

test("members of the list and of groups are joined, those in Pull mode by an agent of their own, registered by a token", () => {
  const { members } = resolved({
    members: [member("jakarta")],
    memberGroups: [{ name: "far", defaults: { syncMode: "Pull" }, members: [member("bandung")] }],
  });
  expect(members).toMatchObject([
    { name: "jakarta", syncMode: "Push" },
    {
      name: "bandung",
      syncMode: "Pull",
      agent: {
        kind: "inMember",
        registration: "bootstrapToken",
        namespace: "karmada-agent",
        images: { karmada: "mirror.example.org/karmada" },
      },
    },
  ]);
});

test("the mode that follows from networks is that of both sides", () => {
  const plane = { ...reached, controlPlane: { networks: ["office"] } };
  const mode = (networks: string[]) =>
    resolved({ members: [member("jakarta", { syncMode: "auto", networks })] }, plane).members[0]!.syncMode;
  expect([mode(["office"]), mode(["elsewhere"])]).toEqual(["Push", "Pull"]);
  expect(problemsOf({ members: [member("jakarta", { syncMode: "auto", networks: ["office"] })] })).toEqual([
    'deployment: has no controlPlane.networks, want the internal networks of the control plane: syncMode "auto" of jakarta follows from them',
  ]);
});

test.each([
  [
    "a name that the other stack has",
    [member("paris")],
    { ...reached, members: [member("paris")] },
    'members[0].name: got "paris", want another name, or let go of it there first (handOver): the stack of the deployment has a member of this name',
  ],
  [
    "a simulated cluster",
    [{ name: "jakarta", credentials: { kind: "simulated" } }],
    reached,
    'members[0].credentials: got kind "simulated", want a cluster: only the stack of the deployment simulates members',
  ],
  [
    "an agent beside the control plane",
    [pulled({ agent: { kind: "beside" } })],
    reached,
    'members[0].agent.kind: got "beside", want "inMember": only the stack of the deployment has a place beside it',
  ],
  [
    "a certificate of the authority",
    [pulled({ agent: { kind: "inMember", registration: "certificate" } })],
    reached,
    'members[0].agent.registration: got "certificate", want "bootstrapToken": only the stack of the deployment has the authority that would issue it',
  ],
  [
    "tokens that are replaced where the deployment does not serve this stack",
    [member("jakarta", { rotateEvery: "720h" })],
    { ...reached, teams: ["maps"] },
    "members[0].rotateEvery: want dev among the teams of the stack of the deployment before: programs of its control plane start again for a new token",
  ],
  [
    "headers for a proxy that is not there",
    [member("jakarta", { proxyHeader: { "Proxy-Authorization": "Basic bWU6cDRzcw==" } })],
    reached,
    "members[0].proxy: missing, want the address of the proxy that proxyHeader is for",
  ],
  [
    "an agent where nobody signs requests",
    [pulled()],
    inPods(),
    "deployment: signs no requests, want pki.signRequests true there: the agent of jakarta asks for one",
  ],
  [
    "an agent whose member cannot reach the endpoint",
    [pulled()],
    {},
    'members[0].agent.server: missing, want the address of the control plane as the member reaches it: with placement.kind "local" it listens on a loopback address only',
  ],
  [
    "an address that the control plane's certificate does not have",
    [pulled({ agent: { kind: "inMember", server: "https://other.example.org:443" } })],
    reached,
    'members[0].agent.server: got "https://other.example.org:443", want "other.example.org" among pki.extraNames: the certificate of the API servers is not valid for it',
  ],
])("%s is refused", (_, members, plane, problem) => {
  expect(problemsOf({ members }, plane)).toEqual([problem]);
});

test("a name leaves room for that of its estimator's Service where the deployment has one for it", () => {
  const estimated = { ...reached, controlPlane: { "karmada-scheduler-estimator": { enabled: true } } };
  const config = { members: [member("a".repeat(35)), member("b".repeat(36))] };
  expect(problemsOf(config, estimated)).toEqual([]);
  expect(problemsOf(config, { ...reached, teams: ["dev"] })).toEqual([]);
  expect(problemsOf(config, { ...estimated, teams: ["dev"] })).toEqual([
    `members[1].name: got "${"b".repeat(36)}", want at most 35 characters with controlPlane.karmada-scheduler-estimator of the stack of the deployment: its Service is named after it`,
  ]);
});

test("tokens are replaced in a stack that the deployment serves, which is not warned of estimators either", () => {
  const estimated = { ...reached, controlPlane: { "karmada-scheduler-estimator": { enabled: true } } };
  const config = { members: [member("jakarta", { rotate: 1 })] };
  for (const teams of [["dev"], ["acme/games/dev"], ["maps", "karmada/dev"]]) {
    const program = resolved(config, { ...estimated, teams });
    expect([program.served, program.members[0]!.rotate, membersWarnings(program)]).toEqual([true, "1", []]);
  }
  const alone = resolved({ members: [member("jakarta")] }, estimated);
  expect([alone.served, membersWarnings(alone)]).toEqual([
    false,
    [
      expect.stringMatching(
        /^deployment: prod has estimators for members of its own, .*; name this stack among its teams$/,
      ),
    ],
  ]);
  const older: PlaneOffered = { ...planeOf(reached), teams: undefined as never };
  const { served } = resolveMembersProgram({ program: "members", deployment: "prod" }, { ...context, plane: older });
  expect(served).toBe(false);
});

test("policies name members of this stack and of the deployment's, and are made of templates that are offered", () => {
  const body = {
    kind: "ClusterPropagationPolicy",
    name: "all",
    resourceSelectors: [{ apiVersion: "v1", kind: "Namespace" }],
    placement: { clusterAffinity: { clusterNames: "$(clusters)" } },
  };
  const template = { name: "spread", parameters: [{ name: "clusters", type: "list" }], body };
  const plane = planeOf({ ...reached, members: [member("paris")] });
  const config = (clusters: string[]) => ({
    program: "members",
    deployment: "prod",
    members: [member("jakarta")],
    policyTemplatesFrom: ["prod"],
    policies: [{ template: "spread", parameters: { clusters } }],
  });
  const read = (clusters: string[]) =>
    resolveMembersProgram(config(clusters), { ...context, plane, templates: { prod: [template] } });
  expect(read(["jakarta", "paris"]).policies).toMatchObject([{ kind: "ClusterPropagationPolicy", name: "all" }]);
  expect(membersWarnings(read(["paris"]))).toEqual([]);
  const named = (schedulers: string[] | undefined) =>
    membersWarnings({
      ...read(["paris"]),
      plane: { ...plane, schedulers: schedulers as never },
      policies: [{ kind: "PropagationPolicy", name: "web", spec: { schedulerName: "by-price" } }],
    });
  expect([planeOf(reached).schedulers, named(undefined), named(["default-scheduler", "by-price"])]).toEqual([
    ["default-scheduler"],
    [],
    [],
  ]);
  expect(named(["default-scheduler"])).toEqual([
    expect.stringMatching(
      /"by-price", which is none of default-scheduler: .*; name it in controlPlane\.schedulers of the stack prod then$/,
    ),
  ]);
  expect(() => read(["jakrta"])).toThrow(
    'policies[0].template: "spread" makes placement.clusterAffinity.clusterNames[0]: got "jakrta", which is no member, did you mean "jakarta"?',
  );
});

test("it is called as its stack, or as it says: whose its members are follows from that", () => {
  expect([resolved({}).name, resolved({ name: "maps" }).name]).toEqual([context.stack, "maps"]);
});

test("what belongs to the other stack is no key of this one", () => {
  expect(problemsOf({ etcd: { kind: "managed" } })).toEqual([
    "etcd: unknown key, want one of program, name, deployment, members, memberGroups, membersMayLeave, policies, policyTemplatesFrom",
  ]);
  expect(problemsOf({ deployment: undefined })).toEqual([expect.stringMatching(/^deployment: missing/)]);
});

test("members that get no estimator, where those of the deployment have one, are warned of", () => {
  const plane = { ...reached, controlPlane: { "karmada-scheduler-estimator": { enabled: true } } };
  expect(membersWarnings(resolved({ members: [member("jakarta")] }, plane))).toEqual([
    expect.stringMatching(/^deployment: prod has estimators for members of its own, not for those here: /),
  ]);
  expect(membersWarnings(resolved({ members: [] }, plane))).toEqual([]);
});
