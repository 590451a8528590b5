/** Members that a team has in a stack of its own, in the Karmada of another stack: each stack leaves alone what the other has. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { openPlane } from "../../cli/stack/members-now.ts";
import type { KubeClient } from "../../lib/kube/client.ts";
import { parseKubeconfig } from "../../lib/kube/kubeconfig.ts";
import { probeEndpoint, refuses } from "../../lib/members/endpoint.ts";
import { cleanUp } from "../support/clean-up.ts";
import type { Cluster } from "../support/cluster.ts";
import { startEtcd } from "../support/etcd.ts";
import { startLightClusters } from "../support/light-clusters.ts";
import { Programs } from "../support/running.ts";
import { eventually, type Json, type Kubectl, Kubectls, readyOf } from "./support/kubectl.ts";
import { createProject, type Project } from "./support/pulumi.ts";
import { TestStack } from "./support/stack.ts";

const basePort = 27000;
const memberPort = 28200;
const names = ["paris", "jakarta", "bandung"] as const;

interface Outputs {
  kubeconfig: string;
  deployment?: string;
  members: { name: string; ready: boolean; uid: string }[];
}

const programs = new Programs(mkdtempSync(join(tmpdir(), "members-stack-")));
const kubectls = new Kubectls();
let clusters: Record<(typeof names)[number], Cluster>;
let platform: TestStack;
let team: TestStack;
/** Somebody else's, of the program that has made the team's clusters. */
let makers: Project;
/** A second team's. */
let others: TestStack;
/** The team's, once more, with a state of its own. */
let found: TestStack | undefined;
let kubectl: Kubectl;

const templates = [
  {
    name: "everywhere",
    parameters: [{ name: "app" }, { name: "clusters", type: "list" }],
    body: {
      kind: "PropagationPolicy",
      name: "$(app)",
      resourceSelectors: [{ apiVersion: "v1", kind: "ConfigMap", name: "$(app)" }],
      placement: { clusterAffinity: { clusterNames: "$(clusters)" } },
    },
  },
];

beforeAll(async () => {
  const etcd = await startEtcd(programs, memberPort - 10);
  const [paris, jakarta, bandung] = await startLightClusters(programs, etcd, names, memberPort);
  clusters = { paris: paris!, jakarta: jakarta!, bandung: bandung! };
  platform = await TestStack.create(
    {
      etcd: { kind: "managed", members: 1 },
      members: [member("paris")],
      policyTemplates: templates,
    },
    basePort,
  );
  await platform.up();
  kubectl = await kubectls.to((await platform.outputs<Outputs>()).kubeconfig);
  team = await platform.beside("team", teamOf("jakarta", "bandung"));
  others = await platform.beside("others", { ...teamOf("jakarta"), policies: [] });
}, 300_000);

afterAll(
  () =>
    cleanUp(
      () => kubectls.remove(),
      () => found?.forget(),
      () => others?.forget(),
      () => team?.forget(),
      () => platform?.remove(),
      () => makers?.remove(),
      () => programs.remove(),
    ),
  300_000,
);

const member = (name: (typeof names)[number], as: string = name) => ({
  name: as,
  credentials: { kind: "kubeconfigFile", path: programs.write(`${name}.kubeconfig`, clusters[name].kubeconfig) },
});

const teamOf = (...members: (typeof names)[number][]) => ({
  program: "members",
  deployment: "test",
  members: members.map((name) => member(name)),
  policyTemplatesFrom: ["test"],
  policies: tiles(...members),
});

const tiles = (...clusters: string[]) => [{ template: "everywhere", parameters: { app: "tiles", clusters } }];

/** Names of the Clusters that are Ready. */
async function ready(): Promise<string[]> {
  const { items } = await kubectl.get<{ items: Json[] }>("clusters");
  return items
    .filter((item) => readyOf(item) === "True")
    .map(({ metadata }) => metadata.name as string)
    .sort();
}

const copyIn = (name: (typeof names)[number]) =>
  clusters[name].client.find("/api/v1/namespaces/default/configmaps/tiles");

