/** The log of a member in a pod, of a real API server with a stand-in for the kubelet. */
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { KubernetesEtcdRuntime } from "../../../../lib/etcd/runtime/kubernetes.ts";
import { connect } from "../../../../lib/kube/client.ts";
import { startApiServer, type ApiServer } from "../../../support/api-server.ts";
import { createAuthority } from "../../../support/certificates.ts";

let server: ApiServer;
let kubelet: Server;
const logs: Record<string, string> = {
  "/containerLogs/default/etcd-0-0/etcd": `{"level":"fatal","msg":"couldn't find local name \\"etcd-0\\""}\n`,
  "/containerLogs/default/etcd-0-0/proxy": "of the proxy\n",
};

beforeAll(async () => {
  const { certificate: cert, key } = await (await createAuthority("node")).issue({ commonName: "node" });
  kubelet = createServer({ cert, key }, ({ url = "" }, response) => {
    const text = logs[new URL(url, "https://node").pathname];
    response.writeHead(text === undefined ? 404 : 200, { "content-type": "text/plain" }).end(text);
  });
  await new Promise<void>((resolve) => kubelet.listen(0, "127.0.0.1", resolve));
  server = await startApiServer({ flags: { "kubelet-preferred-address-types": "InternalIP" } });
}, 120_000);
afterAll(async () => {
  await server?.stop();
  kubelet?.closeAllConnections();
  kubelet?.close();
});

test("is that of etcd where something else was put into its pod", async () => {
  const client = await connect(server.kubeconfig);
  const { port: Port } = kubelet.address() as AddressInfo;
  await client.create("/api/v1/nodes", { metadata: { name: "node1" } });
  await client.merge("/api/v1/nodes/node1/status", {
    status: {
      addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
      daemonEndpoints: { kubeletEndpoint: { Port } },
    },
  });
  await client.create("/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
  const containers = ["proxy", "etcd"].map((name) => ({ name, image: "none" }));
  await client.create("/api/v1/namespaces/default/pods", {
    metadata: { name: "etcd-0-0" },
    spec: { nodeName: "node1", containers },
  });
  const { kubeconfig } = server;
  const runtime = new KubernetesEtcdRuntime({ kind: "kubernetes", kubeconfig, namespace: "default" });
  expect(await runtime.log("etcd-0")).toBe(
    `{"level":"fatal","msg":"couldn't find local name \\"etcd-0\\""}\netcd-0: its volume has no data any more`,
  );
}, 60_000);
