import type { KubeClient, KubeObject } from "../../lib/kube/client.ts";

const apps = "/apis/apps/v1/namespaces/default";
const pods = "/api/v1/namespaces/default/pods";
const spec = { containers: [{ name: "kube-apiserver", image: "registry.invalid/kube-apiserver" }] };

/**
 * A Deployment whose rollout is complete, as its controller leaves it: of its second template, with a pod of each, on nodes
 * without a kubelet.
 *
 * @returns ends the pod of the first template; its node reports nothing until `report`
 */
export async function rolledOut(cluster: KubeClient, instance: string) {
  const labels = { "app.kubernetes.io/instance": instance };
  const annotations = (revision: string) => ({ "deployment.kubernetes.io/revision": revision });
  const hashed = (template: string) => ({ ...labels, "pod-template-hash": template });
  const deployment = `${apps}/deployments/${instance}`;
  await cluster.create(`${apps}/deployments`, {
    metadata: { name: instance, labels, annotations: annotations("2") },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  });
  const counts = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
  await cluster.merge(`${deployment}/status`, { status: { ...counts, observedGeneration: 1 } });
  for (const [i, template] of ["first", "second"].entries()) {
    const matchLabels = hashed(template);
    const metadata = { name: `${instance}-${template}`, labels: matchLabels, annotations: annotations(String(i + 1)) };
    await cluster.create(`${apps}/replicasets`, {
      metadata,
      spec: { replicas: i, selector: { matchLabels }, template: { metadata: { labels: matchLabels }, spec } },
    });
    await cluster.create(pods, {
      metadata: { name: `${instance}-${template}`, labels: matchLabels },
      spec: { ...spec, nodeName: `node-${i + 1}` },
    });
  }
  const former = `${pods}/${instance}-first`;
  return {
    /** Tells it to end, as the Deployment's controller does. */
    tell: () => cluster.request<KubeObject>("DELETE", former, { body: { gracePeriodSeconds: 14 } }),
    /** As its kubelet would. */
    report: () => cluster.request("DELETE", former, { body: { gracePeriodSeconds: 0 } }),
    /** Its programs end, and it stays as a record, as an evicted one does. */
    evict: () => cluster.merge(`${former}/status`, { status: { phase: "Failed" } }),
    /** Another template, which its controller has not seen yet. */
    edit: () => cluster.merge(deployment, { spec: { template: { metadata: { annotations: { edited: "true" } } } } }),
  };
}