/** Has the stack that has made the clusters give these out; those whose names begin with `secret` encrypted. */
async function makersGive(outputs: object): Promise<void> {
  writeFileSync(join(makers.directory, "outputs.json"), JSON.stringify(outputs));
  await makers.pulumi(["up", "--yes", "--skip-preview"]);
}

/** Whose a Cluster is, and its UID: what stays as long as it stays in Karmada. */
async function registered(name: string): Promise<[string | undefined, string]> {
  const { metadata } = await kubectl.get("cluster", name);
  return [metadata.annotations?.["karmada-pulumi/declared-by"], metadata.uid];
}

const leftIn = ({ client }: { client: KubeClient }) => client.find("/api/v1/namespaces/karmada-cluster");

/** A preview that is refused. */
async function refusal(members: object[], stack = team): Promise<string> {
  stack.config = { ...stack.config, members };
  const run = await stack.preview();
  expect(run.exitCode).not.toBe(0);
  return run.text;
}

test("two members join by one up; neither stack has anything left to do", async () => {
  await team.up();
  expect(await ready()).toEqual(["bandung", "jakarta", "paris"]);
  const { members, deployment } = await team.outputs<Outputs>();
  expect(members.map(({ name, ready }) => [name, ready])).toEqual([
    ["jakarta", true],
    ["bandung", true],
  ]);
  expect(deployment).toBe("organization/karmada/test");
  await team.up("--expect-no-changes");
  await team.successfully(["preview", "--refresh", "--expect-no-changes"]);
  await platform.up("--expect-no-changes");
  expect((await platform.outputs<Outputs>()).members.map(({ name }) => name)).toEqual(["paris"]);
}, 300_000);

test("what the team's policy, made of the platform's template, selects goes to its members", async () => {
  await kubectl(["create", "configmap", "tiles", "--from-literal=zoom=12"]);
  for (const name of ["jakarta", "bandung"] as const) {
    const copy = await eventually(
      () => copyIn(name),
      (found) => found !== undefined,
    );
    expect(copy?.["data"]).toEqual({ zoom: "12" });
  }
  expect(await copyIn("paris")).toBeUndefined();
}, 60_000);

test("status shows the members of the stack that is asked for, and all of them where the control plane is", async () => {
  const shown = async (stack: TestStack) => {
    const { plane, look } = await openPlane(await stack.outputs<Outputs>());
    const { members } = await look();
    plane.close();
    return members.map(({ name }) => name);
  };
  expect(await shown(team)).toEqual(["bandung", "jakarta"]);
  expect(await shown(platform)).toEqual(["bandung", "jakarta", "paris"]);
}, 60_000);

test("what only the stack of the deployment can have, and what it has already, is refused in the preview", async () => {
  const before = team.config;
  const wrong = [
    member("jakarta", "paris"),
    { name: "pretended", credentials: { kind: "simulated" } },
    { ...member("jakarta"), syncMode: "Pull" },
    { ...member("bandung"), syncMode: "Pull", agent: { kind: "beside" }, rotate: 1 },
  ];
  const text = await refusal(wrong);
  for (const line of [
    'members[0].name: got "paris", want another name, or let go of it there first (handOver): the stack of the deployment has a member of this name',
    'members[1].credentials: got kind "simulated", want a cluster: only the stack of the deployment simulates members',
    'members[2].agent.server: missing, want the address of the control plane as the member reaches it: with placement.kind "local" it listens on a loopback address only',
    'members[3].agent.kind: got "beside", want "inMember": only the stack of the deployment has a place beside it',
    "members[3].rotate: want team among the teams of the stack of the deployment before: programs of its control plane start again for a new token",
  ])
    expect(text).toContain(line);
  team.config = before;
}, 60_000);

test("a cluster of the other stack under another name, and the control plane itself, are refused", async () => {
  const before = team.config;
  const { kubeconfig } = await platform.outputs<Outputs>();
  const itself = { kind: "kubeconfigFile", path: programs.write("plane.kubeconfig", kubeconfig) };
  team.config = {
    ...before,
    members: [member("jakarta"), member("bandung"), member("paris", "lyon"), { name: "itself", credentials: itself }],
  };
  const { exitCode, text } = await team.pulumi(["up", "--yes", "--skip-preview", "--continue-on-error"]);
  expect(exitCode).not.toBe(0);
  expect(text).toMatch(/lyon: \S+ is registered already, as paris; a cluster joins once/);
  expect(text).toMatch(/itself: \S+ is this control plane itself; give the kubeconfig of the member cluster/);
  team.config = before;
  await team.up();
  expect(await ready()).toEqual(["bandung", "jakarta", "paris"]);
}, 120_000);

