/** Events in an etcd of their own in pods: where they lie, what a member of it that is lost means, restore, ways to it, and that nothing is left. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EtcdAccess } from "../../components/etcd-access.ts";
import { cleanUp } from "../support/clean-up.ts";
import { hasKubernetesLab, KubernetesLab } from "../support/kubernetes-lab.ts";
import { labImages } from "../support/kubernetes-lab/images.ts";
import { Ingresses } from "../support/kubernetes-lab/ingresses.ts";
import { labBalancers, LoadBalancers } from "../support/kubernetes-lab/load-balancers.ts";
import { storageClass } from "../support/kubernetes-lab/objects.ts";
import { Programs } from "../support/running.ts";
import { type S3Server, startS3 } from "../support/s3.ts";
import { keysBelow } from "./support/keys-in-etcd.ts";
import { eventually, type Json, type Kubectl, Kubectls } from "./support/kubectl.ts";
import { TestStack } from "./support/stack.ts";
import { takeInto } from "./support/take-snapshot.ts";

interface EtcdState {
  clusterId: string;
  members: { name: string; healthy: boolean }[];
  overrides: { events: EtcdState };
}

interface Outputs {
  kubeconfig: string;
  etcd: EtcdState;
  etcdAccess: EtcdAccess;
  backups: { lastSuccess?: string; problem?: string };
}

const labPort = 29660;
const s3Port = 29680;
const namespace = "split";
const host = "karmada.example.org";
const describeLab = hasKubernetesLab(["haproxy"]) ? describe : describe.skip;

describeLab("a Karmada in a host cluster that keeps events in an etcd of their own", () => {
  let lab: KubernetesLab;
  let programs: Programs;
  let balancers: LoadBalancers;
  let ingresses: Ingresses;
  /** What the pulumi command finds names in, instead of this machine's. */
  let hosts: string;
  let s3: S3Server;
  let stack: TestStack;
  let hostCluster: Kubectl;
  let kubectl: Kubectl;
  let before: string;
  let outputs: Outputs;
  const kubectls = new Kubectls();
  const backup = mkdtempSync(join(tmpdir(), "kubernetes-overrides-backup-"));

  beforeAll(async () => {
    lab = new KubernetesLab(35, labPort);
    programs = new Programs(mkdtempSync(join(tmpdir(), "kubernetes-overrides-")));
    await lab.start(labImages, 12);
    balancers = new LoadBalancers(lab.cluster.client, lab.network);
    ingresses = new Ingresses(lab.cluster.client, lab.network, lab.directory);
    await ingresses.addClass("passing");
    s3 = await startS3(programs, s3Port, "karmada-backup", lab.network.machine);
    hostCluster = await kubectls.to(lab.cluster.kubeconfig);
    before = await dump();
    hosts = join(lab.directory, "hosts");
    writeFileSync(hosts, "127.0.0.1 localhost\n");
    const script = 'mount --bind "$0" /etc/hosts && exec "$@"';
    stack = await TestStack.create({}, 0, { prefix: ["unshare", "--mount", "sh", "-c", script, hosts] });
    const { credentials, ...bucket } = s3.settings;
    stack.config = {
      placement: {
        kind: "kubernetes",
        credentials: { kind: "kubeconfig", kubeconfig: await stack.secret(lab.cluster.kubeconfig) },
        namespace,
        storage: { storageClass },
        exposure: { kind: "nodePort", addresses: [lab.network.node], apiServer: 31443, etcd: 31379 },
      },
      controlPlane: Object.fromEntries(components.map((name) => [name, { replicas: 1 }])),
      etcd: etcd({ members: 3 }),
      snapshots: {
        targets: [
          { ...bucket, credentials: { ...credentials, secretAccessKey: await stack.secret("test-secret-key") } },
        ],
        schedule: { cron: "0 3 * * *" },
        beforeChange: "never",
      },
    };
  }, 300_000);

  afterAll(
    () =>
      cleanUp(
        () => kubectls.remove(),
        () => stack?.remove(),
        () => programs?.remove(),
        () => ingresses?.stop(),
        () => balancers?.stop(),
        () => lab?.stop(),
        () => rmSync(backup, { recursive: true }),
      ),
    300_000,
  );

  const etcd = (events: object) => ({
    kind: "managed",
    members: 1,
    overrides: [{ name: "events", resources: ["/events"], ...events }],
  });
  const dump = () =>
    hostCluster(["get", "namespaces,services,secrets,deployments,networkpolicies,pvc", "-A", "-o", "name"]);
  const inNamespace = (...args: string[]) => hostCluster([...args, "-n", namespace]);
  const pulumi = async (...args: string[]) => (await stack.successfully(args, { timeoutSeconds: 600 })).text;
  const up = async () => {
    await pulumi("up", "--yes", "--skip-preview");
    outputs = await stack.outputs<Outputs>();
    return outputs.etcd.overrides.events.members.map(({ name, healthy }) => [name, healthy]);
  };
  const eventsIn = async (endpoints: readonly string[]) =>
    Promise.all(endpoints.map((endpoint) => keysBelow(outputs.etcdAccess, endpoint, "events")));
  const part = () => outputs.etcdAccess.parts.find(({ name }) => name === "events")!;
  const noted = (name: string) =>
    kubectl(
      ["create", "-f", "-"],
      JSON.stringify({
        ...{ apiVersion: "v1", kind: "Event", metadata: { name, namespace: "default" } },
        ...{ involvedObject: { namespace: "default" }, reason: "Tested", message: name, type: "Normal" },
      }),
    );

  test("an event lies in each member of that etcd and not in the first one, and snapshots are of both", async () => {
    expect(await up()).toEqual([0, 1, 2].map((i) => [`etcd-events-${i}`, true]));
    expect(outputs.etcd.overrides.events.clusterId).not.toBe(outputs.etcd.clusterId);
    kubectl = await kubectls.to(outputs.kubeconfig);
    await noted("first");
    expect(part().endpoints).toEqual([0, 1, 2].map((i) => `https://${lab.network.node}:${31389 + i}`));
    await eventually(
      () => eventsIn(part().endpoints),
      (found) => found.every((keys) => keys.includes("default/first")),
    );
    expect(await eventsIn(outputs.etcdAccess.endpoints)).toEqual([[]]);
    expect(outputs.backups).toMatchObject({ lastSuccess: expect.any(String) });
    expect(outputs.backups.problem).toBeUndefined();
    const budgets = await hostCluster.get<{ items: Json[] }>("pdb", "-n", namespace);
    const ofEtcd = budgets.items.filter(({ metadata }) => metadata.name.startsWith("etcd"));
    expect(ofEtcd.map(({ metadata, status }) => [metadata.name, status.expectedPods])).toEqual([["etcd-events", 3]]);
  }, 420_000);

  test("a second up and a refresh find nothing to change", async () => {
    await pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
    await pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes");
  }, 300_000);

  test("with one of its members ended events are written and read, and one whose volume is lost is replaced by an edit", async () => {
    await inNamespace("scale", "statefulset", "etcd-events-1", "--replicas=0");
    await inNamespace("wait", "--for=delete", "pod/etcd-events-1-0", "--timeout=50s");
    await noted("second");
    expect((await kubectl(["get", "events", "first", "second", "-o", "name"])).trim().split("\n")).toEqual([
      "event/first",
      "event/second",
    ]);
    await inNamespace("delete", "statefulset", "etcd-events-1");
    await inNamespace("delete", "pvc", "-l", "karmada-pulumi/member=etcd-events-1");
    stack.config["etcd"] = etcd({ members: 3, replace: { "etcd-events-1": 1 } });
    expect(await up()).toEqual([0, 1, 2].map((i) => [`etcd-events-${i}`, true]));
    expect((await eventsIn([part().endpoints[1]!]))[0]).toEqual(
      expect.arrayContaining(["default/first", "default/second"]),
    );
    await pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
  }, 420_000);

  test("a restore takes both etcds back to the same snapshot", async () => {
    const { clusterId, overrides } = outputs.etcd;
    await takeInto(backup, outputs.etcdAccess);
    await noted("late");
    await kubectl(["create", "configmap", "late"]);
    const restore = {
      ...{ generation: 1, replaceClusterId: clusterId, overrides: { events: overrides.events.clusterId } },
      ...{ overwriteHealthy: true, source: { kind: "snapshot", target: { kind: "local", directory: backup } } },
    };
    stack.config["etcd"] = { ...etcd({ members: 3 }), restore };
    expect(await up()).toEqual([0, 1, 2].map((i) => [`etcd-events-${i}`, true]));
    expect(outputs.etcd.clusterId).not.toBe(clusterId);
    expect(outputs.etcd.overrides.events.clusterId).not.toBe(overrides.events.clusterId);
    for (const keys of await eventsIn(part().endpoints)) {
      expect(keys).toContain("default/first");
      expect(keys).not.toContain("default/late");
    }
    await expect(kubectl(["get", "configmap", "late"])).rejects.toThrow("not found");
    await pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
  }, 420_000);

  test("another way leads to all of its members, by one edit each, and none of them is restarted for it", async () => {
    const podsOfEtcd = () =>
      inNamespace("get", "pods", "-l", "app.kubernetes.io/name=etcd", "-o", "jsonpath={.items[*].metadata.uid}");
    const expose = (exposure: object) => {
      stack.config["placement"] = { ...(stack.config["placement"] as object), exposure };
    };
    const there = await podsOfEtcd();
    const healthy = [0, 1, 2].map((i) => [`etcd-events-${i}`, true]);
    expose({ kind: "loadBalancer", loadBalancerClass: labBalancers, etcd: {} });
    expect(await up()).toEqual(healthy);
    const { status } = await hostCluster.get<Json>("service", "etcd-load-balancer", "-n", namespace);
    const address = status.loadBalancer.ingress[0].ip as string;
    expect(part().endpoints).toEqual([2389, 2390, 2391].map((port) => `https://${address}:${port}`));
    expect((await eventsIn(part().endpoints))[2]).toContain("default/first");

    expose({
      ...{ kind: "ingress", host, ingressClass: "passing" },
      annotations: { "haproxy-ingress.github.io/ssl-passthrough": "true" },
    });
    const members = ["etcd-0", ...[0, 1, 2].map((i) => `etcd-events-${i}`)].map((name) => `${name}.${host}`);
    writeFileSync(hosts, `127.0.0.1 localhost\n${lab.network.node} ${[host, ...members].join(" ")}\n`);
    expect(await up()).toEqual(healthy);
    expect(part().endpoints).toEqual(members.slice(1).map((name) => `https://${name}:443`));
    await pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
    expect(await podsOfEtcd()).toBe(there);
  }, 420_000);

  test("destroy leaves the host cluster as it was", async () => {
    await pulumi("destroy", "--yes", "--skip-preview");
    expect(await dump()).toEqual(before);
  }, 180_000);
});

const components = [
  "kube-apiserver",
  "kube-controller-manager",
  "karmada-aggregated-apiserver",
  "karmada-controller-manager",
  "karmada-scheduler",
  "karmada-webhook",
];
