import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createAuthority } from "../../support/certificates.ts";
import type { Json, Kubectl } from "./kubectl.ts";

/** What a member measures, as metrics-server and an adapter of custom metrics would tell it. */
export interface MemberMetrics {
  /** Takes away what was put into the member. */
  remove(): Promise<void>;
}

const groups = ["metrics.k8s.io/v1beta1", "custom.metrics.k8s.io/v1beta2"] as const;
const timestamp = "2026-01-01T00:00:00Z";

/**
 * Puts a server of metrics behind a member's API server, with what its nodes use and what its pods are asked: simulated nodes
 * have no kubelet that could tell of either.
 * @param kubectl to the member
 * @param requests for the custom metric `requests` of the pod `web` in the namespace default
 */
export async function startMemberMetrics(kubectl: Kubectl, cpu: string, requests: number): Promise<MemberMetrics> {
  const { items } = await kubectl.get("nodes");
  const nodes = items.map(({ metadata }: Json) => metadata.name as string);
  const nodeMetrics = (name: string) => ({
    ...{ apiVersion: groups[0], kind: "NodeMetrics", metadata: { name } },
    ...{ timestamp, window: "10s", usage: { cpu, memory: "1Gi" } },
  });
  const answers: Record<string, object> = {
    [`/apis/${groups[0]}`]: resourceList(groups[0], { name: "nodes", namespaced: false, kind: "NodeMetrics" }),
    [`/apis/${groups[0]}/nodes`]: {
      ...{ apiVersion: groups[0], kind: "NodeMetricsList", metadata: {} },
      items: nodes.map(nodeMetrics),
    },
    [`/apis/${groups[1]}`]: resourceList(groups[1], {
      name: "pods/requests",
      namespaced: true,
      kind: "MetricValueList",
    }),
    [`/apis/${groups[1]}/namespaces/default/pods/web/requests`]: {
      ...{ apiVersion: groups[1], kind: "MetricValueList", metadata: {} },
      items: [
        {
          describedObject: { apiVersion: "v1", kind: "Pod", namespace: "default", name: "web" },
          ...{ metric: { name: "requests" }, timestamp, value: String(requests) },
        },
      ],
    },
  };
  const authority = await createAuthority("metrics");
  const { key, certificate: cert } = await authority.issue({ commonName: "metrics", hosts: ["metrics.default.svc"] });
  const server = createServer({ key, cert }, ({ url = "" }, response) => {
    const answer = answers[url.split("?")[0]!];
    response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(answer ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const objects = declared((server.address() as AddressInfo).port, authority.certificate);
  await kubectl(["apply", "-f", "-"], JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
  return {
    async remove() {
      await kubectl(["delete", "-f", "-"], JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
      server.close();
      server.closeAllConnections();
    },
  };
}

const resourceList = (groupVersion: string, resource: object) => ({
  ...{ apiVersion: "v1", kind: "APIResourceList", groupVersion },
  resources: [{ singularName: "", verbs: ["get", "list"], ...resource }],
});

/** What makes an API server pass both groups on to a port of this machine. */
function declared(port: number, authority: string): object[] {
  const service = { name: "metrics", namespace: "default" };
  return [
    { apiVersion: "v1", kind: "Service", metadata: service, spec: { type: "ExternalName", externalName: "127.0.0.1" } },
    ...groups.map((groupVersion) => {
      const [group, version] = groupVersion.split("/");
      return {
        apiVersion: "apiregistration.k8s.io/v1",
        kind: "APIService",
        metadata: { name: `${version}.${group}` },
        spec: {
          ...{ group, version, groupPriorityMinimum: 100, versionPriority: 100 },
          ...{ service: { ...service, port }, caBundle: Buffer.from(authority).toString("base64") },
        },
      };
    }),
  ];
}