test("a member of one stack is refused in the preview of every other, and nothing is touched", async () => {
  const before = await registered("jakarta");
  expect(before[0]).toBe("members/team");
  const has = 'jakarta: the stack of members "team" declares it';
  expect(await refusal([member("jakarta")], others)).toContain(has);
  const run = await others.pulumi(["up", "--yes", "--skip-preview"]);
  expect([run.exitCode === 0, run.text]).toEqual([false, expect.stringContaining(has)]);
  expect(await refusal([member("paris"), member("jakarta")], platform)).toContain(has);
  platform.config = { ...platform.config, members: [member("paris")] };
  expect(await registered("jakarta")).toEqual(before);
  await team.successfully(["preview", "--refresh", "--expect-no-changes"]);
}, 120_000);

test("kubeconfigs that another project's stack gives out are what its members are joined with, a renewed one in the next preview", async () => {
  const before = team.config;
  const joined = await Promise.all([registered("jakarta"), registered("bandung")]);
  const from = (output: string, stack = "clusters/test") => ({ credentials: { kind: "stack", stack, output } });
  makers = await createProject("clusters", platform.backendUrl);
  const whole = parse(clusters.jakarta.kubeconfig) as { users: { user: Record<string, string> }[] };
  await makersGive({ jakarta: whole, secretBandung: clusters.bandung.kubeconfig, nodes: 3 });
  const wrong = [
    { name: "jakarta", ...from("jakrta") },
    { name: "bandung", ...from("nodes") },
    { name: "lyon", ...from("jakarta", "clusters/none") },
  ];
  const text = await refusal(wrong);
  for (const line of [
    'members[0].credentials.output: got "jakrta", but the stack clusters/test has no such output: did you mean "jakarta"? It has jakarta, nodes, secretBandung',
    "members[1].credentials.output: this is not a kubeconfig: it has no list of contexts",
    'members[2].credentials.stack: the stack organization/clusters/none cannot be read: unknown stack "organization/clusters/none"',
  ])
    expect(text).toContain(line);
  const members = [
    { name: "jakarta", ...from("jakarta") },
    { name: "bandung", ...from("secretBandung", "organization/clusters/test") },
  ];
  team.config = { ...before, members };
  await team.up();
  await team.up("--expect-no-changes");
  expect(await ready()).toEqual(["bandung", "jakarta", "paris"]);
  expect(await Promise.all([registered("jakarta"), registered("bandung")])).toEqual(joined);
  const renewed = parse(await clusters.jakarta.kubeconfigFor("renewed", "system:masters")) as typeof whole;
  await makersGive({ jakarta: renewed, secretBandung: clusters.bandung.kubeconfig });
  const { text: preview, exitCode } = await team.preview("--expect-no-changes");
  expect([exitCode === 0, preview]).toEqual([false, expect.stringMatching(/ClusterRegistration: \(update\)/)]);
  await team.up();
  await team.up("--expect-no-changes");
  const all = `${preview}${await team.state()}`;
  for (const { users } of [whole, renewed]) expect(all).not.toContain(users[0]!.user["client-key-data"]!.slice(-60));
  team.config = before;
  await team.up();
  expect(await Promise.all([registered("jakarta"), registered("bandung")])).toEqual(joined);
}, 300_000);

test("a stack whose state is lost goes on with its members, under whatever name of the stack", async () => {
  const before = await Promise.all([registered("jakarta"), registered("bandung")]);
  found = await platform.beside("found", { ...team.config, policies: [], name: "team" });
  await found.up();
  await found.up("--expect-no-changes");
  expect(await Promise.all([registered("jakarta"), registered("bandung")])).toEqual(before);
  await team.successfully(["preview", "--refresh", "--expect-no-changes"]);
}, 120_000);

