import { setTimeout as sleep } from "node:timers/promises";
import { fence, fencedFrom, unfence } from "../../../lib/adoption/fence.ts";
import type { KubeObject } from "../../../lib/kube/client.ts";
import { FakeHost } from "./fake-host.ts";
import { type Installer, karmadactl, operator, workloadsOf } from "./installers.ts";

const namespace = "karmada-system";

function hostOf(installer: Installer, more: Readonly<Record<string, KubeObject>> = {}): FakeHost {
  const { deployments, statefulsets } = workloadsOf(installer);
  const apps = `/apis/apps/v1/namespaces/${namespace}`;
  const { apiserver } = installer.names;
  return new FakeHost({
    ...Object.fromEntries(deployments.map((each) => [`${apps}/deployments/${each.metadata?.name}`, each])),
    ...Object.fromEntries(statefulsets.map((each) => [`${apps}/statefulsets/${each.metadata?.name}`, each])),
    [`/api/v1/namespaces/${namespace}/services/${apiserver}`]: {
      metadata: { name: apiserver },
      spec: {
        type: "NodePort",
        selector: { app: apiserver },
        ports: [{ name: "server", port: 5443, nodePort: 32443 }],
      },
    },
    ...more,
  });
}

const specs = ({ objects }: FakeHost) =>
  Object.fromEntries(
    [...objects].map(([path, { spec, metadata }]) => [path, { spec, metadata: { ...metadata, annotations: {} } }]),
  );

test("all programs but etcd end, and the NodePort is let go of; the way back leaves no trace", async () => {
  const host = hostOf(karmadactl);
  const before = specs(host);
  expect(await fence(host.client, namespace)).toEqual([
    "kube-controller-manager: 1 → 0",
    "karmada-controller-manager: 1 → 0",
    "karmada-apiserver: 1 → 0",
    "Service karmada-apiserver: lets go of NodePort 32443",
  ]);
  const service = host.objects.get(`/api/v1/namespaces/${namespace}/services/karmada-apiserver`);
  expect(service?.["spec"]).toMatchObject({ type: "ClusterIP", ports: [{ name: "server", port: 5443 }] });
  expect(host.objects.get(`/apis/apps/v1/namespaces/${namespace}/statefulsets/etcd`)?.["spec"].replicas).toBe(1);
  expect(await fence(host.client, namespace)).toEqual([]);
  expect(await unfence(host.client, namespace)).toEqual([
    "Service karmada-apiserver: NodePort 32443",
    "karmada-apiserver: 0 → 1",
    "kube-controller-manager: 0 → 1",
    "karmada-controller-manager: 0 → 1",
  ]);
  expect(specs(host)).toEqual(before);
  for (const { metadata } of host.objects.values())
    expect(metadata?.annotations ?? {}).not.toHaveProperty([fencedFrom]);
  expect(await unfence(host.client, namespace)).toEqual([]);
});

test("a pod that is just ending counts as running: it may still write", async () => {
  const host = hostOf(karmadactl);
  const pod = `/api/v1/namespaces/${namespace}/pods/karmada-apiserver-0`;
  const metadata = { name: "karmada-apiserver-0", deletionTimestamp: "2026-11-24T00:00:00Z" };
  host.objects.set(pod, { metadata, status: { phase: "Running" } });
  host.objects.set(`${pod}-evicted`, { metadata: { name: "evicted" }, status: { phase: "Failed" } });
  let isOver = false;
  const fenced = fence(host.client, namespace).then(() => (isOver = true));
  await sleep(300);
  expect(isOver).toBe(false);
  host.objects.delete(pod);
  await fenced;
});

test("a NodePort comes back with what belonged to it", async () => {
  const host = hostOf(karmadactl);
  const path = `/api/v1/namespaces/${namespace}/services/karmada-apiserver`;
  const { spec, ...service } = host.objects.get(path)!;
  host.objects.set(path, { ...service, spec: { ...spec, externalTrafficPolicy: "Local" } });
  await fence(host.client, namespace);
  // An API server drops it with the type.
  const { externalTrafficPolicy: _, ...without } = host.objects.get(path)!["spec"] as Record<string, unknown>;
  host.objects.set(path, { ...host.objects.get(path), spec: without });
  await unfence(host.client, namespace);
  expect(host.objects.get(path)?.["spec"]).toMatchObject({ type: "NodePort", externalTrafficPolicy: "Local" });
});

test("there is no way back where no Karmada is", async () => {
  await expect(unfence(new FakeHost({}).client, "karmada-sytem")).rejects.toThrow(
    "namespace karmada-sytem of https://host:6443: no program of a Karmada is there, name its namespace with --namespace",
  );
});

test("what an operator would start again is not ended while the operator runs", async () => {
  const path = "/apis/apps/v1/namespaces/operators/deployments/karmada-operator";
  const containers = [{ image: "docker.io/karmada/karmada-operator:v1.18.2" }];
  const running = {
    metadata: { name: "karmada-operator", namespace: "operators" },
    spec: { replicas: 1, template: { spec: { containers } } },
  };
  const host = hostOf(operator, { [path]: running });
  await expect(fence(host.client, namespace)).rejects.toThrow(
    "operators/karmada-operator: karmada-operator runs, and would start again what is ended: kubectl --namespace operators scale deployment karmada-operator --replicas=0",
  );
  host.objects.set(path, { ...running, spec: { ...running.spec, replicas: 0 } });
  expect(await fence(host.client, namespace)).toHaveLength(4);
});
