/** What others have made is imported by the manifests that `npm run adopt -- --in-place` writes, and then edited. */
import { manifestText } from "../../../lib/adoption/manifest.ts";
import { connect, type KubeClient, type KubeObject } from "../../../lib/kube/client.ts";
import { type ManifestObject, readManifests } from "../../../spec/addons/manifests.ts";
import { Secret } from "../../../toolchain/plugins/server/index.ts";
import type { Properties } from "../../../toolchain/plugins/server/index.ts";
import { object, setUp, type Setup } from "./support.ts";

let setup: Setup;
let client: KubeClient;
beforeAll(async () => {
  setup = await setUp({ enableServerSideApply: "false", enableConfigMapMutable: "true", enableSecretMutable: "true" });
  client = await connect(setup.kubeconfig);
}, 120_000);
afterAll(async () => {
  client?.close();
  await setup?.stop();
});

const labels = { app: "etcd" };
const container = {
  name: "etcd",
  image: "example.com/etcd:v1",
  command: ["etcd", "--name=$(POD_NAME)"],
  env: [{ name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
  ports: [{ containerPort: 2379, name: "client" }],
  livenessProbe: { httpGet: { path: "/health", port: 2379 }, periodSeconds: 5 },
  resources: { requests: { cpu: "0.1", memory: "1024Mi" }, limits: { memory: "2Gi" } },
  volumeMounts: [{ name: "cert", mountPath: "/etc/cert", readOnly: true }],
};
const template = {
  metadata: { labels },
  spec: { containers: [container], volumes: [{ name: "cert", secret: { secretName: "cert" } }], securityContext: {} },
};
const claim = {
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
};
const selector = { matchLabels: labels };
const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" };

/** By the plural of their kind, as installers post them. */
const posted: Readonly<Record<string, Properties>> = {
  configmaps: object("v1", "ConfigMap", "settings", { data: { yes: "yes", mode: "0644", text: "a: 1\n  b\n" } }),
  secrets: object("v1", "Secret", "cert", { data: { "ca.key": "c2VjcmV0" } }),
  services: object("v1", "Service", "etcd", {
    spec: { type: "NodePort", selector: labels, ports: [{ port: 2379, nodePort: 32379 }] },
  }),
  serviceaccounts: object("v1", "ServiceAccount", "etcd", {}),
  persistentvolumeclaims: object("v1", "PersistentVolumeClaim", "kept", { spec: claim.spec }),
  deployments: object(
    "apps/v1",
    "Deployment",
    "web",
    { spec: { replicas: 0, selector, template } },
    { annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}" } },
  ),
  statefulsets: object("apps/v1", "StatefulSet", "etcd", {
    spec: { replicas: 0, serviceName: "etcd", selector, template, volumeClaimTemplates: [claim] },
  }),
  daemonsets: object("apps/v1", "DaemonSet", "agent", { spec: { selector, template } }),
  cronjobs: object("batch/v1", "CronJob", "backup", {
    spec: {
      schedule: "0 2 * * *",
      jobTemplate: { spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } } },
    },
  }),
  horizontalpodautoscalers: object("autoscaling/v2", "HorizontalPodAutoscaler", "web", {
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" } },
  }),
  ingresses: object("networking.k8s.io/v1", "Ingress", "web", {
    spec: { defaultBackend: { service: { name: "etcd", port: { number: 2379 } } } },
  }),
  networkpolicies: object("networking.k8s.io/v1", "NetworkPolicy", "etcd", {
    spec: { podSelector: selector, ingress: [{}] },
  }),
  poddisruptionbudgets: object("policy/v1", "PodDisruptionBudget", "etcd", { spec: { maxUnavailable: 1, selector } }),
  roles: object("rbac.authorization.k8s.io/v1", "Role", "reader", { rules }),
  rolebindings: object("rbac.authorization.k8s.io/v1", "RoleBinding", "reader", {
    roleRef,
    subjects: [{ kind: "ServiceAccount", name: "etcd", namespace: "default" }],
  }),
};

const pathOf = (plural: string, { apiVersion }: Properties): string =>
  `/${apiVersion === "v1" ? "api" : "apis"}/${String(apiVersion)}/namespaces/default/${plural}`;

const typeOf = ({ apiVersion, kind }: Properties): string =>
  `kubernetes:${apiVersion === "v1" ? "core/v1" : String(apiVersion)}:${String(kind)}`;

/** The resource that a stack of the program `adopted` declares of an object, but for a Secret's data. */
function declared(live: KubeObject): ManifestObject {
  const { objects, problems } = readManifests({ file: "live.yaml", text: manifestText(live) });
  expect(problems).toEqual([]);
  const { uid, ...metadata } = objects[0]!.object.metadata;
  expect(uid).toBe(live.metadata?.uid);
  return { ...objects[0]!.object, metadata } as ManifestObject;
}

/** As the engine imports: reads by the id alone, and checks what the program says against that. */
async function imported(type: string, live: KubeObject, program: Properties) {
  const found = (await setup.plugin.read(type, `default/${live.metadata?.name}`))!;
  const news = found.inputs["data"] instanceof Secret ? { ...program, data: found.inputs["data"] } : program;
  const { inputs, failures } = await setup.plugin.check(type, news, { olds: found.inputs });
  expect(failures).toEqual([]);
  return { found, inputs };
}

test.each(Object.entries(posted))("%s: an import finds nothing to change", async (plural, wanted) => {
  const path = pathOf(plural, wanted);
  await client.create(path, wanted);
  const { metadata, ...fields } = await client.get(`${path}/${(wanted["metadata"] as { name: string }).name}`);
  const live = { ...fields, metadata: metadata! };
  const { found, inputs } = await imported(typeOf(wanted), live, declared(live) as unknown as Properties);
  expect(await setup.plugin.diff(typeOf(wanted), found, inputs, plural === "secrets" ? ["data"] : [])).toMatchObject({
    changes: "none",
    replaces: [],
  });
});

test("an edit changes what it says, in a field that somebody else has set too, and leaves fields of others alone", async () => {
  const type = "kubernetes:apps/v1:Deployment";
  const path = "/apis/apps/v1/namespaces/default/deployments";
  await client.create(path, object("apps/v1", "Deployment", "edited", { spec: { replicas: 0, selector, template } }));
  const live = await client.get(`${path}/edited`);
  const program = structuredClone(declared(live)) as unknown as KubeObject;
  const [own] = program["spec"].template.spec.containers;
  own.image = "example.com/etcd:v2";
  own.command.push("--quota=1");
  delete own.resources.limits;
  program.metadata!.annotations = { "pulumi.com/skipAwait": "true" };
  const { found, inputs } = await imported(type, live, program as Properties);
  expect(await setup.plugin.diff(type, found, inputs)).toMatchObject({ changes: "some", replaces: [] });
  await client.merge(`${path}/edited`, { metadata: { annotations: { note: "of somebody else" } } });
  await setup.plugin.update(type, found, inputs);
  const after = await client.get(`${path}/edited`);
  const { limits: _, ...resources } = { limits: undefined, requests: { cpu: "100m", memory: "1Gi" } };
  expect(after.metadata?.annotations).toMatchObject({ note: "of somebody else" });
  expect(after.metadata?.labels).toBeUndefined();
  expect(after["spec"].template.spec.containers).toEqual([
    {
      ...live["spec"].template.spec.containers[0],
      image: "example.com/etcd:v2",
      command: [...container.command, "--quota=1"],
      resources,
    },
  ]);
});
