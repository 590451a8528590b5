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
