/** What is otherwise for the pods of one program in a host cluster. */
import * as pulumi from "@pulumi/pulumi";
import { sampleKubeconfig } from "../../support/sample-kubeconfig.ts";
import type { InPods } from "../../../components/placement/kubernetes.ts";
import type { Process } from "../../../components/process.ts";
import { deploymentOf } from "../support/deployment.ts";
import { settled, valueOf, withMocks } from "../support/mocks.ts";

const registered = await withMocks({});
const { kubernetesPlacement } = await import("../../../components/placement/kubernetes.ts");
const { podNeedsOf } = await import("../../../components/placement/kubernetes-pod-needs.ts");

const onStorage = { nodeSelector: { disk: "fast" }, tolerations: [] };
const general = { nodeSelector: { pool: "karmada" }, tolerations: [{ key: "pool", operator: "Exists" }] };

const deployment = (name: string, more: object, rest: object = {}) =>
  deploymentOf({
    name,
    placement: {
      kind: "kubernetes",
      credentials: { kind: "kubeconfig", kubeconfig: sampleKubeconfig() },
      exposure: { kind: "nodePort", addresses: ["10.0.0.11"] },
      ...more,
    },
    ...rest,
  }) as unknown as InPods;

const process = (component: string, more: object = {}): Process => ({
  name: component,
  component,
  program: { name: component, version: "1.18.2" },
  args: [],
  ports: ["http"],
  files: {},
  certificates: [],
  probe: { kind: "http", scheme: "http", port: "http", path: "/healthz" },
  startDeadline: "60s",
  stopDeadline: "10s",
  ...more,
});
const etcd = process("etcd", {
  name: "etcd-0",
  program: { name: "etcd", version: "3.6.6" },
  ports: ["client", "http"],
});
const backup = process("etcd-backup", { program: { main: "lib/backup/main.ts" } });

/** Places one of each, and says with which revision etcd is prepared. */
async function placed(name: string, more: object): Promise<string> {
  const { placement, ...rest } = deployment(name, more);
  const { kubeconfig } = placement.credentials as unknown as { kubeconfig: string };
  const credentials = { ...placement.credentials, kubeconfig: pulumi.secret(kubeconfig) };
  const made = await kubernetesPlacement({ ...rest, placement: { ...placement, credentials } });
  for (const each of [process("karmada-webhook"), process("kube-apiserver"), backup]) made.place(each, {}, {});
  return valueOf(made.prepare(etcd, {}, {}).revision);
}

const pods = {
  etcd: { ...onStorage, priorityClass: "data", labels: { part: "data" }, annotations: { "example.org/disk": "fast" } },
  "kube-apiserver": { annotations: { "example.org/scrape": "yes" } },
  "etcd-backup": { nodeSelector: {}, labels: { part: "backup" } },
};
const shared = { ...general, priorityClass: "plane" };
const plain = await placed("plain", shared);
const own = await placed("own", { ...shared, pods });
const others = await placed("others", { ...shared, pods: { ...pods, etcd: {} } });
const counted = await placed("counted", {
  ...shared,
  labels: { team: "fleet" },
  annotations: { "example.org/cost": "7" },
});
await settled();

// Objects as their API has them: whatever field is asked for.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
const found = (type: string, name: string): any =>
  registered.find((each) => each.type.endsWith(type) && each.name === name)?.inputs;
const templateOf = (name: string) => found(":Deployment", name).spec.template;
const memberOf = (name: string) => JSON.parse(found(":ConfigMap", `${name}-etcd-0`).data.member).template;

test("a program has its own nodes, priority, labels and annotations, and the others have the general ones", () => {
  const { metadata, spec } = templateOf("own-etcd-backup");
  expect(spec).not.toHaveProperty("nodeSelector");
  expect(spec).toMatchObject({ tolerations: general.tolerations, priorityClassName: "plane" });
  expect(metadata.labels).toMatchObject({ part: "backup", "app.kubernetes.io/name": "etcd-backup" });
  const apiServer = templateOf("own-kube-apiserver");
  expect(apiServer.spec).toEqual(templateOf("plain-kube-apiserver").spec);
  expect(apiServer.metadata.annotations).toMatchObject({
    "example.org/scrape": "yes",
    "karmada-pulumi/files": expect.any(String),
  });
  expect(templateOf("own-karmada-webhook")).toEqual(templateOf("plain-karmada-webhook"));
});

