import { applyCrds } from "../../lib/kube/apply-crds.ts";
import { renderCrds } from "../../lib/kube/crds.ts";
import { deadlineIn, waitFor } from "../../lib/wait.ts";
import { createAuthority } from "./certificates.ts";
import { startCluster, type Cluster } from "./cluster.ts";
import type { EtcdCluster } from "./etcd.ts";
import { programPath } from "./programs.ts";
import type { Programs, Running } from "./running.ts";
import { webhooks } from "./karmada-webhooks.ts";

const system = "karmada-system";

export interface KarmadaPlane extends Cluster {
  readonly webhookUrl: string;
  /** karmada-controller-manager, which can be killed and started again, like the others. */
  controllerManager: Running;
  startControllerManager(): Promise<void>;
  webhook: Running;
  startWebhook(): Promise<void>;
  aggregatedApiserver: Running;
  startAggregatedApiserver(): Promise<void>;
}

/**
 * The least of a real Karmada control plane that joins clusters and propagates to them, on ports from `port` on (ten). All
 * its programs run as administrators.
 */
export async function startKarmadaPlane(programs: Programs, etcd: EtcdCluster, port: number): Promise<KarmadaPlane> {
  const frontProxy = await createAuthority("front-proxy");
  const proxy = await frontProxy.issue({ commonName: "front-proxy-client" });
  const write = (file: string, content: string) => programs.write(`karmada/${file}`, content);
  const plane = await startCluster(programs, etcd, {
    name: "karmada",
    port,
    controllers: "namespace,garbagecollector,serviceaccount-token,csrsigning",
    signs: true,
    flags: {
      "etcd-prefix": "/registry",
      "proxy-client-cert-file": write("proxy.crt", proxy.certificate),
      "proxy-client-key-file": write("proxy.key", proxy.key),
      "requestheader-client-ca-file": write("proxy-ca.crt", frontProxy.certificate),
      "requestheader-allowed-names": "front-proxy-client",
      "requestheader-extra-headers-prefix": "X-Remote-Extra-",
      "requestheader-group-headers": "X-Remote-Group",
      "requestheader-username-headers": "X-Remote-User",
    },
  });
  const { client, authority } = plane;
  const serving = await authority.issue({
    commonName: "karmada",
    hosts: ["127.0.0.1", "localhost", `karmada-aggregated-apiserver.${system}.svc`],
  });
  write("webhook/tls.crt", serving.certificate);
  write("webhook/tls.key", serving.key);
  const kubeconfig = write("admin.kubeconfig", plane.kubeconfig);
  const ports = { aggregated: port + 2, webhook: port + 3, metrics: port + 4, health: port + 5 };

  await Promise.all(
    [system, "karmada-cluster"].map((name) => client.apply(`/api/v1/namespaces/${name}`, namespace(name))),
  );
  const startWebhook = () =>
    programs.start("karmada-webhook", {
      kubeconfig,
      "bind-address": "127.0.0.1",
      "secure-port": ports.webhook,
      "cert-dir": `${programs.directory}/karmada/webhook`,
      "metrics-bind-address": `127.0.0.1:${ports.metrics}`,
      "health-probe-bind-address": `127.0.0.1:${ports.health}`,
      "allow-no-execute-taint-policy": true,
    });
  const startAggregatedApiserver = () =>
    programs.start("karmada-aggregated-apiserver", {
      kubeconfig,
      "authentication-kubeconfig": kubeconfig,
      "authorization-kubeconfig": kubeconfig,
      "bind-address": "127.0.0.1",
      "secure-port": ports.aggregated,
      "tls-cert-file": write("server.crt", serving.certificate),
      "tls-private-key-file": write("server.key", serving.key),
      "etcd-servers": etcd.endpoints.join(","),
      "etcd-cafile": etcd.files.ca,
      "etcd-certfile": etcd.files.certificate,
      "etcd-keyfile": etcd.files.key,
    });
  const [aggregatedApiserver, webhook] = await Promise.all([
    startAggregatedApiserver(),
    startWebhook(),
    applyDefinitions(plane, ports.webhook),
    applyAggregation(plane, ports.aggregated),
  ]);
  await waitFor("the aggregated API", deadlineIn(60), () => client.get("/apis/cluster.karmada.io/v1alpha1/clusters"));
  const startControllerManager = () =>
    programs.start("karmada-controller-manager", {
      kubeconfig,
      "metrics-bind-address": `127.0.0.1:${port + 6}`,
      "health-probe-bind-address": `127.0.0.1:${port + 7}`,
      "leader-elect": false,
      "cluster-status-update-frequency": "10s",
    });
  const [controllerManager] = await Promise.all([
    startControllerManager(),
    programs.start("karmada-scheduler", {
      kubeconfig,
      "metrics-bind-address": `127.0.0.1:${port + 8}`,
      "health-probe-bind-address": `127.0.0.1:${port + 9}`,
      "leader-elect": false,
    }),
    ...webhooks(`https://127.0.0.1:${ports.webhook}`, authority.certificate).map(({ path, body }) =>
      client.apply(path, body),
    ),
  ]);
  const karmada: KarmadaPlane = Object.assign(plane, {
    webhookUrl: `https://127.0.0.1:${ports.webhook}`,
    controllerManager,
    webhook,
    aggregatedApiserver,
    async startAggregatedApiserver() {
      karmada.aggregatedApiserver = await startAggregatedApiserver();
    },
    async startWebhook() {
      karmada.webhook = await startWebhook();
    },
    async startControllerManager() {
      karmada.controllerManager = await startControllerManager();
    },
  });
  return karmada;
}

const namespace = (name: string) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });

async function applyDefinitions({ client, authority }: Cluster, webhookPort: number): Promise<void> {
  const webhook = { url: `https://127.0.0.1:${webhookPort}/convert`, caBundle: authority.certificate };
  await applyCrds(client, await renderCrds(await programPath("karmada-crds"), webhook), deadlineIn(60));
}

async function applyAggregation({ client, authority }: Cluster, port: number): Promise<void> {
  const name = "karmada-aggregated-apiserver";
  await client.apply(`/api/v1/namespaces/${system}/services/${name}`, {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name, namespace: system },
    spec: { type: "ExternalName", externalName: "localhost" },
  });
  await client.apply("/apis/apiregistration.k8s.io/v1/apiservices/v1alpha1.cluster.karmada.io", {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: "v1alpha1.cluster.karmada.io" },
    spec: {
      group: "cluster.karmada.io",
      version: "v1alpha1",
      caBundle: Buffer.from(authority.certificate).toString("base64"),
      groupPriorityMinimum: 2000,
      versionPriority: 10,
      service: { name, namespace: system, port },
    },
  });
}
