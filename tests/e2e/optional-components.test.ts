/** What karmada-search, karmada-metrics-adapter and karmada-descheduler do for who calls them, or needs them. */
import { eventually, Kubectls, type Json, type Kubectl } from "./support/kubectl.ts";
import { startMemberMetrics } from "./support/member-metrics.ts";
import { TestStack } from "./support/stack.ts";

interface Outputs {
  kubeconfig: string;
  simulatedKubeconfigs: Record<string, string>;
}

const simulated = (name: string, syncMode = "Push") => ({ name, syncMode, credentials: { kind: "simulated" } });
const names = ["paris", "rome", "oslo"];

const kubectls = new Kubectls();
const members = new Map<string, Kubectl>();
let stack: TestStack;
let kubectl: Kubectl;

beforeAll(async () => {
  stack = await TestStack.create(
    {
      etcd: { kind: "managed", members: 1 },
      members: [simulated("paris"), simulated("rome"), simulated("oslo", "Pull")],
      controlPlane: {
        "karmada-search": { enabled: true },
        "karmada-metrics-adapter": { enabled: true },
        "karmada-scheduler-estimator": { enabled: true },
        "karmada-descheduler": {
          enabled: true,
          extraArgs: { "descheduling-interval": "2s", "unschedulable-threshold": "3s" },
        },
      },
    },
    23000,
  );
  await stack.up();
  const { kubeconfig, simulatedKubeconfigs } = await stack.outputs<Outputs>();
  kubectl = await kubectls.to(kubeconfig);
  for (const name of names) members.set(name, await kubectls.to(simulatedKubeconfigs[name]!));
}, 300_000);

afterAll(async () => {
  await kubectls.remove();
  await stack?.remove();
}, 180_000);

const ask = async (path: string) => JSON.parse(await kubectl(["get", "--raw", `/apis/${path}`])) as Json;

test("karmada-search answers from its cache with what the members of a ResourceRegistry have, and with no more", async () => {
  const registry = {
    apiVersion: "search.karmada.io/v1alpha1",
    kind: "ResourceRegistry",
    metadata: { name: "configmaps" },
    spec: {
      targetCluster: { clusterNames: ["paris", "oslo"] },
      resourceSelectors: [{ apiVersion: "v1", kind: "ConfigMap" }],
    },
  };
  const own = "only-there";
  for (const each of members.values()) await each(["create", "configmap", own]);
  await kubectl(["create", "-f", "-"], JSON.stringify(registry));
  const cached = async () => {
    const { items } = await ask("search.karmada.io/v1alpha1/search/cache/api/v1/namespaces/default/configmaps");
    return ((items ?? []) as Json[])
      .filter(({ metadata }) => metadata.name === own)
      .map(({ metadata }) => metadata.annotations["resource.karmada.io/cached-from-cluster"] as string)
      .sort();
  };
  await eventually(cached, (found) => found.join() === "oslo,paris");
  await members.get("paris")!(["delete", "configmap", own]);
  await eventually(cached, (found) => found.join() === "oslo");
  const proxied = () =>
    ask(`search.karmada.io/v1alpha1/proxying/karmada/proxy/api/v1/namespaces/default/configmaps/${own}`);
  await eventually(proxied, ({ metadata }) => metadata.name === own);
  await kubectl(["delete", "resourceregistry", "configmaps"]);
  await eventually(cached, (found) => found.length === 0);

  // What no ResourceRegistry covers is what Karmada has itself.
  await kubectl(["create", "configmap", "of-karmada"]);
  const through = (path: string) => ask(`search.karmada.io/v1alpha1/proxying/karmada/proxy/${path}`);
  const listed = await eventually(
    () => through("api/v1/namespaces/default/configmaps"),
    ({ items }) => !(items as Json[]).some(({ metadata }) => metadata.name === own),
  );
  expect((listed.items as Json[]).map(({ metadata }) => metadata.name)).toContain("of-karmada");
  expect((await through("api/v1/nodes")).items).toEqual([]);
}, 120_000);

test("karmada-metrics-adapter tells what members measure, of Push and Pull alike, and adds up what has one name", async () => {
  const measured = [
    await startMemberMetrics(members.get("paris")!, "250m", 3),
    await startMemberMetrics(members.get("oslo")!, "500m", 4),
  ];
  try {
    const nodes = async () => {
      const { items } = await ask("metrics.k8s.io/v1beta1/nodes");
      const from = ({ metadata }: Json) => metadata.annotations["resource.karmada.io/query-from-cluster"] as string;
      return (items as Json[]).map((item) => `${from(item)} ${item.usage.cpu}`).sort();
    };
    const found = await eventually(nodes, (all) => all.length === 4, 60);
    expect(found).toEqual(["oslo 500m", "oslo 500m", "paris 250m", "paris 250m"]);
    for (const version of ["v1beta1", "v1beta2"]) {
      const path = `custom.metrics.k8s.io/${version}/namespaces/default/pods/web/requests`;
      const { items } = await eventually(
        () => ask(path),
        ({ items }) => items.length === 1 && items[0].value === "7",
        60,
      );
      expect(items[0].describedObject).toMatchObject({ kind: "Pod", name: "web", namespace: "default" });
    }
  } finally {
    for (const each of measured) await each.remove();
  }
}, 180_000);

test("karmada-descheduler takes from a member what it has no room for any more, and it runs in the others", async () => {
  const paris = members.get("paris")!;
  const { items } = await paris.get("nodes");
  const nodes = items.map(({ metadata }: Json) => metadata.name as string);
  await kubectl(["create", "deployment", "moving", "--image=flomesh/pipy", "--replicas=6"]);
  await kubectl(["create", "-f", "-"], JSON.stringify(byRoom("moving")));
  const places = async () => {
    const { spec } = await kubectl.get("resourcebinding", "moving-deployment");
    return ((spec.clusters ?? []) as { name: string; replicas: number }[]).filter(({ replicas }) => replicas > 0);
  };
  const ready = async () => (await kubectl.get("deployment", "moving")).status.readyReplicas as number;
  await eventually(ready, (count) => count === 6, 60);
  expect((await places()).map(({ name }) => name)).toContain("paris");
  await paris(["taint", "nodes", ...nodes, "full=true:NoSchedule"]);
  await paris(["delete", "pods", "-l", "app=moving", "--wait=false"]);
  const now = await eventually(
    places,
    (all) => all.every(({ name }) => name !== "paris") && all.reduce((sum, each) => sum + each.replicas, 0) === 6,
    60,
  );
  expect(now.map(({ name }) => name).sort()).toEqual(["oslo", "rome"]);
  await eventually(ready, (count) => count === 6, 60);
}, 240_000);

/** A policy that divides a Deployment by what members have room for. */
const byRoom = (name: string) => ({
  apiVersion: "policy.karmada.io/v1alpha1",
  kind: "PropagationPolicy",
  metadata: { name, namespace: "default" },
  spec: {
    resourceSelectors: [{ apiVersion: "apps/v1", kind: "Deployment", name }],
    placement: {
      replicaScheduling: {
        replicaSchedulingType: "Divided",
        replicaDivisionPreference: "Weighted",
        weightPreference: { dynamicWeight: "AvailableReplicas" },
      },
    },
  },
});
