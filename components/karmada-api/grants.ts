import * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { ComponentName } from "../../spec/control-plane/component-names.ts";
import { leaseRules, type Rule } from "./rules.ts";

/** Who is given a role. */
export interface Subject {
  readonly apiGroup: string;
  readonly kind: "User" | "Group";
  readonly name: string;
}

/** A user, as its client certificate names it. */
export const user = (name: string): Subject => ({ apiGroup: "rbac.authorization.k8s.io", kind: "User", name });

/** The members of a group. */
export const group = (name: string): Subject => ({ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name });

interface Grant {
  /** Name of the role in the API. */
  readonly role: string;
  readonly rules: readonly Rule[];
  readonly subjects: readonly Subject[];
}

/** A ClusterRole, and the binding that gives it to some subjects. @param binding its name @default that of the role */
export function grant(
  name: string,
  { role, rules, subjects, binding = role }: Grant & { readonly binding?: string },
  opts: pulumi.CustomResourceOptions,
): readonly pulumi.Resource[] {
  const made = new k8s.rbac.v1.ClusterRole(
    `${name}-role`,
    { metadata: { name: role, labels: systemLabels }, rules: rules.map(inputRule) },
    opts,
  );
  return [made, bindClusterRole(name, { binding, role, subjects }, opts)];
}

/** Gives an existing ClusterRole to some subjects. */
export function bindClusterRole(
  name: string,
  { binding, role, subjects }: Pick<Grant, "role" | "subjects"> & { readonly binding: string },
  opts: pulumi.CustomResourceOptions,
): pulumi.Resource {
  return new k8s.rbac.v1.ClusterRoleBinding(
    `${name}-binding`,
    {
      metadata: { name: binding, labels: systemLabels },
      roleRef: roleRef("ClusterRole", role),
      subjects: [...subjects],
    },
    opts,
  );
}

/** A Role and the binding that gives it to some subjects, with the same name in one namespace. */
export function grantIn(
  name: string,
  { namespace, role, rules, subjects }: Grant & { readonly namespace: string },
  opts: pulumi.CustomResourceOptions,
): readonly pulumi.Resource[] {
  const metadata = { name: role, namespace, labels: systemLabels };
  return [
    new k8s.rbac.v1.Role(`${name}-role`, { metadata, rules: rules.map(inputRule) }, opts),
    new k8s.rbac.v1.RoleBinding(
      `${name}-binding`,
      { metadata, roleRef: roleRef("Role", role), subjects: [...subjects] },
      opts,
    ),
  ];
}

/** Marks what is Karmada's own, as upstream's installers do. */
export const systemLabels = { "karmada.io/system": "true" };

/** The leases with which replicas of the controllers elect a leader. */
export const grantLeases = (name: string, components: readonly ComponentName[], opts: pulumi.CustomResourceOptions) =>
  grantIn(
    `${name}-leader-election`,
    {
      namespace: "karmada-system",
      role: "system:karmada:leader-election",
      rules: leaseRules,
      subjects: components.map(identityOf),
    },
    opts,
  );

/** What a server needs to ask the API server who its callers are and what they may do. */
export function grantDelegatedAuth(
  name: string,
  components: readonly ComponentName[],
  opts: pulumi.CustomResourceOptions,
): readonly pulumi.Resource[] {
  const subjects = components.map(identityOf);
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
      { binding: "karmada-aggregated-servers-auth-delegator", role: "system:auth-delegator", subjects },
      opts,
    ),
  ];
}

/** The user that a component is in the Karmada API. */
export const identityOf = (component: ComponentName): Subject => user(`system:karmada:${component}`);

const roleRef = (kind: string, name: string) => ({ apiGroup: "rbac.authorization.k8s.io", kind, name });

const inputRule = (rule: Rule) => ({
  apiGroups: [...rule.apiGroups],
  resources: [...rule.resources],
  verbs: [...rule.verbs],
  ...(rule.resourceNames === undefined ? {} : { resourceNames: [...rule.resourceNames] }),
});