test("labels of pods are none of their objects, and nothing finds pods by them", () => {
  const { metadata, spec } = found(":Deployment", "own-etcd-backup");
  expect(metadata.labels).not.toHaveProperty("part");
  expect(spec.selector.matchLabels).toEqual({ "app.kubernetes.io/instance": "etcd-backup" });
});

test("members of etcd change one after another when theirs change, and stay as they are for those of others", () => {
  const { metadata, spec } = memberOf("own");
  expect(spec).toMatchObject({ nodeSelector: { disk: "fast" }, priorityClassName: "data" });
  expect(spec).not.toHaveProperty("tolerations");
  expect(metadata).toMatchObject({ labels: { part: "data" }, annotations: { "example.org/disk": "fast" } });
  // The reconciler restarts a member whose revision is another one.
  expect(own).not.toBe(plain);
  expect(others).toBe(plain);
  expect(memberOf("others")).toEqual(memberOf("plain"));
});

test("without annotations of its own a member is written down as it always was", () => {
  expect(Object.keys(memberOf("plain").metadata)).toEqual(["labels"]);
});

test("general labels and annotations are those of every pod", () => {
  const wanted = { labels: { team: "fleet" }, annotations: { "example.org/cost": "7" } };
  for (const name of ["karmada-webhook", "kube-apiserver", "etcd-backup"])
    expect(templateOf(`counted-${name}`).metadata).toMatchObject(wanted);
  expect(memberOf("counted").metadata).toMatchObject(wanted);
  expect(counted).not.toBe(plain);
});

test("the preview asks for the nodes of each program that has its own, and counts its pods there", () => {
  const needs = podNeedsOf(
    deployment("needs", {
      ...shared,
      antiAffinity: "required",
      pods: { ...pods, "karmada-search": { priorityClass: "low" }, "karmada-scheduler": { tolerations: [] } },
    }),
  );
  expect(needs).toMatchObject({
    priorityClass: "plane",
    ownPriorityClasses: { etcd: "data" }, // karmada-search is switched off
    pods: { nodeSelector: { pool: "karmada" }, apart: { "kube-apiserver": 2, "karmada-webhook": 2 } },
  });
  expect(needs.pods.apart).not.toHaveProperty("etcd");
  expect(needs.pods.apart).not.toHaveProperty("karmada-scheduler");
  const required = true;
  expect(needs.otherPods).toEqual([
    { program: "etcd", ...onStorage, apart: { etcd: 3 }, required },
    {
      program: "karmada-scheduler",
      nodeSelector: general.nodeSelector,
      tolerations: [],
      apart: { "karmada-scheduler": 2 },
      required,
    },
  ]);
});

test("programs that run only for members and schedules are asked for where there are some", () => {
  const mine = { nodeSelector: { edge: "yes" } };
  const named = ["karmada-agent", "karmada-scheduler-estimator", "etcd-backup"];
  const more = { pods: Object.fromEntries(named.map((program) => [program, mine])) };
  expect(podNeedsOf(deployment("without", more))).not.toHaveProperty("otherPods");
  const credentials = { kind: "kubeconfig", kubeconfig: sampleKubeconfig() };
  const { otherPods } = podNeedsOf(
    deployment("with", more, {
      controlPlane: { "karmada-scheduler-estimator": { enabled: true } },
      members: [{ name: "oslo", syncMode: "Pull", credentials }],
      snapshots: {
        targets: [
          { kind: "s3", bucket: "backup", credentials: { kind: "keys", accessKeyId: "a", secretAccessKey: "s" } },
        ],
        schedule: { cron: "15 * * * *" },
      },
    }),
  );
  expect(otherPods?.map(({ program, nodeSelector }) => [program, nodeSelector])).toEqual(
    named.map((program) => [program, mine.nodeSelector]),
  );
});

test("nobody is asked for general nodes when every program has its own", () => {
  const enabled = [
    "etcd",
    "kube-apiserver",
    "kube-controller-manager",
    "karmada-aggregated-apiserver",
    "karmada-webhook",
  ];
  const rest = ["karmada-controller-manager", "karmada-scheduler", "karmada-search", "karmada-metrics-adapter"];
  const all = [...enabled, ...rest, "karmada-descheduler"].map((program) => [
    program,
    { nodeSelector: { at: program } },
  ]);
  const { pods, otherPods = [] } = podNeedsOf(deployment("all", { ...general, pods: Object.fromEntries(all) }));
  for (const { program, nodeSelector } of [pods, ...otherPods]) expect(nodeSelector).toEqual({ at: program });
});
