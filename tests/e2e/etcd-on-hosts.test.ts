/** An etcd on hosts by a stack of its own, and a Karmada in a host cluster that keeps its data there. */
import { readdirSync } from "node:fs";
import { DirectEtcdClient } from "../../lib/etcd/direct/client.ts";
import { EtcdKeys } from "../../lib/etcd/keys.ts";
import { closeHosts } from "../../lib/hosts/hosts.ts";
import type { EtcdAccess } from "../../components/etcd-access.ts";
import type { OfferedEtcd } from "../../spec/etcd/offered.ts";
import { cleanUp } from "../support/clean-up.ts";
import { fingerprintOf } from "../support/host-fingerprint.ts";
import { hasKubernetesLab, KubernetesLab } from "../support/kubernetes-lab.ts";
import { labImages } from "../support/kubernetes-lab/images.ts";
import { hasLab, Lab, type LabHost } from "../support/nspawn-lab.ts";
import { eventually, type Kubectl, Kubectls } from "./support/kubectl.ts";
import { Caller } from "./support/load/caller.ts";
import { TestStack } from "./support/stack.ts";

interface EtcdOutputs {
  etcd: { members: { name: string; healthy: boolean }[] };
  etcdAccess: EtcdAccess;
  etcdClient: OfferedEtcd;
}

const prefix = "/registry/plane";
const namespace = "plane";
const describeLabs = hasLab() && hasKubernetesLab() ? describe : describe.skip;

describeLabs("etcd on hosts and the control plane in a host cluster", () => {
  let hosts: Lab;
  let machines: LabHost[];
  let cluster: KubernetesLab;
  let etcd: TestStack;
  let plane: TestStack;
  let kubectl: Kubectl;
  let kubeconfig: string;
  let before: string[];
  const kubectls = new Kubectls();

  beforeAll(async () => {
    hosts = new Lab(28);
    cluster = new KubernetesLab(28, 28780);
    [machines] = await Promise.all([
      Promise.all([hosts.add(1), hosts.add(2), hosts.add(3)]),
      cluster.start(labImages, 0),
    ]);
    cluster.network.attach(hosts.bridge, machines[0]!.ip.replace(/\d+$/, "200"));
    before = await Promise.all(machines.map(fingerprintOf));
    etcd = await TestStack.create({}, 0);
    const privateKey = await etcd.secret(machines[0]!.privateKey);
    etcd.config = {
      program: "etcd",
      placement: {
        kind: "hosts",
        ssh: { privateKey },
        hosts: machines.map(({ name, ip, hostKey }) => ({ name, address: ip, ssh: { hostKey } })),
      },
    };
    plane = await etcd.beside("plane", {});
    plane.config = {
      placement: {
        kind: "kubernetes",
        credentials: { kind: "kubeconfig", kubeconfig: await plane.secret(cluster.cluster.kubeconfig) },
        namespace,
        exposure: { kind: "nodePort", addresses: [cluster.network.node], apiServer: 31443 },
      },
      etcd: { kind: "external", stack: etcd.name, prefix },
      controlPlane: { "kube-apiserver": { replicas: 2 } },
    };
  }, 300_000);

  afterAll(
    () =>
      cleanUp(
        () => kubectls.remove(),
        () => plane?.pulumi(["destroy", "--yes", "--skip-preview"]),
        () => etcd?.remove(),
        closeHosts,
        () => cluster?.stop(),
        () => hosts?.stop(),
      ),
    300_000,
  );

  test("etcd comes up on the hosts, and nothing else", async () => {
    await etcd.up();
    const { etcd: state, etcdClient } = await etcd.outputs<EtcdOutputs>();
    expect(state.members.map(({ name, healthy }) => [name, healthy])).toEqual([
      ["etcd-0", true],
      ["etcd-1", true],
      ["etcd-2", true],
    ]);
    expect(etcdClient.endpoints).toEqual(machines.map(({ ip }) => `https://${ip}:2379`));
    for (const [i, host] of machines.entries())
      expect(readdirSync(host.path("/etc/systemd/system")).filter((unit) => unit.startsWith("karmada-"))).toEqual([
        `karmada-etcd-${i}.service`,
      ]);
  }, 240_000);

  test("a control plane of pods keeps its data there, below its prefix", async () => {
    await plane.up();
    ({ kubeconfig } = await plane.outputs<{ kubeconfig: string }>());
    kubectl = await kubectls.to(kubeconfig);
    await kubectl(["create", "configmap", "kept"]);
    const { etcdAccess } = await etcd.outputs<EtcdOutputs>();
    const client = new DirectEtcdClient(etcdAccess);
    const keys = new EtcdKeys(client, etcdAccess.endpoints[0]!);
    expect(await keys.get(`${prefix}/configmaps/default/kept`)).toBeDefined();
    client.close();
  }, 420_000);

  test("a host of etcd without power holds up nobody for long, and what is written meanwhile is there once it is back", async () => {
    const path = "/api/v1/namespaces/default/configmaps";
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "meanwhile-" } };
    const writer = new Caller(kubeconfig, { path, body }, 20);
    await machines[0]!.cutPower();
    await eventually(
      () => kubectl(["create", "configmap", "without-a-host"]),
      () => true,
      60,
    );
    await machines[0]!.boot();
    await eventually(
      async () => (await etcd.refresh(), (await etcd.outputs<EtcdOutputs>()).etcd.members),
      (members) => members.every(({ healthy }) => healthy),
      120,
    );
    await writer.stop();
    const { items } = await kubectl.get<{ items: unknown[] }>("configmaps", "-n", "default");
    expect(items.length).toBeGreaterThanOrEqual(writer.count - writer.failures.length + 2);
    expect(writer.errorRate).toBeLessThan(0.25);
  }, 240_000);

  test("the control plane goes, then etcd, and the hosts are as before", async () => {
    // A connection of an API server that lay idle when the host lost its power fails once, when it is used again.
    await eventually(
      () => plane.successfully(["destroy", "--yes", "--skip-preview"]),
      () => true,
      120,
    );
    await etcd.successfully(["destroy", "--yes", "--skip-preview"]);
    expect(await Promise.all(machines.map(fingerprintOf))).toEqual(before);
  }, 240_000);
});
