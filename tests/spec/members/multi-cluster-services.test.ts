import { context, problemsOf, simulated } from "../configuration.ts";

const on = { featureGates: { MultiClusterService: true } };

/** What is wrong with an addon that has a MultiClusterService of this `spec`. */
function problemsWith(spec: object, more: object): string[] {
  const service = {
    apiVersion: "networking.karmada.io/v1alpha1",
    kind: "MultiClusterService",
    metadata: { name: "web" },
  };
  const addons = [{ name: "web", source: { kind: "manifest", file: "web.json" }, target: { kind: "controlPlane" } }];
  const files = { "web.json": { text: JSON.stringify({ ...service, spec }) } };
  return problemsOf({ addons, ...more }, { ...context, files });
}

test("a Service across clusters needs the feature gate that Karmada has off", () => {
  const across = { types: ["CrossCluster"] };
  const why = "want true: the addon web has a MultiClusterService";
  const members = [simulated("paris"), simulated("oslo", { syncMode: "Pull" })];
  const gate = "controlPlane.karmada-controller-manager.featureGates.MultiClusterService";
  const off = { "karmada-controller-manager": { featureGates: { MultiClusterService: false } } };
  expect(problemsWith(across, {})).toEqual([`${gate}: missing, ${why}`]);
  expect(problemsWith(across, { controlPlane: off })).toEqual([`${gate}: got false, ${why}`]);
  expect(problemsWith(across, { controlPlane: { "karmada-controller-manager": on } })).toEqual([]);
  expect(problemsWith(across, { controlPlane: { "karmada-controller-manager": on }, members })).toEqual([
    `controlPlane.karmada-agent.featureGates.MultiClusterService: missing, ${why}, and oslo is in Pull mode`,
  ]);
});

test("an agent needs it only where pods of its member are asked for", () => {
  const controlPlane = { "karmada-controller-manager": on };
  const members = [simulated("paris"), simulated("oslo", { syncMode: "Pull" })];
  const providers = (name: string) => ({ types: ["CrossCluster"], providerClusters: [{ name }] });
  expect(problemsWith(providers("paris"), { controlPlane, members })).toEqual([]);
  expect(problemsWith(providers("oslo"), { controlPlane, members })).toHaveLength(1);
  expect(problemsWith(providers("oslo"), { controlPlane: { ...controlPlane, "karmada-agent": on }, members })).toEqual(
    [],
  );
});

test("one that only opens a load balancer needs none", () => {
  expect(problemsWith({ types: ["LoadBalancer"] }, {})).toEqual([]);
});
