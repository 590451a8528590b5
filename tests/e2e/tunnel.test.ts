/** A member that nobody can dial is reached through the Karmada API by a tunnel that it opens, as the example of it ships. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { connect } from "node:tls";
import { parse } from "yaml";
import { cleanUp } from "../support/clean-up.ts";
import { hasKubernetesLab, KubernetesLab } from "../support/kubernetes-lab.ts";
import { labImages } from "../support/kubernetes-lab/images.ts";
import { storageClass } from "../support/kubernetes-lab/objects.ts";
import { allReady, eventually, Kubectls, type Json, type Kubectl } from "./support/kubectl.ts";
import { oneOfEach } from "./support/one-of-each.ts";
import { type StackConfig, TestStack } from "./support/stack.ts";

const [hostPort, memberPort] = [28900, 28920];
const [apiServerPort, etcdPort, agentsPort] = [31443, 31379, 31091];
const proxy = (end: string) => `registry.k8s.io/kas-network-proxy/proxy-${end}:v0.34.0`;
const root = join(import.meta.dirname, "..", "..");
const describeLab = hasKubernetesLab(["haproxy"]) ? describe : describe.skip;

describeLab("a member behind a tunnel", () => {
  let host: KubernetesLab;
  let member: KubernetesLab;
  let stack: TestStack;
  let hostCluster: Kubectl;
  let memberCluster: Kubectl;
  let kubectl: Kubectl;
  let addons: StackConfig[];
  const kubectls = new Kubectls();

  beforeAll(async () => {
    host = new KubernetesLab(25, hostPort);
    member = new KubernetesLab(26, memberPort, true);
    await host.start([...labImages, proxy("server"), "docker.io/library/haproxy:3.0"], 1);
    await member.start(["docker.io/karmada/karmada-agent:v1.18.2", proxy("agent")], 0);
    member.network.join(host.network);
    hostCluster = await kubectls.to(host.cluster.kubeconfig);
    memberCluster = await kubectls.to(member.cluster.kubeconfig);
    // What answers comes back, nobody begins.
    const into = `-d ${new URL(addressOf(member)).hostname}/24 -m conntrack --ctstate NEW -j REJECT`;
    host.network.run(`iptables -I OUTPUT ${into}; iptables -I FORWARD ${into}`);
    stack = await TestStack.create({}, 0);
    const secret = async (kubeconfig: string) => ({ kind: "kubeconfig", kubeconfig: await stack.secret(kubeconfig) });
    const shipped = await example();
    addons = shipped.addons;
    const [server, agent] = addons as [Json, Json];
    server.certificates[0].names = [host.network.node];
    agent.source.values = {
      server: { host: host.network.node, port: agentsPort },
      apiServer: new URL(addressOf(member)).hostname,
    };
    stack.config = {
      placement: {
        kind: "kubernetes",
        credentials: await secret(host.cluster.kubeconfig),
        namespace: shipped.placement.namespace,
        storage: { storageClass },
        exposure: { kind: "nodePort", addresses: [host.network.node], apiServer: apiServerPort, etcd: etcdPort },
      },
      etcd: { kind: "managed", members: 1 },
      controlPlane: oneOfEach,
      members: [{ ...shipped.members[0], credentials: await secret(member.cluster.kubeconfig) }],
      addons,
    };
  }, 300_000);

  afterAll(
    () =>
      cleanUp(
        () => kubectls.remove(),
        () => stack?.remove(),
        () => member?.stop(),
        () => host?.stop(),
      ),
    300_000,
  );

  /** What the member says to who asks through the Karmada API. */
  const through = (path: string) =>
    kubectl(["get", "--raw", `/apis/cluster.karmada.io/v1alpha1/clusters/oslo/proxy${path}`]);
  const answered = () => through("/api/v1/namespaces/kube-system");
  const podIn = async (cluster: Kubectl) => {
    const { items } = await cluster.get<{ items: Json[] }>("pods", "-n", "tunnel");
    const [pod, ...others] = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    expect(others).toEqual([]);
    return pod as Json;
  };

  test("one up makes it all, the member and the tunnel, by the files that are shipped", async () => {
    await stack.up();
    kubectl = await kubectls.to((await stack.outputs<{ kubeconfig: string }>()).kubeconfig);
    await allReady(kubectl, 1);
    for (const cluster of [hostCluster, memberCluster])
      expect((await podIn(cluster)).status.containerStatuses.every(({ ready }: Json) => ready)).toBe(true);
    await stack.up("--expect-no-changes");
  }, 420_000);

  test("nobody of the control plane can dial the member, and it answers through the Karmada API", async () => {
    const { hostname, port } = new URL(addressOf(member));
    expect(await host.reaches("karmada-aggregated-apiserver", hostname, Number(port))).toBe(false);
    expect(JSON.parse(await answered()).metadata.name).toBe("kube-system");
    const { metadata } = await podIn(memberCluster);
    expect(await through(`/api/v1/namespaces/tunnel/pods/${metadata.name}/log`)).toContain(host.network.node);
  }, 60_000);

  test("into the near end come the control plane, and agents with a certificate of this deployment", async () => {
    const { podIP } = (await podIn(hostCluster)).status;
    expect(await host.reaches("karmada-aggregated-apiserver", podIP, 8088)).toBe(true);
    expect(await host.reaches("coredns", podIP, 8088)).toBe(false);
    const admin = parse(host.cluster.kubeconfig).users[0].user as Record<string, string>;
    const pem = (key: string) => Buffer.from(admin[key]!, "base64");
    const others = { cert: pem("client-certificate-data"), key: pem("client-key-data") };
    for (const credentials of [{}, others])
      await expect(hello(host.network.node, agentsPort, credentials)).rejects.toThrow(/certificate|alert/);
  }, 60_000);

  test("without its agent the member stays Ready and answers nobody; with it again it does", async () => {
    const scale = (replicas: number) =>
      memberCluster(["scale", "deployment", "tunnel-oslo", "-n", "tunnel", `--replicas=${replicas}`]);
    await scale(0);
    await eventually(() => refused(answered), Boolean, 30);
    const { status } = await kubectl.get("cluster", "oslo");
    expect(status.conditions.find(({ type }: Json) => type === "Ready").status).toBe("True");
    await scale(1);
    await eventually(
      () => refused(answered),
      (isRefused) => !isRefused,
      60,
    );
  }, 120_000);

  test("another certificate is another pod, and the tunnel is there again", async () => {
    const [server, agent] = [await podIn(hostCluster), await podIn(memberCluster)];
    (addons as Json[])[0].certificates[0].names.push("tunnel.example.org");
    await stack.up();
    const now = await podIn(hostCluster);
    expect(now.metadata.uid).not.toBe(server.metadata.uid);
    expect((await podIn(memberCluster)).metadata.uid).toBe(agent.metadata.uid);
    await eventually(
      () => refused(answered),
      (isRefused) => !isRefused,
      60,
    );
    await stack.up("--expect-no-changes");
  }, 300_000);

  test("taken out, of the tunnel nothing is left in either cluster", async () => {
    stack.config["addons"] = [];
    await stack.up();
    for (const cluster of [hostCluster, memberCluster])
      expect(await cluster(["get", "namespaces", "-o", "name"])).not.toContain("tunnel");
    expect(await refused(answered)).toBe(true);
  }, 240_000);
});

const addressOf = ({ cluster }: KubernetesLab): string =>
  parse(cluster.kubeconfig).clusters[0].cluster.server as string;

/** What the example says, with the paths of this tree. */
async function example(): Promise<{ placement: Json; members: Json[]; addons: Json[] }> {
  const { config } = parse(await readFile(join(root, "examples", "Pulumi.tunnel.yaml"), "utf8"));
  const addons = (config["karmada:addons"] as Json[]).map((addon) => ({
    ...addon,
    source: { ...addon.source, directory: join(root, addon.source.directory) },
  }));
  return { placement: config["karmada:placement"], members: config["karmada:members"], addons };
}

const refused = (ask: () => Promise<unknown>): Promise<boolean> =>
  ask().then(
    () => false,
    () => true,
  );

/** Says hello to a server, and waits for what it says to the certificate that is shown. */
function hello(host: string, port: number, credentials: object): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, rejectUnauthorized: false, ALPNProtocols: ["h2"], ...credentials });
    socket.setTimeout(3000, () => {
      socket.destroy();
      resolve();
    });
    socket.once("error", reject);
  });
}
