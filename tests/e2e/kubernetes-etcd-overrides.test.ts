/** Events in an etcd of their own in pods: where they lie, what a member of it that is lost means, restore, ways to it, and that nothing is left. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanUp } from "../support/clean-up.ts";
import { hasKubernetesLab, KubernetesLab } from "../support/kubernetes-lab.ts";
import { labImages } from "../support/kubernetes-lab/images.ts";
import { Ingresses } from "../support/kubernetes-lab/ingresses.ts";
import { labBalancers, LoadBalancers } from "../support/kubernetes-lab/load-balancers.ts";
import { storageClass } from "../support/kubernetes-lab/objects.ts";
import { Programs } from "../support/running.ts";
import { type S3Server, startS3 } from "../support/s3.ts";
import { EventsApart, noteEvent } from "./support/events-apart.ts";
import { eventually, type Json, type Kubectl, Kubectls } from "./support/kubectl.ts";
import { oneOfEach } from "./support/one-of-each.ts";
import { TestStack } from "./support/stack.ts";

const labPort = 29660;
const s3Port = 29680;
const namespace = "split";
const host = "karmada.example.org";
const first = { members: 1 };
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
  let events: EventsApart;
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
      controlPlane: oneOfEach,
      snapshots: {
        targets: [
          { ...bucket, credentials: { ...credentials, secretAccessKey: await stack.secret("test-secret-key") } },
        ],
        schedule: { cron: "0 3 * * *" },
        beforeChange: "never",
      },
    };
    events = new EventsApart(stack);
    events.declare({ members: 3 }, first);
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

  const dump = () =>
    hostCluster(["get", "namespaces,services,secrets,deployments,networkpolicies,pvc", "-A", "-o", "name"]);
  const inNamespace = (...args: string[]) => hostCluster([...args, "-n", namespace]);

  test("an event lies in each member of that etcd and not in the first one, and snapshots are of both", async () => {
    expect(await events.up()).toEqual([0, 1, 2].map((i) => [`etcd-events-${i}`, true]));
    expect(events.outputs.etcd.overrides.events.clusterId).not.toBe(events.outputs.etcd.clusterId);
    kubectl = await kubectls.to(events.outputs.kubeconfig);
    await noteEvent(kubectl, "first");
    expect(events.endpoints).toEqual([0, 1, 2].map((i) => `https://${lab.network.node}:${31389 + i}`));
    await eventually(
      () => events.in(events.endpoints),
      (found) => found.every((keys) => keys.includes("default/first")),
    );
    expect(await events.in(events.outputs.etcdAccess.endpoints)).toEqual([[]]);
    expect(events.outputs.backups).toMatchObject({ lastSuccess: expect.any(String) });
    expect(events.outputs.backups.problem).toBeUndefined();
    const budgets = await hostCluster.get<{ items: Json[] }>("pdb", "-n", namespace);
    const ofEtcd = budgets.items.filter(({ metadata }) => metadata.name.startsWith("etcd"));
    expect(ofEtcd.map(({ metadata, status }) => [metadata.name, status.expectedPods])).toEqual([["etcd-events", 3]]);
  }, 420_000);

  test("a second up and a refresh find nothing to change", async () => {
    await events.unchanged();
    await events.pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes");
  }, 300_000);

  test("with one of its members ended events are written and read, and one whose volume is lost is replaced by an edit", async () => {
    await inNamespace("scale", "statefulset", "etcd-events-1", "--replicas=0");
    await inNamespace("wait", "--for=delete", "pod/etcd-events-1-0", "--timeout=50s");
    await noteEvent(kubectl, "second");
    expect((await kubectl(["get", "events", "first", "second", "-o", "name"])).trim().split("\n")).toEqual([
      "event/first",
      "event/second",
    ]);
    await inNamespace("delete", "statefulset", "etcd-events-1");
    await inNamespace("delete", "pvc", "-l", "karmada-pulumi/member=etcd-events-1");
    events.declare({ members: 3, replace: { "etcd-events-1": 1 } }, first);
    expect(await events.up()).toEqual([0, 1, 2].map((i) => [`etcd-events-${i}`, true]));
    expect((await events.in([events.endpoints[1]!]))[0]).toEqual(
      expect.arrayContaining(["default/first", "default/second"]),
    );
    await events.unchanged();
  }, 420_000);

  test("a restore takes both etcds back to the same snapshot", async () => {
    expect(await events.goBack(backup, kubectl, { members: 3 }, first)).toEqual(
      [0, 1, 2].map((i) => [`etcd-events-${i}`, true]),
    );
    for (const keys of await events.in(events.endpoints)) expect(keys).toContain("default/first");
    await events.unchanged();
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
    expect(await events.up()).toEqual(healthy);
    const { status } = await hostCluster.get<Json>("service", "etcd-load-balancer", "-n", namespace);
    const address = status.loadBalancer.ingress[0].ip as string;
    expect(events.endpoints).toEqual([2389, 2390, 2391].map((port) => `https://${address}:${port}`));
    expect((await events.in(events.endpoints))[2]).toContain("default/first");

    expose({
      ...{ kind: "ingress", host, ingressClass: "passing" },
      annotations: { "haproxy-ingress.github.io/ssl-passthrough": "true" },
    });
    const members = ["etcd-0", ...[0, 1, 2].map((i) => `etcd-events-${i}`)].map((name) => `${name}.${host}`);
    writeFileSync(hosts, `127.0.0.1 localhost\n${lab.network.node} ${[host, ...members].join(" ")}\n`);
    expect(await events.up()).toEqual(healthy);
    expect(events.endpoints).toEqual(members.slice(1).map((name) => `https://${name}:443`));
    await events.unchanged();
    expect(await podsOfEtcd()).toBe(there);
  }, 420_000);

  test("destroy leaves the host cluster as it was", async () => {
    await events.pulumi("destroy", "--yes", "--skip-preview");
    expect(await dump()).toEqual(before);
  }, 180_000);
});
