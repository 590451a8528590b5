/** An admission webhook of karmada-webhook. Groups are Karmada's, without the common `.karmada.io`. */
export interface WebhookRule {
  readonly name: string;
  readonly group: string;
  readonly resource: string;
  readonly scope: "Namespaced" | "Cluster" | "*";
  readonly operations: readonly ("CREATE" | "UPDATE" | "DELETE")[];
  readonly path: string;
  /** @default 3 */
  readonly timeoutSeconds?: number;
  /** @default "None" */
  readonly sideEffects?: "None" | "NoneOnDryRun";
  /** Only objects that have this label. @default all objects */
  readonly label?: string;
}

const write = ["CREATE", "UPDATE"] as const;

/** Upstream's complete set, artifacts/deploy/webhook-configuration.yaml. */
export const mutatingRules: readonly WebhookRule[] = [
  mutate("propagationpolicy", "policy", "propagationpolicies", "Namespaced"),
  mutate("clusterpropagationpolicy", "policy", "clusterpropagationpolicies", "Cluster"),
  mutate("overridepolicy", "policy", "overridepolicies", "Namespaced"),
  { ...mutate("resourcebinding", "work", "resourcebindings", "Namespaced"), operations: ["CREATE"] },
  { ...mutate("clusterresourcebinding", "work", "clusterresourcebindings", "Cluster"), operations: ["CREATE"] },
  mutate("work", "work", "works", "Namespaced"),
  { ...mutate("federatedhpa", "autoscaling", "federatedhpas", "Namespaced"), name: "autoscaling.karmada.io" },
  mutate("multiclusterservice", "networking", "multiclusterservices", "Namespaced"),
];

/** What Karmada's webhook may refuse. */
export const validatingRules: readonly WebhookRule[] = [
  validate("propagationpolicy", "policy", "propagationpolicies", "Namespaced"),
  validate("clusterpropagationpolicy", "policy", "clusterpropagationpolicies", "Cluster"),
  validate("overridepolicy", "policy", "overridepolicies", "Namespaced"),
  validate("clusteroverridepolicy", "policy", "clusteroverridepolicies", "Cluster"),
  {
    ...validate(
      "resourceinterpreterwebhookconfiguration",
      "config",
      "resourceinterpreterwebhookconfigurations",
      "Cluster",
    ),
    name: "config.karmada.io",
  },
  {
    ...validate("resourceinterpretercustomization", "config", "resourceinterpretercustomizations", "Cluster"),
    timeoutSeconds: 10,
  },
  validate("federatedresourcequota", "policy", "federatedresourcequotas", "Namespaced"),
  validate("multiclusteringress", "networking", "multiclusteringresses", "Namespaced"),
  validate("multiclusterservice", "networking", "multiclusterservices", "Namespaced"),
  {
    name: "resourcedeletionprotection.karmada.io",
    group: "*",
    resource: "*",
    scope: "*",
    operations: ["DELETE"],
    path: "/validate-resourcedeletionprotection",
    label: "resourcetemplate.karmada.io/deletion-protected",
  },
  { ...validate("resourcebinding", "work", "resourcebindings", "Namespaced"), sideEffects: "NoneOnDryRun" },
  validate("federatedhpa", "autoscaling", "federatedhpas", "Namespaced"),
  validate("cronfederatedhpa", "autoscaling", "cronfederatedhpas", "Namespaced"),
  validate("clustertaintpolicy", "policy", "clustertaintpolicies", "Cluster"),
];

function mutate(kind: string, group: string, resource: string, scope: WebhookRule["scope"]): WebhookRule {
  return {
    name: `${kind}.karmada.io`,
    group: `${group}.karmada.io`,
    resource,
    scope,
    operations: write,
    path: `/mutate-${kind}`,
  };
}

function validate(kind: string, group: string, resource: string, scope: WebhookRule["scope"]): WebhookRule {
  return { ...mutate(kind, group, resource, scope), path: `/validate-${kind}` };
}
