import type { KubeClient } from "../../../lib/kube/client.ts";

/** Adds a node with room for work to a cluster; nothing runs there, so that it counts as lost after a minute. */
export async function addNode(cluster: KubeClient, name: string, labels: Readonly<Record<string, string>>) {
  const path = `/api/v1/nodes/${name}`;
  const node = { apiVersion: "v1", kind: "Node", metadata: { name, labels } };
  await cluster.apply(path, node);
  const room = { cpu: "8", memory: "16Gi", pods: "110" };
  const now = new Date().toISOString();
  const ready = { type: "Ready", status: "True", lastHeartbeatTime: now, lastTransitionTime: now, reason: "Test" };
  await cluster.apply(`${path}/status`, {
    ...node,
    status: { capacity: room, allocatable: room, conditions: [ready] },
  });
}

/** A Deployment for nodes with these labels, be they lost or not. */
export function needing(name: string, replicas: number, nodeSelector: Readonly<Record<string, string>>) {
  const labels = { app: name };
  const container = { name, image: "web", resources: { requests: { cpu: "100m" } } };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "default" },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { nodeSelector, tolerations: [{ operator: "Exists" }], containers: [container] },
      },
    },
  };
}
