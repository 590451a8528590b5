/** The ways to the API servers and etcd of a Karmada in pods, one after another by an edit each, while it goes on. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, stringify } from "yaml";
import { cleanUp } from "../support/clean-up.ts";
import { hasKubernetesLab, KubernetesLab } from "../support/kubernetes-lab.ts";
import { Ingresses } from "../support/kubernetes-lab/ingresses.ts";
import { labBalancers, LoadBalancers } from "../support/kubernetes-lab/load-balancers.ts";
import { storageClass } from "../support/kubernetes-lab/objects.ts";
import { eventually, Kubectls, type Json, type Kubectl } from "./support/kubectl.ts";
import { oneOfEach } from "./support/one-of-each.ts";
import { TestStack } from "./support/stack.ts";

interface Outputs {
  kubeconfig: string;
  endpoints: string[];
  etcd: { members: { name: string; healthy: boolean }[] };
}

const labPort = 28640;
const namespace = "reached";
const host = "karmada.example.org";
const images = [
  "quay.io/coreos/etcd:v3.6.6",
  ...["kube-apiserver", "kube-controller-manager"].map((name) => `registry.k8s.io/${name}:v1.35.3`),
  ...["aggregated-apiserver", "controller-manager", "scheduler", "webhook"].map(
    (name) => `docker.io/karmada/karmada-${name}:v1.18.2`,
  ),
];
const describeLab = hasKubernetesLab(["haproxy"]) ? describe : describe.skip;

describeLab("the ways to a Karmada in a host cluster", () => {
  let lab: KubernetesLab;
  let balancers: LoadBalancers;
  let ingresses: Ingresses;
  let stack: TestStack;
  let hostCluster: Kubectl;
  let before: string;
  /** What the pulumi command finds names in, instead of this machine's. */
  let hosts: string;
  let etcdPods: string[];
  const kubectls = new Kubectls();

  beforeAll(async () => {
    lab = new KubernetesLab(15, labPort);
    await lab.start(images, 3);
    balancers = new LoadBalancers(lab.cluster.client, lab.network);
    ingresses = new Ingresses(lab.cluster.client, lab.network, lab.directory);
    await ingresses.addClass("passing");
    hostCluster = await kubectls.to(lab.cluster.kubeconfig);
    hosts = join(lab.directory, "hosts");
    writeFileSync(hosts, "127.0.0.1 localhost\n");
    const script = 'mount --bind "$0" /etc/hosts && exec "$@"';
    stack = await TestStack.create({}, 0, { prefix: ["unshare", "--mount", "sh", "-c", script, hosts] });
    stack.config = {
      placement: {
        kind: "kubernetes",
        credentials: { kind: "kubeconfig", kubeconfig: await stack.secret(lab.cluster.kubeconfig) },
        namespace,
        storage: { storageClass },
      },
      controlPlane: oneOfEach,
    };
    before = await dump();
  }, 300_000);

  afterAll(
    () =>
      cleanUp(
        () => kubectls.remove(),
        () => stack?.remove(),
        () => ingresses?.stop(),
        () => balancers?.stop(),
        () => lab?.stop(),
      ),
    300_000,
  );

  const expose = (exposure: object) => {
    stack.config = { ...stack.config, placement: { ...(stack.config["placement"] as object), exposure } };
  };
  const pulumi = async (...args: string[]) => (await stack.successfully(args, { timeoutSeconds: 600 })).text;
  /** Brings it there, and back to rest; gives what clients are given. */
  const up = async () => {
    await pulumi("up", "--yes", "--skip-preview");
    const { kubeconfig, endpoints, etcd } = await stack.outputs<Outputs>();
    expect(etcd.members.map(({ name, healthy }) => [name, healthy])).toEqual(
      ["etcd-0", "etcd-1", "etcd-2"].map((name) => [name, true]),
    );
    await pulumi("up", "--yes", "--skip-preview", "--expect-no-changes");
    return { kubeconfig, endpoints };
  };
  const dump = () =>
    hostCluster(["get", "namespaces,services,secrets,deployments,ingresses,networkpolicies,pvc", "-A", "-o", "name"]);
  const podsOfEtcd = async () => {
    const { items } = await hostCluster.get<{ items: Json[] }>(
      "pods",
      "-n",
      namespace,
      "-l",
      "app.kubernetes.io/name=etcd",
    );
    return items.map(({ metadata }) => metadata.uid as string).toSorted();
  };
  const servicesOfType = async (type: string) => {
    const { items } = await hostCluster.get<{ items: Json[] }>("services", "-n", namespace);
    return items.filter(({ spec }) => spec.type === type);
  };

  test("load balancers are waited for, and what they are assigned is in certificates, kubeconfig and outputs", async () => {
    expose({
      kind: "loadBalancer",
      loadBalancerClass: labBalancers,
      annotations: { "example.org/made-for": "clients" },
      etcd: { sourceRanges: [`${lab.network.machine}/32`] },
    });
    expect(await pulumi("preview")).toContain("karmada-apiserver-load-balancer");
    expect(await dump()).toEqual(before);
    const { kubeconfig, endpoints } = await up();
    const made = await servicesOfType("LoadBalancer");
    const addresses = Object.fromEntries(
      made.map(({ metadata, status }) => [metadata.name, status.loadBalancer.ingress[0].ip as string]),
    );
    const { "karmada-apiserver-load-balancer": api, "etcd-load-balancer": ofEtcd } = addresses;
    expect(endpoints).toEqual([`https://${api}:5443`]);
    expect(
      made.find(({ metadata }) => metadata.name === "karmada-apiserver-load-balancer")?.metadata.annotations,
    ).toEqual(expect.objectContaining({ "example.org/made-for": "clients" }));
    const kubectl = await kubectls.to(kubeconfig);
    await kubectl(["create", "configmap", "kept"]);
    expect({
      "API servers, from anywhere": await lab.reaches("coredns", api!, 5443),
      "etcd, from elsewhere": await lab.reaches("coredns", ofEtcd!, 2381),
    }).toEqual({ "API servers, from anywhere": true, "etcd, from elsewhere": false });
    etcdPods = await podsOfEtcd();
  }, 420_000);

  test("from load balancers to ports of the nodes is one edit, and members of etcd are not restarted for it", async () => {
    expose({ kind: "nodePort", addresses: [lab.network.node], apiServer: 31444, etcd: 31390 });
    const { kubeconfig, endpoints } = await up();
    expect(endpoints).toEqual([`https://${lab.network.node}:31444`]);
    const kubectl = await kubectls.to(kubeconfig);
    await eventually(
      () => kubectl.get("configmap", "kept"),
      () => true,
      30,
    );
    expect(await servicesOfType("LoadBalancer")).toEqual([]);
    expect(await podsOfEtcd()).toEqual(etcdPods);
  }, 420_000);

  test("an Ingress whose controller would not pass TLS through is refused, and nothing is changed", async () => {
    expose({ kind: "ingress", host, ingressClass: "passing" });
    const state = await dump();
    const { exitCode, text } = await stack.pulumi(["up", "--yes", "--skip-preview"]);
    expect(exitCode).not.toBe(0);
    expect(text).toContain(
      'an Ingress without TLS passthrough: "passing" is of haproxy-ingress.github.io/controller, and in placement.exposure.annotations haproxy-ingress.github.io/ssl-passthrough is missing, want "true"',
    );
    expect(await dump()).toEqual(state);
  }, 120_000);

  test("an Ingress passes TLS through to the API servers and to each member of etcd, by one edit", async () => {
    expose({
      kind: "ingress",
      host,
      ingressClass: "passing",
      annotations: { "haproxy-ingress.github.io/ssl-passthrough": "true" },
    });
    const names = [host, ...[0, 1, 2].map((number) => `etcd-${number}.${host}`)];
    writeFileSync(hosts, `127.0.0.1 localhost\n${lab.network.node} ${names.join(" ")}\n`);
    const { kubeconfig, endpoints } = await up();
    expect(endpoints).toEqual([`https://${host}:443`]);
    const kubectl = await kubectls.to(led(kubeconfig, lab.network.node));
    await eventually(
      () => kubectl.get("configmap", "kept"),
      () => true,
      30,
    );
    expect(await servicesOfType("NodePort")).toEqual([]);
    expect(await podsOfEtcd()).toEqual(etcdPods);
  }, 420_000);

  test("who has a way into the network of pods comes by the names that pods have", async () => {
    expose({ kind: "clusterIP" });
    const { items: pods } = await hostCluster.get<{ items: Json[] }>(
      "pods",
      "-n",
      namespace,
      "-l",
      "app.kubernetes.io/name=etcd",
    );
    const { spec } = await hostCluster.get("service", "karmada-apiserver", "-n", namespace);
    const inside = (name: string) => `${name}.${namespace}.svc.cluster.local`;
    const lines = [
      `${spec.clusterIP} ${inside("karmada-apiserver")}`,
      ...pods.map(({ metadata, status }) => `${status.podIP} ${inside(metadata.name.replace(/-0$/, ""))}`),
    ];
    writeFileSync(hosts, ["127.0.0.1 localhost", ...lines, ""].join("\n"));
    lab.network.lead();
    const { kubeconfig, endpoints } = await up();
    expect(endpoints).toEqual([`https://${inside("karmada-apiserver")}:5443`]);
    const kubectl = await kubectls.to(led(kubeconfig, spec.clusterIP));
    await eventually(
      () => kubectl.get("configmap", "kept"),
      () => true,
      30,
    );
    expect(await dump()).not.toContain("ingress");
    expect(await podsOfEtcd()).toEqual(etcdPods);
  }, 420_000);

  test("destroy leaves the host cluster as it was", async () => {
    await pulumi("destroy", "--yes", "--skip-preview");
    expect(await dump()).toEqual(before);
  }, 180_000);
});

/** A kubeconfig for who does not know the name of its server. */
function led(kubeconfig: string, address: string): string {
  const config = parse(kubeconfig) as { clusters: { cluster: { server: string; "tls-server-name"?: string } }[] };
  const { cluster } = config.clusters[0]!;
  const url = new URL(cluster.server);
  cluster["tls-server-name"] = url.hostname;
  cluster.server = `https://${address}:${url.port || "443"}`;
  return stringify(config);
}
