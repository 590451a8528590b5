import type { ComponentName } from "../../spec/control-plane/component-names.ts";

/** A rule of a Role or ClusterRole. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

const read = ["get", "list", "watch"];
const events: Rule = { apiGroups: ["", "events.k8s.io"], resources: ["events"], verbs: ["create", "patch", "update"] };
const secrets: Rule = { apiGroups: [""], resources: ["secrets"], verbs: read };
const clusters: Rule = { apiGroups: ["cluster.karmada.io"], resources: ["clusters"], verbs: read };
const bindings = ["resourcebindings", "clusterresourcebindings"];

/**
 * The rights of each component beyond delegated authentication and its lease; found from the audit log, and as narrow
 * as possible without a refusal. kube-controller-manager has built-in roles.
 */
export const componentRules: Partial<Record<ComponentName, readonly Rule[]>> = {
  "karmada-aggregated-apiserver": [secrets],
  "karmada-search": [
    // Its proxy passes what no ResourceRegistry covers on to the Karmada API, in its own name
    // (https://karmada.io/docs/userguide/globalview/proxy-global-resource).
    { apiGroups: ["*"], resources: ["*"], verbs: read },
    { apiGroups: ["search.karmada.io"], resources: ["resourceregistries/status"], verbs: ["update", "patch"] },
  ],
  "karmada-metrics-adapter": [secrets, clusters],
  "karmada-webhook": [
    { apiGroups: ["config.karmada.io"], resources: ["resourceinterpretercustomizations"], verbs: read },
    { apiGroups: ["policy.karmada.io"], resources: ["federatedresourcequotas"], verbs: read },
    { apiGroups: ["policy.karmada.io"], resources: ["federatedresourcequotas/status"], verbs: ["update", "patch"] },
  ],
  "karmada-scheduler": [
    clusters,
    { apiGroups: ["work.karmada.io"], resources: bindings, verbs: [...read, "patch", "update"] },
    {
      apiGroups: ["work.karmada.io"],
      resources: bindings.map((binding) => `${binding}/status`),
      verbs: ["patch", "update"],
    },
    { apiGroups: ["scheduling.k8s.io"], resources: ["priorityclasses"], verbs: read },
    events,
  ],
  "karmada-descheduler": [
    clusters,
    { apiGroups: ["work.karmada.io"], resources: ["resourcebindings"], verbs: [...read, "patch", "update"] },
    events,
  ],
  "karmada-controller-manager": [
    { apiGroups: ["*"], resources: ["*"], verbs: [...read, "update", "patch"] },
    {
      apiGroups: ["work.karmada.io"],
      resources: ["works", ...bindings],
      verbs: ["create", "delete", "deletecollection"],
    },
    { apiGroups: [""], resources: ["namespaces", "events", "services", "endpoints"], verbs: ["create", "delete"] },
    { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create"] },
    { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create", "delete"] },
    {
      apiGroups: ["discovery.k8s.io"],
      resources: ["endpointslices"],
      verbs: ["create", "delete", "deletecollection"],
    },
    {
      apiGroups: ["multicluster.x-k8s.io"],
      resources: ["serviceimports", "serviceexports"],
      verbs: ["create", "delete"],
    },
    { apiGroups: ["apps.karmada.io"], resources: ["workloadrebalancers"], verbs: ["delete"] },
    { apiGroups: ["cluster.karmada.io"], resources: ["clusters"], verbs: ["delete"] },
    { apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"], verbs: ["create"] },
    {
      apiGroups: ["certificates.k8s.io"],
      resources: ["signers"],
      resourceNames: ["kubernetes.io/kube-apiserver-client"],
      verbs: ["approve"],
    },
  ],
};

/** Lets karmada-controller-manager write roles it does not hold itself, as propagating them needs. */
export const propagateRbacRule: Rule = {
  apiGroups: ["rbac.authorization.k8s.io"],
  resources: ["roles", "clusterroles"],
  verbs: ["bind", "escalate"],
};

/** The controllers whose replicas elect a leader, by a lease of their name. */
export const leaderElecting: readonly ComponentName[] = [
  "karmada-scheduler",
  "karmada-descheduler",
  "karmada-controller-manager",
];

/** The leases with which replicas of a controller elect a leader, and the estimators' addresses. */
export const leaseRules: readonly Rule[] = [
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create"] },
  {
    apiGroups: ["coordination.k8s.io"],
    resources: ["leases"],
    resourceNames: leaderElecting,
    verbs: ["get", "update", "patch"],
  },
  { apiGroups: [""], resources: ["services"], verbs: ["get"] },
  { apiGroups: ["", "events.k8s.io"], resources: ["events"], verbs: ["create", "patch"] },
];
