/** When the kinds that have no pods of their own, or are known by one field, count as ready. */
import { setTimeout as sleep } from "node:timers/promises";
import { accessOf } from "../../../toolchain/plugins/kubernetes/access.ts";
import { ApiClient } from "../../../toolchain/plugins/kubernetes/api-client.ts";
import { loadKubeconfig } from "../../../toolchain/plugins/kubernetes/kubeconfig.ts";
import { Throttle } from "../../../toolchain/plugins/kubernetes/throttle.ts";
import type { Properties } from "../../../toolchain/plugins/server/index.ts";
import { failure, object, setUp, type Setup } from "./support.ts";

const CLAIM = "kubernetes:core/v1:PersistentVolumeClaim";
const VOLUME = "kubernetes:core/v1:PersistentVolume";
const CONTROLLER = "kubernetes:core/v1:ReplicationController";
const QUOTA = "kubernetes:core/v1:ResourceQuota";
const SECRET = "kubernetes:core/v1:Secret";
const ACCOUNT = "kubernetes:core/v1:ServiceAccount";
const SERVICE = "kubernetes:core/v1:Service";
const POD = "kubernetes:core/v1:Pod";
const INGRESS = "kubernetes:networking.k8s.io/v1:Ingress";
const CLASS = "kubernetes:storage.k8s.io/v1:StorageClass";

let setup: Setup;
let api: ApiClient;
beforeAll(async () => {
  setup = await setUp({}, { pods: true });
  const throttle = new Throttle({ perSecond: -1, burst: 0 });
  api = new ApiClient(await accessOf(loadKubeconfig(setup.kubeconfig), {}), { throttle });
  await setup.plugin.up("kubernetes:core/v1:Node", { apiVersion: "v1", kind: "Node", metadata: { name: "node" } });
}, 180_000);
afterAll(async () => {
  api?.close();
  await setup?.stop();
});

const shown = () => setup.plugin.messages.filter(({ status }) => status).map(({ text }) => text);
const withoutMark = (text: string) => text.replace(/^✅ /, "");

/** What a controller that is none of Kubernetes' own would write. */
const patchStatus = (path: string, status: object) =>
  api.request(`${path}/status`, {
    method: "PATCH",
    body: { status },
    contentType: "application/merge-patch+json",
  });

const access = { accessModes: ["ReadWriteOnce"] };
const volume = (name: string, storageClassName: string) => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name },
  spec: { ...access, storageClassName, capacity: { storage: "1Gi" }, hostPath: { path: "/nowhere" } },
});
const claim = (name: string, storageClassName: string, spec: Properties = {}) =>
  object("v1", "PersistentVolumeClaim", name, {
    spec: { ...access, storageClassName, resources: { requests: { storage: "1Gi" } }, ...spec },
  });

test("a volume is ready when it is available, a claim when it is bound", async () => {
  const { outputs } = await setup.plugin.up(VOLUME, volume("free", "by-hand"), { timeout: 60 });
  expect(outputs["status"]).toMatchObject({ phase: "Available" });
  expect(shown().map(withoutMark)).toContain("PV marked available");
  const bound = await setup.plugin.up(CLAIM, claim("bound", "by-hand", { volumeName: "free" }), { timeout: 60 });
  expect(bound.outputs["status"]).toMatchObject({ phase: "Bound" });
  const labelled = { ...bound.inputs, metadata: { ...(bound.inputs["metadata"] as object), labels: { a: "1" } } };
  expect(await setup.plugin.update(CLAIM, bound, labelled)).toMatchObject({ status: { phase: "Bound" } });
});

test("a claim of a class that waits for the first pod is ready while it is pending", async () => {
  await setup.plugin.up(CLASS, {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "later" },
    provisioner: "example.com/nobody",
    volumeBindingMode: "WaitForFirstConsumer",
  });
  const { outputs } = await setup.plugin.up(CLAIM, claim("pending", "later"), { timeout: 60 });
  expect(outputs["status"]).toMatchObject({ phase: "Pending" });
});

test("a quota is ready when it is in force", async () => {
  const quota = object("v1", "ResourceQuota", "quota", { spec: { hard: { "count/secrets": "50", pods: "50" } } });
  const { outputs } = await setup.plugin.up(QUOTA, quota, { timeout: 60 });
  expect(outputs["status"]).toMatchObject({ hard: { "count/secrets": "50", pods: "50" } });
});

const tokenOf = (account: string) =>
  object(
    "v1",
    "Secret",
    `${account}-token`,
    { type: "kubernetes.io/service-account-token" },
    { annotations: { "kubernetes.io/service-account.name": account } },
  );

test("the token of a service account is ready when it is filled in", async () => {
  await setup.plugin.up(ACCOUNT, object("v1", "ServiceAccount", "robot", {}));
  const { outputs } = await setup.plugin.up(SECRET, tokenOf("robot"));
  const { value } = outputs["data"] as { value: object };
  expect(Object.keys(value).toSorted()).toEqual(["ca.crt", "namespace", "token"]);
});

test("the token of an account that is not there fails by name, taken away by the server or not", async () => {
  await expect(setup.plugin.up(SECRET, tokenOf("nobody"))).rejects.toThrow(
    /secrets "nobody-token" not found$|Timeout occurred polling for 'nobody-token'$/,
  );
});

