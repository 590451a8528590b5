import { stringify } from "yaml";
import type { KubernetesPlacement } from "../../../spec/deployment.ts";
import { hasOwnNodes, podSettingsOf } from "../../../spec/placement/pod-settings.ts";
import { resolve } from "../../../spec/resolve.ts";
import { context, problemsOf } from "../configuration.ts";

const kubeconfig = stringify({
  "current-context": "host",
  contexts: [{ name: "host", context: { cluster: "host", user: "admin" } }],
  clusters: [{ name: "host", cluster: { server: "https://10.0.0.1:6443/" } }],
  users: [{ name: "admin", user: { token: "t0ken" } }],
});
const placement = (more: object) => ({
  kind: "kubernetes",
  credentials: { kind: "kubeconfig", kubeconfig },
  exposure: { kind: "nodePort", addresses: ["10.0.0.11"] },
  ...more,
});
const problems = (more: object) => problemsOf({ placement: placement(more) });

test("a program that has no pods is refused with the one that was probably meant", () => {
  const programs =
    "etcd, kube-apiserver, kube-controller-manager, karmada-aggregated-apiserver, karmada-webhook, karmada-search, karmada-metrics-adapter, karmada-controller-manager, karmada-scheduler, karmada-descheduler, karmada-agent, karmada-scheduler-estimator, etcd-backup";
  expect(problems({ pods: { "kube-apisever": {}, haproxy: {} } })).toEqual([
    'placement.pods.kube-apisever: no such program, did you mean "kube-apiserver"?',
    `placement.pods.haproxy: no such program, want some of ${programs}`,
  ]);
  expect(problems({ images: { pinned: { ecd: "registry.example.org/etcd:v3.6.6" } } })).toEqual([
    'placement.images.pinned.ecd: no such program, did you mean "etcd"?',
  ]);
  const all = Object.fromEntries(programs.split(", ").map((program) => [program, { nodeSelector: { tier: "one" } }]));
  expect(problems({ pods: all })).toEqual([]);
});

test("labels and annotations are what Kubernetes accepts", () => {
  const wrong = { labels: { "a b": "x", team: "a b" }, annotations: { "a b": "x", cost: 3 } };
  const all = (path: string) => [
    `${path}labels["a b"]: this key is not allowed, want a label key such as "tier" or "example.org/tier"`,
    `${path}labels.team: got "a b", want a label value: text of at most 63 letters, digits, '-', '_' and '.', in quotes`,
    `${path}annotations["a b"]: this key is not allowed, want the key of an annotation such as "example.org/kind"`,
    `${path}annotations.cost: got 3, want text, in quotes`,
  ];
  expect(problems(wrong)).toEqual(all("placement."));
  expect(problems({ pods: { etcd: wrong } })).toEqual(all("placement.pods.etcd."));
});

test("labels and annotations that others set are refused, with who does", () => {
  const keys = {
    "app.kubernetes.io/name": "this program",
    "app.kubernetes.io/instance": "this program",
    "app.kubernetes.io/managed-by": "this program",
    "karmada-pulumi/alone": "this program",
    "pod-template-hash": "Kubernetes",
    "controller-revision-hash": "Kubernetes",
    "statefulset.kubernetes.io/pod-name": "Kubernetes",
    "apps.kubernetes.io/pod-index": "Kubernetes",
    "topology.kubernetes.io/zone": "Kubernetes",
    "topology.kubernetes.io/region": "Kubernetes",
  };
  const labels = Object.fromEntries(Object.keys(keys).map((key) => [key, "x"]));
  const where = (path: string, key: string) => `${path}${/^[-\w]+$/.test(key) ? `.${key}` : `["${key}"]`}`;
  const refused = (path: string) =>
    Object.entries(keys).map(
      ([key, owner]) => `${where(path, key)}: this key is not allowed, want another label: ${owner} sets it`,
    );
  expect(problems({ labels, pods: { etcd: { labels } } })).toEqual([
    ...refused("placement.labels"),
    ...refused("placement.pods.etcd.labels"),
  ]);
  const annotations = {
    "karmada-pulumi/files": "x",
    "kubernetes.io/config.mirror": "x",
    "kubernetes.io/limit-ranger": "x",
    "kubectl.kubernetes.io/restartedAt": "x",
  };
  expect(problems({ pods: { etcd: { annotations } } })).toEqual(
    ["this program", "Kubernetes", "Kubernetes", "kubectl"].map(
      (owner, i) =>
        `placement.pods.etcd.annotations["${Object.keys(annotations)[i]}"]: this key is not allowed, want another annotation: ${owner} sets it`,
    ),
  );
  const usual = {
    labels: { "app.kubernetes.io/part-of": "fleet", "sidecar.istio.io/inject": "false" },
    annotations: {
      "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
      "kubectl.kubernetes.io/default-container": "etcd",
    },
  };
  expect(problems({ ...usual, pods: { etcd: usual } })).toEqual([]);
});

test("nodes, tolerations and priority of a program stand in place of the general ones, labels and annotations beside them", () => {
  const general = {
    nodeSelector: { pool: "karmada" },
    tolerations: [{ key: "pool", operator: "Exists" }],
    priorityClass: "high",
    labels: { team: "fleet", part: "all" },
    annotations: { cost: "1" },
  };
  const own = {
    nodeSelector: {},
    tolerations: [],
    priorityClass: "higher",
    labels: { part: "data" },
    annotations: { disk: "fast" },
  };
  const pods = { etcd: own, "karmada-webhook": { labels: { part: "webhook" } } };
  const found = resolve({ placement: placement({ ...general, pods }) }, context)
    .placement as KubernetesPlacement<unknown>;
  expect(podSettingsOf(found, "etcd")).toMatchObject({
    nodeSelector: {},
    tolerations: [],
    priorityClass: "higher",
    labels: { team: "fleet", part: "data" },
    annotations: { cost: "1", disk: "fast" },
  });
  expect(podSettingsOf(found, "karmada-webhook")).toEqual({ ...found, labels: { team: "fleet", part: "webhook" } });
  expect(podSettingsOf(found, "karmada-search")).toEqual(found);
  expect(["etcd", "karmada-webhook", "karmada-search"].filter((name) => hasOwnNodes(found, name))).toEqual(["etcd"]);
});

test("the values of a program are checked as the general ones", () => {
  expect(problems({ pods: { etcd: { nodeSelector: { disk: "a b" }, tolerations: [{}], priorityClass: "" } } })).toEqual(
    [
      "placement.pods.etcd.nodeSelector.disk: got \"a b\", want a label value: text of at most 63 letters, digits, '-', '_' and '.', in quotes",
      'placement.pods.etcd.tolerations[0].key: missing, want the key of a taint, or operator "Exists", which without a key tolerates every taint',
      'placement.pods.etcd.priorityClass: got "", want the name of a priority class',
    ],
  );
});
