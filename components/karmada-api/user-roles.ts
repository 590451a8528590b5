import * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { grant, systemLabels, user } from "./grants.ts";

/** Karmada's namespaced kinds, by API group. */
const kinds: Readonly<Record<string, readonly string[]>> = {
  "autoscaling.karmada.io": ["cronfederatedhpas", "federatedhpas"],
  "multicluster.x-k8s.io": ["serviceexports", "serviceimports"],
  "networking.karmada.io": ["multiclusteringresses", "multiclusterservices"],
  "policy.karmada.io": ["overridepolicies", "propagationpolicies"],
  "work.karmada.io": ["resourcebindings", "works"],
};
const withoutStatus = ["overridepolicies", "propagationpolicies"];

/**
 * For people: Karmada's kinds in the `view` and `edit` roles of Kubernetes, and the administrator's access through to
 * members. karmada-controller-manager reads who holds `clusters/proxy` and has members trust them.
 */
export function createUserRoles(name: string, administrator: string, opts: pulumi.CustomResourceOptions): void {
  aggregated(name, "view", ["get", "list", "watch"], opts);
  aggregated(name, "edit", ["create", "update", "patch", "delete", "deletecollection"], opts);
  grant(
    `${name}-cluster-proxy-admin`,
    {
      role: "cluster-proxy-admin",
      rules: [{ apiGroups: ["cluster.karmada.io"], resources: ["clusters/proxy"], verbs: ["*"] }],
      subjects: [user(administrator)],
    },
    opts,
  );
}

function aggregated(name: string, role: "view" | "edit", verbs: readonly string[], opts: pulumi.CustomResourceOptions) {
  const rules = Object.entries(kinds).map(([group, resources]) => ({
    apiGroups: [group],
    resources: resources.flatMap((kind) => (withoutStatus.includes(kind) ? [kind] : [kind, `${kind}/status`])),
    verbs: [...verbs],
  }));
  const labels = { ...systemLabels, [`rbac.authorization.k8s.io/aggregate-to-${role}`]: "true" };
  new k8s.rbac.v1.ClusterRole(`${name}-${role}-role`, { metadata: { name: `karmada-${role}`, labels }, rules }, opts);
}
