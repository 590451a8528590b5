/** Members through the years: new credentials, policies beside them, and one that leaves. */
import { eventually, kubectlFor, type Json, type Kubectl, readyOf } from "./support/kubectl.ts";
import { TestStack } from "./support/stack.ts";

interface Outputs {
  kubeconfig: string;
  members: { name: string; ready: boolean; credentialSince: string }[];
}

const basePort = 28600;
const simulated = (name: string, more: object = {}) => ({ name, credentials: { kind: "simulated" }, ...more });
const configMaps = { apiVersion: "v1", kind: "ConfigMap", name: "shared" };

let stack: TestStack;
let kubectl: Kubectl;
let removeKubeconfig: () => Promise<void>;

beforeAll(async () => {
  stack = await TestStack.create(
    {
      etcd: { kind: "managed", members: 1 },
      controlPlane: { "karmada-scheduler-estimator": { enabled: true } },
      members: [simulated("paris"), simulated("oslo", { syncMode: "Pull" })],
      policies: [
        {
          kind: "PropagationPolicy",
          name: "shared",
          resourceSelectors: [configMaps],
          placement: { clusterAffinity: { clusterNames: ["paris", "oslo"] } },
          spec: { priority: 3 },
        },
        {
          kind: "OverridePolicy",
          name: "shared",
          resourceSelectors: [configMaps],
          overrideRules: [
            {
              targetCluster: { clusterNames: ["oslo"] },
              overriders: { labelsOverrider: [{ operator: "add", value: { where: "oslo" } }] },
            },
          ],
        },
        { kind: "FederatedResourceQuota", name: "all", overall: { cpu: "10" } },
      ],
    },
    basePort,
  );
  await stack.up();
  ({ kubectl, remove: removeKubeconfig } = await kubectlFor((await stack.outputs<Outputs>()).kubeconfig));
}, 300_000);

afterAll(async () => {
  await removeKubeconfig?.();
  await stack?.remove();
}, 180_000);

const pidOf = async (name: string) =>
  (await stack.processes()).find(({ command }) => command.includes(`/${name}/`) && command.includes("karmada-"))?.pid;

const shared = async () => {
  const { spec } = await kubectl.get("resourcebindings.work.karmada.io", "shared-configmap");
  return (spec.clusters as { name: string }[]).map(({ name }) => name).sort();
};

test("policies of the stack file are there as declared, work, and are no difference afterwards", async () => {
  await kubectl(["create", "configmap", "shared", "--from-literal=a=1"]);
  await eventually(shared, (names) => names.join() === "oslo,paris");
  expect((await kubectl.get("propagationpolicies", "shared")).spec).toMatchObject({ priority: 3 });
  const works = await eventually(
    () => kubectl.get("works", "-A"),
    ({ items }) => JSON.stringify(items).includes('"where":"oslo"'),
  );
  const inOslo = works.items.filter((work: Json) => JSON.stringify(work.spec).includes('"where":"oslo"'));
  expect(inOslo.map(({ metadata }: Json) => metadata.namespace)).toEqual(["karmada-es-oslo"]);
  await stack.up("--expect-no-changes");
  await stack.refresh("--expect-no-changes");
}, 300_000);

test("a word gives every member new credentials, and whoever had read the old ones starts again", async () => {
  const before = await stack.outputs<Outputs>();
  const programs = ["karmada-controller-manager", "oslo-karmada-agent", "paris-karmada-scheduler-estimator"];
  const pids = await Promise.all(programs.map(pidOf));
  expect(pids).not.toContain(undefined);
  stack.config["members"] = [
    simulated("paris", { rotate: "2026-11" }),
    simulated("oslo", { rotate: "2026-11", syncMode: "Pull" }),
  ];
  const preview = await stack.preview();
  expect(preview.text).toContain("rotate is 2026-11, was not set");
  const begin = performance.now();
  await stack.up();
  console.log(`two members have new credentials after ${((performance.now() - begin) / 1000).toFixed(1)} s`);
  const after = await stack.outputs<Outputs>();
  expect(after.members.map(({ ready }) => ready)).toEqual([true, true]);
  after.members.forEach(({ credentialSince }, i) =>
    expect(Date.parse(credentialSince)).toBeGreaterThan(Date.parse(before.members[i]!.credentialSince)),
  );
  const now = await Promise.all(programs.map(pidOf));
  now.forEach((pid, i) => expect([programs[i], pid]).not.toEqual([programs[i], pids[i]]));
  const { items } = await kubectl.get("clusters");
  expect(items.map(readyOf)).toEqual(["True", "True"]);
  await stack.up("--expect-no-changes");
  await stack.refresh("--expect-no-changes");
}, 300_000);

test("a member may not leave while a policy of others names no other cluster, until that is allowed", async () => {
  const theirs = {
    apiVersion: "policy.karmada.io/v1alpha1",
    kind: "PropagationPolicy",
    metadata: { name: "theirs", namespace: "default" },
    spec: {
      resourceSelectors: [{ apiVersion: "v1", kind: "ConfigMap", name: "theirs" }],
      placement: { clusterAffinity: { clusterNames: ["oslo"] } },
    },
  };
  await kubectl(["create", "-f", "-"], JSON.stringify(theirs));
  stack.config["members"] = [simulated("paris", { rotate: "2026-11" })];
  stack.config["policies"] = [];
  const sentence = "oslo cannot leave: PropagationPolicy default/theirs names no other cluster";
  for (const args of [["preview"], ["up", "--yes", "--skip-preview", "--continue-on-error"]]) {
    const run = await stack.pulumi(args);
    expect([run.exitCode === 0, run.text.includes(sentence)]).toEqual([false, true]);
  }
  expect((await kubectl.get("clusters")).items).toHaveLength(2);
  stack.config["membersMayLeave"] = ["oslo"];
  await stack.up();
  expect((await kubectl.get("clusters")).items.map(({ metadata }: Json) => metadata.name)).toEqual(["paris"]);
  expect((await kubectl.get("overridepolicies")).items).toEqual([]);
}, 300_000);