describe("a deployment that serves the team", () => {
  /** The stack files of before. */
  let alone: TestStack["config"];
  let plain: TestStack["config"];
  beforeAll(() => {
    [alone, plain] = [platform.config, team.config];
  });
  const estimator = async (name: string) =>
    (await platform.processes()).find(
      ({ command }) => command.includes(`scheduler-estimator --`) && command.includes(name),
    );
  const tokens = async (name: (typeof names)[number]) => {
    const { items } = await clusters[name].client.get<{ items: Json[] }>("/api/v1/namespaces/karmada-cluster/secrets");
    return items.map(({ data }) => Buffer.from(data.token as string, "base64").toString());
  };
  /** How many of them jakarta lets in no more. */
  const refused = async (all: readonly string[]) => {
    const connection = parseKubeconfig(clusters.jakarta.kubeconfig);
    const at = await probeEndpoint(connection, {
      token: (await tokens("jakarta"))[0]!,
      ca: clusters.jakarta.authority.certificate,
    });
    return (await Promise.all(all.map((token) => refuses(at, token)))).filter(Boolean).length;
  };

  test("runs an estimator for each of its members, which the scheduler asks", async () => {
    platform.config = {
      ...alone,
      teams: ["team"],
      controlPlane: { "karmada-scheduler-estimator": { enabled: true } },
    };
    await platform.up();
    await team.up();
    await platform.up();
    await platform.up("--expect-no-changes");
    await team.up("--expect-no-changes");
    expect(
      (await kubectl.get("service", "-n", "karmada-system", "karmada-scheduler-estimator-jakarta")).spec,
    ).toMatchObject({ type: "ExternalName", externalName: "127.0.0.1" });
    const policy = {
      apiVersion: "policy.karmada.io/v1alpha1",
      kind: "PropagationPolicy",
      metadata: { name: "roomy", namespace: "default" },
      spec: {
        resourceSelectors: [{ apiVersion: "apps/v1", kind: "Deployment", name: "roomy" }],
        placement: {
          clusterAffinity: { clusterNames: ["paris", "jakarta", "bandung"] },
          replicaScheduling: {
            replicaSchedulingType: "Divided",
            replicaDivisionPreference: "Weighted",
            weightPreference: { dynamicWeight: "AvailableReplicas" },
          },
        },
      },
    };
    await kubectl(["create", "-f", "-"], JSON.stringify(policy));
    await kubectl(["create", "deployment", "roomy", "--image=none.invalid/none", "--replicas=6"]);
    for (const name of ["paris", "jakarta", "bandung"]) {
      const [, address] = /--metrics-bind-address=(\S+)/.exec((await estimator(name))!.command) ?? [];
      await eventually(
        async () => (await fetch(`http://${address}/metrics`)).text(),
        (text) => /estimating_request_total\{result="success",type="MaxAvailableReplicas"\} [1-9]/.test(text),
      );
    }
    await kubectl(["delete", "deployment/roomy", "propagationpolicy/roomy"]);
  }, 300_000);

  test("has programs start again when the team has replaced tokens, and only then the old ones are revoked", async () => {
    const before = await tokens("jakarta");
    expect(before).toHaveLength(3);
    team.config = { ...plain, members: [{ ...member("jakarta"), rotate: 1 }, member("bandung")] };
    const run = await team.up();
    expect(run.text).toContain("jakarta: has a new token; the one before is valid until the stack of the deployment");
    expect(await tokens("jakarta")).toHaveLength(6);
    expect(await refused(before)).toBe(0);
    await team.up("--expect-no-changes");
    const [estimating, holding] = [await estimator("jakarta"), await holder()];
    await platform.up();
    expect((await estimator("jakarta"))?.pid).not.toBe(estimating?.pid);
    expect((await holder())?.pid).not.toBe(holding?.pid);
    expect(await refused(before)).toBe(0);
    await team.up();
    expect(await tokens("jakarta")).toHaveLength(3);
    expect(await refused(before)).toBe(before.length);
    expect(await refused(await tokens("jakarta"))).toBe(0);
    expect(await ready()).toEqual(["bandung", "jakarta", "paris"]);
    await platform.up("--expect-no-changes");
    await team.up("--expect-no-changes");
  }, 300_000);

  test("and serves it no more leaves the members as they were", async () => {
    platform.config = alone;
    team.config = plain;
    await platform.up();
    expect(await estimator("jakarta")).toBeUndefined();
    await team.up();
    expect(await tokens("jakarta")).toHaveLength(2);
    expect(await ready()).toEqual(["bandung", "jakarta", "paris"]);
    await platform.up("--expect-no-changes");
    await team.up("--expect-no-changes");
  }, 240_000);

  const holder = async () =>
    (await platform.processes()).find(({ command }) => command.includes("karmada-controller-manager --"));
});