const pods = (app: string) => ({
  template: { metadata: { labels: { app } }, spec: { containers: [{ name: "app", image: "example.com/app" }] } },
});

test("a replication controller is ready when its pods are available", async () => {
  const spec = { replicas: 1, selector: { app: "replicated" }, ...pods("replicated") };
  const inputs = object("v1", "ReplicationController", "replicated", { spec });
  const { outputs } = await setup.plugin.up(CONTROLLER, inputs, { timeout: 60 });
  expect(outputs["status"]).toMatchObject({ availableReplicas: 1 });
});

const service = (name: string, spec: Properties) => object("v1", "Service", name, { spec });

test("a service is ready when it has the endpoints of its pods, and they have settled", async () => {
  await setup.plugin.up(POD, object("v1", "Pod", "served", pods("served").template, { labels: { app: "served" } }));
  const started = performance.now();
  const inputs = service("served", { selector: { app: "served" }, ports: [{ port: 80 }] });
  const { outputs } = await setup.plugin.up(SERVICE, inputs, { timeout: 60 });
  expect(outputs["spec"]).toMatchObject({ clusterIP: expect.stringMatching(/^10\.96\./) });
  expect(performance.now() - started).toBeGreaterThan(9_000);
  expect(shown().map(withoutMark)).toContain("Service initialization complete");
}, 60_000);

test("a load balancer is ready when it has an address", async () => {
  const inputs = service("balanced", { type: "LoadBalancer", ports: [{ port: 80 }] });
  const waiting = setup.plugin.up(SERVICE, inputs, { timeout: 60 });
  const path = "/api/v1/namespaces/default/services/balanced";
  await until(() => patchStatus(path, { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } }));
  expect((await waiting).outputs["status"]).toMatchObject({ loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } });
});

const ingress = (name: string, to: string) =>
  object("networking.k8s.io/v1", "Ingress", name, {
    spec: {
      rules: [
        {
          host: "example.com",
          http: {
            paths: [{ path: "/a", pathType: "Prefix", backend: { service: { name: to, port: { number: 80 } } } }],
          },
        },
      ],
    },
  });

test("an ingress is ready when its services have endpoints and it has an address", async () => {
  const waiting = setup.plugin.up(INGRESS, ingress("reached", "served"), { timeout: 60 });
  const path = "/apis/networking.k8s.io/v1/namespaces/default/ingresses/reached";
  await until(() => patchStatus(path, { loadBalancer: { ingress: [{ hostname: "lb.example.com" }] } }));
  expect((await waiting).outputs["status"]).toMatchObject({
    loadBalancer: { ingress: [{ hostname: "lb.example.com" }] },
  });
  expect(shown().map(withoutMark)).toContain("Ingress initialization complete");
});

test("an ingress to a service of type ExternalName waits for no endpoints; one without an address says so", async () => {
  await setup.plugin.up(SERVICE, service("elsewhere", { type: "ExternalName", externalName: "example.com" }));
  const error = await failure(setup.plugin.up(INGRESS, ingress("addressless", "elsewhere"), { timeout: 4 }));
  expect(error.message).toMatch(/become live: 'addressless' timed out waiting to be Ready$/);
  expect(error.reasons.slice(1)).toEqual([
    "Ingress .status.loadBalancer field was not updated with a hostname/IP address. " +
      "\n    for more information about this error, see https://pulumi.io/xdv72s",
  ]);
});

test("an ingress to a service that is not there says so, at a refresh too", async () => {
  const error = await failure(setup.plugin.up(INGRESS, ingress("dangling", "nowhere"), { timeout: 4 }));
  expect(error.reasons[1]).toBe("Ingress has at least one rule with an unavailable target endpoint.");
  const read = setup.plugin.read(INGRESS, error.id, error.outputs, error.outputs["__inputs"] as Properties);
  expect((await failure(read)).message).toBe("Resource 'dangling' was created but failed to initialize");
  expect(shown()).toContain('No matching service found for ingress rule: "example.com/a" -> "nowhere"');
});

test("an account, a role and a config map are ready at once", async () => {
  const started = performance.now();
  const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
  const role = object("rbac.authorization.k8s.io/v1", "Role", "plain", { rules });
  await setup.plugin.up("kubernetes:rbac.authorization.k8s.io/v1:Role", role);
  await setup.plugin.up(ACCOUNT, object("v1", "ServiceAccount", "plain", {}));
  await setup.plugin.up("kubernetes:core/v1:ConfigMap", object("v1", "ConfigMap", "plain", {}));
  expect(performance.now() - started).toBeLessThan(3_000);
});

test("a claim whose class is not there says so while it waits, and ends when it is cancelled", async () => {
  const waiting = failure(setup.plugin.up(CLAIM, claim("classless", "missing"), { timeout: 60 }));
  const warning = 'getting storagclass "missing": storageclasses.storage.k8s.io "missing" not found';
  await until(async () => expect(shown()).toContain(warning));
  await setup.plugin.cancel();
  expect((await waiting).message).toMatch(/become live: Resource operation was cancelled for 'classless'$/);
});

/** Tries until it works, ten seconds long. */
async function until(attempt: () => Promise<unknown>): Promise<void> {
  for (const end = Date.now() + 10_000; ; await sleep(100)) {
    const error = await attempt().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (error === undefined) return;
    if (Date.now() > end) throw error;
  }
}
