/** Fields that cannot be changed in place: a change replaces the object. */
import { isConfigMap, isSecret, gvkOfObject } from "./gvk.ts";
import { at } from "./object.ts";
import type { KubeObject } from "./object.ts";

/** A field path below the object; `*` stands for every element of a list. */
export type FieldPath = readonly string[];

/** An object's identity, which no update can change. */
export const identity: readonly FieldPath[] = [path("metadata.name"), path("metadata.namespace")];

/** The fields whose change replaces an object of this kind. */
export function forceNewFields(
  object: KubeObject,
  { enableConfigMapMutable, enableSecretMutable }: { enableConfigMapMutable: boolean; enableSecretMutable: boolean },
): readonly FieldPath[] {
  const { group, version, kind } = gvkOfObject(object);
  const immutable = at(object, "immutable") === true;
  if (version === "v1" && isSecret(object) && (!enableSecretMutable || immutable)) {
    return [...identity, ...paths("", "type stringData data")];
  }
  const known = (table[`${group}/${version}`] ?? {})[kind];
  if (known) return [...identity, ...known];
  if (version === "v1" && isConfigMap(object) && (!enableConfigMapMutable || immutable)) {
    return [...identity, ...paths("", "binaryData data")];
  }
  return identity;
}

/** Whether a change found at `at` with the new value `value` touches any of the fields. */
export function touches(fields: readonly FieldPath[], change: unknown): boolean {
  return fields.some((field) => resolves(field, [change]));
}

/** As a JSON path over the change: a match may be shorter or deeper than where the change is. */
function resolves(field: FieldPath, nodes: readonly unknown[]): boolean {
  let found = nodes;
  for (const step of field) {
    if (found.length === 0) return true;
    if (step === "*") {
      if (!found.every(Array.isArray)) return false;
      found = (found as unknown[][]).flat();
    } else {
      found = found
        .filter((node) => isMap(node) && step in node)
        .map((node) => (node as Record<string, unknown>)[step]);
      if (found.length === 0) return false;
    }
  }
  return true;
}

function isMap(node: unknown): node is Record<string, unknown> {
  return typeof node === "object" && node !== null && !Array.isArray(node);
}

function path(text: string): FieldPath {
  return text.split(".");
}

function paths(prefix: string, names: string): readonly FieldPath[] {
  return names.split(" ").map((name) => path(prefix ? `${prefix}.${name}` : name));
}

const selector = [path("spec.selector"), ...paths("spec.selector", "matchExpressions matchLabels")];
const container =
  "args command env env.value image imagePullPolicy lifecycle livenessProbe ports readinessProbe resources " +
  "securityContext stdin stdinOnce terminationMessagePath terminationMessagePolicy tty volumeDevices volumeMounts workingDir";
const statefulSet = [
  ...paths("spec", "podManagementPolicy revisionHistoryLimit serviceName volumeClaimTemplates"),
  ...selector,
];
const job = [...paths("spec", "completions parallelism template"), ...selector];
const roleBinding = { ClusterRoleBinding: [path("roleRef")], RoleBinding: [path("roleRef")] };
const workloads = { DaemonSet: selector, Deployment: selector, StatefulSet: statefulSet };

/** https://github.com/pulumi/pulumi-kubernetes/blob/v4.32.0/provider/pkg/provider/diff.go */
const table: Readonly<Record<string, Readonly<Record<string, readonly FieldPath[]>>>> = {
  "apps/v1beta1": { StatefulSet: statefulSet },
  "apps/v1beta2": workloads,
  "apps/v1": workloads,
  "policy/v1beta1": { PodDisruptionBudget: [path("spec")] },
  "rbac.authorization.k8s.io/v1alpha1": roleBinding,
  "rbac.authorization.k8s.io/v1beta1": roleBinding,
  "rbac.authorization.k8s.io/v1": roleBinding,
  "storage.k8s.io/v1": { StorageClass: paths("", "parameters provisioner") },
  "batch/v1beta1": { Job: job },
  "batch/v1": { Job: job },
  "batch/v2alpha1": { Job: job },
  "/v1": {
    PersistentVolume: paths(
      "spec",
      "awsElasticBlockStore azureDisk azureFile cephfs cinder csi fc flexVolume flocker gcePersistentDisk glusterfs " +
        "hostPath iscsi local nfs photonPersistentDisk portworxVolume quobyte rbd scaleIO storageos vsphereVolume",
    ),
    PersistentVolumeClaim: [...paths("spec", "accessModes storageClassName volumeName"), ...selector],
    Pod: [
      ...paths(
        "spec",
        "affinity automountServiceAccountToken dnsConfig dnsPolicy enableServiceLinks hostAliases hostIPC hostNetwork " +
          "hostPID hostname imagePullSecrets nodeName nodeSelector overhead preemptionPolicy priority priorityClassName " +
          "readinessGates restartPolicy runtimeClassName schedulerName securityContext serviceAccount " +
          "serviceAccountName shareProcessNamespace subdomain terminationGracePeriodSeconds volumes",
      ),
      ...paths("spec.containers.*", container),
      ...paths("spec.initContainers.*", container),
    ],
    ResourceQuota: [path("spec.scopes")],
    Secret: [path("type")],
    Service: [path("spec.clusterIP")],
  },
};
