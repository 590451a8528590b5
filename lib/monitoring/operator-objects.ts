import { base64 } from "../base64.ts";
import { yamlText } from "../yaml-text.ts";
import type { MonitoredPods, PodsTarget } from "./monitored.ts";
import type { Watched } from "./rule.ts";
import { ruleGroups } from "./rules.ts";

/** A deployment in pods, as it is monitored. */
export interface WatchedPods extends Watched {
  readonly targets: readonly PodsTarget[];
  readonly pods: MonitoredPods;
}

/** What a Prometheus presents and trusts, in PEM form. */
export interface Credentials {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

/**
 * Objects for prometheus-operator (https://prometheus-operator.dev/docs/api-reference/api/): a PodMonitor for each kind
 * of program with the labels that `scrapeConfigs` gives, where `process` is the name of the pod; the rules; and the
 * right to find pods for the service account that kube-prometheus gives its Prometheus. All of it lies in the namespace
 * of the deployment and goes with it.
 */
export function operatorObjects(watched: WatchedPods): string {
  const { deployment, pods, targets } = watched;
  const kinds = Map.groupBy(targets, ({ component }) => component);
  return documents([
    ...rightsOf(pods),
    ...[...kinds.values()].map((alike) => podMonitor(watched, alike)),
    {
      apiVersion: "monitoring.coreos.com/v1",
      kind: "PrometheusRule",
      metadata: { name: deployment, namespace: pods.namespace },
      spec: { groups: ruleGroups(watched) },
    },
  ]);
}

/** The Secret that PodMonitors name. */
export function operatorSecret({ namespace }: MonitoredPods, { authority, certificate, key }: Credentials): string {
  const data = { [keys.authority]: authority, [keys.certificate]: certificate, [keys.key]: key };
  return documents([
    {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: secretName, namespace },
      type: "Opaque",
      data: Object.fromEntries(Object.entries(data).map(([name, pem]) => [name, base64(pem)])),
    },
  ]);
}

const secretName = "prometheus-client";
const keys = { authority: "ca.crt", certificate: "client.crt", key: "client.key" } as const;

function rightsOf({ namespace, from }: MonitoredPods): object[] {
  if (from.length === 0) return [];
  const metadata = { name: "prometheus", namespace };
  const rbac = "rbac.authorization.k8s.io";
  return [
    {
      apiVersion: `${rbac}/v1`,
      kind: "Role",
      metadata,
      rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch"] }],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: rbac, kind: "Role", name: metadata.name },
      subjects: from.map((itsNamespace) => ({
        kind: "ServiceAccount",
        name: "prometheus-k8s",
        namespace: itsNamespace,
      })),
    },
  ];
}

/** For programs of a kind. If they show a certificate they all share it. */
function podMonitor({ deployment, pods: { namespace } }: WatchedPods, targets: readonly PodsTarget[]): object {
  const [{ component, scheme, port, serverName }] = targets as [PodsTarget];
  return {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PodMonitor",
    metadata: { name: component, namespace },
    spec: {
      selector: { matchLabels: { "app.kubernetes.io/name": component } },
      podMetricsEndpoints: [
        {
          port,
          scheme,
          ...(scheme === "https" && { tlsConfig: { ...tlsConfig, serverName } }),
          relabelings: [
            { targetLabel: "deployment", replacement: deployment },
            { targetLabel: "component", replacement: component },
            { targetLabel: "process", sourceLabels: ["__meta_kubernetes_pod_name"] },
            ...labelled(targets, "member", ({ member }) => member),
            ...labelled(targets, "etcd_cluster", ({ etcdCluster }) => etcdCluster),
          ],
        },
      ],
    },
  };
}

const tlsConfig = {
  ca: { secret: { name: secretName, key: keys.authority } },
  cert: { secret: { name: secretName, key: keys.certificate } },
  keySecret: { name: secretName, key: keys.key },
  minVersion: "TLS13",
};

/** A label that some programs of a kind have, each value for their pods. */
function labelled(targets: readonly PodsTarget[], label: string, value: (of: PodsTarget) => string | undefined) {
  return [...Map.groupBy(targets, value)].flatMap(([replacement, those]) =>
    replacement === undefined
      ? []
      : [
          {
            targetLabel: label,
            sourceLabels: ["__meta_kubernetes_pod_label_app_kubernetes_io_instance"],
            regex: those.map(({ instance }) => instance).join("|"),
            replacement,
          },
        ],
  );
}

const documents = (objects: readonly object[]): string =>
  objects.map((object) => yamlText(object, { lineWidth: 0 })).join("---\n");