test("a member that is taken out of the list leaves; one that somebody else's policy needs does not", async () => {
  const policy = {
    apiVersion: "policy.karmada.io/v1alpha1",
    kind: "PropagationPolicy",
    metadata: { name: "others", namespace: "default" },
    spec: {
      resourceSelectors: [{ apiVersion: "v1", kind: "ConfigMap", name: "others" }],
      placement: { clusterAffinity: { clusterNames: ["bandung"] } },
    },
  };
  await kubectl(["create", "-f", "-"], JSON.stringify(policy));
  team.config = teamOf("jakarta");
  const run = await team.preview();
  expect(run.exitCode).not.toBe(0);
  expect(run.text).toContain("bandung cannot leave: PropagationPolicy default/others names no other cluster");
  team.config = { ...team.config, membersMayLeave: ["bandung"] };
  await team.up();
  expect(await ready()).toEqual(["jakarta", "paris"]);
  expect(await leftIn(clusters.bandung)).toBeUndefined();
  expect(await copyIn("bandung")).toBeUndefined();
}, 120_000);

test("a member goes over to another stack and back, and stays in Karmada with what runs there", async () => {
  const [, uid] = await registered("jakarta");
  team.config = { ...team.config, members: [{ ...member("jakarta"), handOver: true }] };
  await team.up();
  expect(await registered("jakarta")).toEqual([undefined, uid]);
  await team.up("--expect-no-changes");
  team.config = { ...team.config, members: [], policies: [] };
  await team.up();
  others.config = { ...others.config, members: [member("jakarta")], policies: tiles("jakarta") };
  await others.up();
  expect(await registered("jakarta")).toEqual(["members/others", uid]);
  expect(await ready()).toEqual(["jakarta", "paris"]);
  others.config = { ...others.config, members: [{ ...member("jakarta"), handOver: true }] };
  await others.up();
  await others.successfully(["destroy", "--yes", "--skip-preview"]);
  team.config = teamOf("jakarta");
  await team.up();
  expect(await registered("jakarta")).toEqual(["members/team", uid]);
  expect(await ready()).toEqual(["jakarta", "paris"]);
}, 240_000);

test("the team's stack goes, and leaves the control plane with the members of its own", async () => {
  await team.successfully(["destroy", "--yes", "--skip-preview"]);
  expect(await ready()).toEqual(["paris"]);
  expect(await kubectl.get("propagationpolicies", "tiles", "--ignore-not-found").catch(() => "gone")).toBe("gone");
  expect(await leftIn(clusters.jakarta)).toBeUndefined();
  expect(await leftIn(clusters.paris)).toBeDefined();
  await platform.up("--expect-no-changes");
}, 180_000);

describe("once the deployment is gone", () => {
  /** What the team's next preview says, and that it says it at once. */
  const told = async () => {
    const began = performance.now();
    const run = await team.preview();
    expect(run.exitCode).not.toBe(0);
    expect(performance.now() - began).toBeLessThan(30_000);
    return run.text;
  };

  test("the team is told so", async () => {
    await team.up();
    await platform.successfully(["destroy", "--yes", "--skip-preview"]);
    expect(await told()).toMatch(
      /deployment: the stack organization\/karmada\/test has no output joining\n\s*bring it up/,
    );
  }, 240_000);

  test("and with its stack too", async () => {
    await platform.forget();
    expect(await told()).toContain('unknown stack "organization/karmada/test"');
  }, 60_000);
});
