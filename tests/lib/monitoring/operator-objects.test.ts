import { parseAllDocuments } from "yaml";
import { operatorObjects, operatorSecret } from "../../../lib/monitoring/operator-objects.ts";
import { ruleGroups } from "../../../lib/monitoring/rules.ts";
import { pods, watched } from "./support.ts";

const inPods = { namespace: "fleet", from: ["monitoring"] };
const all = {
  ...watched(),
  pods: inPods,
  targets: [
    pods("etcd", { process: "etcd-0", instance: "etcd-0", etcdCluster: "prod" }),
    pods("etcd", { process: "etcd-1", instance: "etcd-1", etcdCluster: "prod" }),
    pods("kube-apiserver", { process: "karmada-apiserver", scheme: "https", port: "secure", copies: 2 }),
    pods("karmada-agent", { instance: "m1-karmada-agent", member: "m1" }),
    pods("karmada-agent", { instance: "m-7seas-karmada-agent-eaa5b7c3", member: "7seas" }),
  ],
};
// Objects as their API has them: whatever field is asked for.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
const parsed = (text: string): any[] => parseAllDocuments(text).map((document) => document.toJS());
const objects = parsed(operatorObjects(all));
const monitor = (name: string) =>
  objects.find(({ kind, metadata }) => kind === "PodMonitor" && metadata.name === name).spec;

test("all of it is in the namespace of the deployment: a PodMonitor for each kind of program, the rules, and the right to find pods", () => {
  expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`)).toEqual([
    "Role fleet/prometheus",
    "RoleBinding fleet/prometheus",
    "PodMonitor fleet/etcd",
    "PodMonitor fleet/kube-apiserver",
    "PodMonitor fleet/karmada-agent",
    "PrometheusRule fleet/prod",
  ]);
  expect(objects[1].subjects).toEqual([{ kind: "ServiceAccount", name: "prometheus-k8s", namespace: "monitoring" }]);
});

test("a deployment is called by its name, whatever that is in YAML 1.1, which kubectl reads", () => {
  const texts = operatorObjects({ ...all, deployment: "no" });
  const rule = parseAllDocuments(texts, { schema: "yaml-1.1" }).at(-1)!.toJS() as (typeof objects)[number];
  expect(rule).toMatchObject({ kind: "PrometheusRule", metadata: { name: "no" } });
});

test("who comes from nowhere in particular is given no right", () => {
  const open = parsed(operatorObjects({ ...all, pods: { namespace: "fleet", from: [] } }));
  expect(open.map(({ kind }) => kind)).not.toContain("Role");
});

test("the rules are those of every other placement", () => {
  expect(objects.at(-1).spec).toEqual({ groups: JSON.parse(JSON.stringify(ruleGroups(all))) });
});

test("what asks for a certificate is shown that of the Secret, and has to have the name of its Service", () => {
  const [endpoint] = monitor("kube-apiserver").podMetricsEndpoints;
  expect(endpoint).toMatchObject({
    port: "secure",
    scheme: "https",
    tlsConfig: {
      ca: { secret: { name: "prometheus-client", key: "ca.crt" } },
      cert: { secret: { name: "prometheus-client", key: "client.crt" } },
      keySecret: { name: "prometheus-client", key: "client.key" },
      minVersion: "TLS13",
      serverName: "kube-apiserver.fleet.svc.cluster.local",
    },
  });
  expect(monitor("etcd").podMetricsEndpoints[0]).not.toHaveProperty("tlsConfig");
  const [secret] = parsed(operatorSecret(inPods, { authority: "CA", certificate: "CERTIFICATE", key: "KEY" }));
  expect(secret).toMatchObject({
    kind: "Secret",
    metadata: { name: "prometheus-client", namespace: "fleet" },
    data: Object.fromEntries(
      Object.entries({ "ca.crt": "CA", "client.crt": "CERTIFICATE", "client.key": "KEY" }).map(([key, text]) => [
        key,
        Buffer.from(text).toString("base64"),
      ]),
    ),
  });
});

test("targets have the labels that rules go by; a process is a pod, members and clusters of etcd are told by the label of their pods", () => {
  const instance = { sourceLabels: ["__meta_kubernetes_pod_label_app_kubernetes_io_instance"] };
  const common = (component: string) => [
    { targetLabel: "deployment", replacement: "prod" },
    { targetLabel: "component", replacement: component },
    { targetLabel: "process", sourceLabels: ["__meta_kubernetes_pod_name"] },
  ];
  expect(monitor("etcd")).toEqual({
    selector: { matchLabels: { "app.kubernetes.io/name": "etcd" } },
    podMetricsEndpoints: [
      {
        port: "metrics",
        scheme: "http",
        relabelings: [
          ...common("etcd"),
          { targetLabel: "etcd_cluster", ...instance, regex: "etcd-0|etcd-1", replacement: "prod" },
        ],
      },
    ],
  });
  expect(monitor("karmada-agent").podMetricsEndpoints[0].relabelings).toEqual([
    ...common("karmada-agent"),
    { targetLabel: "member", ...instance, regex: "m1-karmada-agent", replacement: "m1" },
    { targetLabel: "member", ...instance, regex: "m-7seas-karmada-agent-eaa5b7c3", replacement: "7seas" },
  ]);
});
