import * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { ComponentName } from "../../spec/control-plane.ts";
import type { Rule } from "./rules.ts";
import { leaseRules } from "./rules.ts";

/** A user, as its client certificate names it. */
export const user = (name: string) => ({ apiGroup: "rbac.authorization.k8s.io", kind: "User", name });

/** A ClusterRole and the binding that gives it to some subjects; by default the binding has the role's name. */
export function grant(
  logicalName: string,
  name: string,
  rules: readonly Rule[],
  subjects: readonly { readonly kind: string; readonly name: string }[],
  opts: pulumi.CustomResourceOptions,
  binding = name,
): readonly pulumi.Resource[] {
  const role = new k8s.rbac.v1.ClusterRole(
    `${logicalName}-role`,
    { metadata: { name, labels: systemLabels }, rules: rules.map(inputRule) },
    opts,
  );
  return [role, bindClusterRole(logicalName, binding, name, subjects, opts)];
}

/** Gives an existing ClusterRole to some subjects. */
export function bindClusterRole(
  logicalName: string,
  name: string,
  role: string,
  subjects: readonly { readonly kind: string; readonly name: string }[],
  opts: pulumi.CustomResourceOptions,
): pulumi.Resource {
  return new k8s.rbac.v1.ClusterRoleBinding(
    `${logicalName}-binding`,
    { metadata: { name, labels: systemLabels }, roleRef: roleRef("ClusterRole", role), subjects: [...subjects] },
    opts,
  );
}

/** A Role and the binding that gives it to some subjects, with the same name in one namespace. */
export function grantIn(
  namespace: string,
  logicalName: string,
  name: string,
  rules: readonly Rule[],
  subjects: readonly { readonly kind: string; readonly name: string }[],
  opts: pulumi.CustomResourceOptions,
): readonly pulumi.Resource[] {
  const metadata = { name, namespace, labels: systemLabels };
  return [
    new k8s.rbac.v1.Role(`${logicalName}-role`, { metadata, rules: rules.map(inputRule) }, opts),
    new k8s.rbac.v1.RoleBinding(
      `${logicalName}-binding`,
      { metadata, roleRef: roleRef("Role", name), subjects: [...subjects] },
      opts,
    ),
  ];
}

/** Marks what is Karmada's own, as upstream's installers do. */
export const systemLabels = { "karmada.io/system": "true" };

/** The leases with which replicas of the controllers elect a leader. */
export const grantLeases = (name: string, components: readonly ComponentName[], opts: pulumi.CustomResourceOptions) =>
  grantIn(
    "karmada-system",
    `${name}-leader-election`,
    "system:karmada:leader-election",
    leaseRules,
    components.map((component) => user(`system:karmada:${component}`)),
    opts,
  );

/** What a server needs to ask the API server who its callers are and what they may do. */
export function grantDelegatedAuth(
  name: string,
  components: readonly ComponentName[],
  opts: pulumi.CustomResourceOptions,
): readonly pulumi.Resource[] {
  const subjects = components.map((component) => user(`system:karmada:${component}`));
  const reader = "karmada-aggregated-servers-auth-reader";
  return [
    new k8s.rbac.v1.RoleBinding(
      `${name}-auth-reader-binding`,
      {
        metadata: { name: reader, namespace: "kube-system", labels: systemLabels },
        roleRef: roleRef("Role", "extension-apiserver-authentication-reader"),
        subjects,
      },
      opts,
    ),
    bindClusterRole(
      `${name}-auth-delegator`,
      "karmada-aggregated-servers-auth-delegator",
      "system:auth-delegator",
      subjects,
      opts,
    ),
  ];
}

const roleRef = (kind: string, name: string) => ({ apiGroup: "rbac.authorization.k8s.io", kind, name });

const inputRule = (rule: Rule) => ({
  apiGroups: [...rule.apiGroups],
  resources: [...rule.resources],
  verbs: [...rule.verbs],
  ...(rule.resourceNames === undefined ? {} : { resourceNames: [...rule.resourceNames] }),
});
