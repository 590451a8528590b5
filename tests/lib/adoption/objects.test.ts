import { manifestOf } from "../../../lib/adoption/manifest.ts";
import { missingObjects, readObjects } from "../../../lib/adoption/objects.ts";
import type { KubeObject } from "../../../lib/kube/client.ts";
import { FakeHost } from "./fake-host.ts";

const namespace = "karmada-system";
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

const hostOf = (objects: Readonly<Record<string, readonly KubeObject[]>>) =>
  new FakeHost(
    Object.fromEntries(
      Object.entries(objects).flatMap(([path, all]) =>
        all.map((object) => {
          const [group, plural] = [path.slice(0, path.lastIndexOf("/")), path.slice(path.lastIndexOf("/") + 1)];
          return [`/${group}/namespaces/${namespace}/${plural}/${object.metadata?.name}`, object];
        }),
      ),
    ),
  );

const named = (name: string, more: object = {}, fields: object = {}): KubeObject => ({
  metadata: { name, namespace, uid: `uid-of-${name}`, ...more },
  ...fields,
});

test("what somebody wrote down is read, not what the cluster makes of it or puts into each namespace", async () => {
  const { client } = hostOf({
    "api/v1/configmaps": [
      named("settings"),
      named("kube-root-ca.crt"),
      named("made", { ownerReferences: [{ kind: "Karmada", controller: true }] }),
      named("owned", { ownerReferences: [{ kind: "Karmada" }] }),
      named("ending", { deletionTimestamp: "2026-11-25T00:00:00Z" }),
    ],
    "api/v1/serviceaccounts": [named("default"), named("karmada-scheduler")],
    "api/v1/secrets": [
      named("karmada-cert", {}, { type: "Opaque" }),
      named("token", {}, { type: "kubernetes.io/service-account-token" }),
      named("release", {}, { type: "helm.sh/release.v1" }),
      named("applied", { annotations: { [lastApplied]: '{"data":{"key":"c2VjcmV0"}}' } }),
    ],
    "apis/apps/v1/deployments": [named("karmada-scheduler")],
    "apis/policy/v1/poddisruptionbudgets": [named("etcd")],
  });
  const { objects, left } = await readObjects(client, namespace);
  expect(objects.map(({ apiVersion, kind, metadata }) => `${apiVersion} ${kind} ${metadata?.name}`)).toEqual([
    "v1 ConfigMap settings",
    "v1 ConfigMap owned",
    "v1 Secret karmada-cert",
    "v1 ServiceAccount karmada-scheduler",
    "apps/v1 Deployment karmada-scheduler",
    "policy/v1 PodDisruptionBudget etcd",
  ]);
  expect(left).toEqual([
    "Secret release: what helm remembers of its release",
    "Secret applied: kubectl apply has put its contents into an annotation, which would be in the state in clear",
  ]);
});

test("a manifest has what can be declared, and the UID; neither what the server says nor a Secret's data", () => {
  const deployment: KubeObject = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name: "karmada-scheduler",
      namespace,
      uid: "4711",
      resourceVersion: "12",
      generation: 3,
      ...{ managedFields: [{ manager: "karmadactl" }], creationTimestamp: "2026-11-25T00:00:00Z" },
      labels: { app: "karmada-scheduler" },
      annotations: { "deployment.kubernetes.io/revision": "1", [lastApplied]: "{}" },
      finalizers: ["example.org/kept"],
    },
    spec: { replicas: 0, template: { metadata: { creationTimestamp: null }, spec: { securityContext: {} } } },
    status: { replicas: 1 },
  };
  expect(manifestOf(deployment)).toEqual({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name: "karmada-scheduler",
      namespace,
      uid: "4711",
      labels: { app: "karmada-scheduler" },
      finalizers: ["example.org/kept"],
    },
    spec: { replicas: 0, template: { metadata: {}, spec: { securityContext: {} } } },
  });
  const secret = { apiVersion: "v1", kind: "Secret", type: "Opaque", data: { key: "c2VjcmV0" }, immutable: true };
  expect(manifestOf({ ...secret, ...named("karmada-cert", { annotations: { note: "kept" } }) })).toEqual({
    apiVersion: "v1",
    kind: "Secret",
    type: "Opaque",
    immutable: true,
    metadata: { name: "karmada-cert", namespace, uid: "uid-of-karmada-cert", annotations: { note: "kept" } },
  });
});

test("what is not there any more is told by its kind and name", async () => {
  const { client } = hostOf({
    "apis/apps/v1/deployments": [named("karmada-scheduler")],
    "api/v1/services": [named("karmada-webhook")],
  });
  const wanted = (apiVersion: string, kind: string, name: string) => ({ apiVersion, kind, metadata: { name } });
  expect(
    await missingObjects(client, namespace, [
      wanted("apps/v1", "Deployment", "karmada-scheduler"),
      wanted("apps/v1", "Deployment", "karmada-webhook"),
      wanted("v1", "Service", "karmada-webhook"),
      wanted("v1", "Secret", "karmada-cert"),
    ]),
  ).toEqual(expect.arrayContaining(["Deployment karmada-webhook", "Secret karmada-cert"]));
});
