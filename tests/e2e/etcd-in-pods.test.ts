/** An etcd in a host cluster by a stack of its own, a Karmada beside it in another namespace, and a restore of that etcd. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import type { EtcdAccess } from "../../components/etcd-access.ts";
import type { OfferedEtcd } from "../../spec/etcd/offered.ts";
import { cleanUp } from "../support/clean-up.ts";
import { hasKubernetesLab, KubernetesLab } from "../support/kubernetes-lab.ts";
import { labImages } from "../support/kubernetes-lab/images.ts";
import { storageClass } from "../support/kubernetes-lab/objects.ts";
import { eventually, type Json, type Kubectl, Kubectls } from "./support/kubectl.ts";
import { TestStack } from "./support/stack.ts";
import { takeInto } from "./support/take-snapshot.ts";

jest.setTimeout(600_000);

interface EtcdOutputs {
  etcd: { clusterId: string };
  etcdAccess: EtcdAccess;
  etcdClient: OfferedEtcd;
}

const [etcdNamespace, planeNamespace] = ["data", "plane"];
const describeLab = hasKubernetesLab() ? describe : describe.skip;

describeLab("an etcd and a control plane in a host cluster, by a stack each", () => {
  const backup = mkdtempSync(join(tmpdir(), "etcd-in-pods-"));
  const kubectls = new Kubectls();
  let lab: KubernetesLab;
  let etcd: TestStack;
  let plane: TestStack;
  let host: Kubectl;
  let kubectl: Kubectl;
  let before: string;

  beforeAll(async () => {
    lab = new KubernetesLab(29, 28800);
    await lab.start(labImages, 6);
    host = await kubectls.to(lab.cluster.kubeconfig);
    before = await namespaces();
    const placementIn = async (stack: TestStack, namespace: string, apiServer: number) => ({
      kind: "kubernetes",
      credentials: { kind: "kubeconfig", kubeconfig: await stack.secret(lab.cluster.kubeconfig) },
      namespace,
      storage: { storageClass },
      exposure: { kind: "nodePort", addresses: [lab.network.node], apiServer, etcd: apiServer - 64 },
    });
    etcd = await TestStack.create({}, 0);
    etcd.config = {
      program: "etcd",
      placement: await placementIn(etcd, etcdNamespace, 31443),
      snapshots: { targets: [{ kind: "local", directory: backup }], beforeChange: "never" },
    };
    plane = await etcd.beside("plane", {});
    plane.config = {
      placement: await placementIn(plane, planeNamespace, 31543),
      etcd: { kind: "external", stack: etcd.name, prefix: "/registry/plane" },
      controlPlane: { "kube-apiserver": { replicas: 1 } },
    };
  }, 300_000);

  afterAll(
    () =>
      cleanUp(
        () => kubectls.remove(),
        () => plane?.pulumi(["destroy", "--yes", "--skip-preview"]),
        () => etcd?.remove(),
        () => lab?.stop(),
        () => rmSync(backup, { recursive: true, force: true }),
      ),
    300_000,
  );

  const namespaces = () => host(["get", "namespaces", "-o", "name"]);
  const names = async () =>
    (await kubectl.get<{ items: Json[] }>("configmaps", "-n", "default")).items.map(({ metadata }) => metadata.name);
  /** The pods of the control plane that have not ended, by their UIDs. */
  const pods = async () => {
    const { items } = await host.get<{ items: Json[] }>("pods", "-n", planeNamespace);
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(({ metadata }) => metadata.uid);
  };

  test("pods go to the Services of the other namespace, this program to its node ports", async () => {
    await etcd.up();
    const { etcdClient } = await etcd.outputs<EtcdOutputs>();
    expect(etcdClient.endpoints[0]).toBe(`https://etcd-0.${etcdNamespace}.svc.cluster.local:2379`);
    expect(etcdClient.outside?.[0]).toBe(`https://${lab.network.node}:31379`);
    await plane.up();
    kubectl = await kubectls.to((await plane.outputs<{ kubeconfig: string }>()).kubeconfig);
    await kubectl(["create", "configmap", "kept"]);
    const { items } = await host.get<{ items: Json[] }>("pods", "-n", planeNamespace);
    const servers = items.flatMap(({ spec }) =>
      spec.containers[0].args.filter((arg: string) => arg.startsWith("--etcd-servers=")),
    );
    expect(servers[0]).toBe(`--etcd-servers=${etcdClient.endpoints.join(",")}`);
    await plane.successfully(["preview", "--expect-no-changes"]);
  });

  test("after a restore there all programs of the control plane are made anew, and work", async () => {
    const { etcdAccess, etcd: state } = await etcd.outputs<EtcdOutputs>();
    const { id } = await takeInto(backup, etcdAccess);
    await kubectl(["create", "configmap", "late"]);
    const source = { kind: "snapshot", id };
    const restore = { generation: 1, replaceClusterId: state.clusterId, overwriteHealthy: true, source };
    etcd.config["etcd"] = { kind: "managed", restore };
    const old = await pods();
    await etcd.up();
    await plane.up();
    const made = await eventually(pods, (now) => now.length === old.length, 60);
    expect(made.filter((uid) => old.includes(uid))).toEqual([]);
    expect(await names()).not.toContain("late");
    await kubectl(["create", "configmap", "after"]);
    expect(await names()).toEqual(expect.arrayContaining(["after", "kept"]));
    await kubectl(["create", "namespace", "of-then"]);
    await kubectl(["delete", "namespace", "of-then", "--timeout=30s"]);
    await plane.successfully(["preview", "--expect-no-changes"]);
  });

  test("both go, and with them their namespaces", async () => {
    await plane.successfully(["destroy", "--yes", "--skip-preview"]);
    await etcd.successfully(["destroy", "--yes", "--skip-preview"]);
    expect(await namespaces()).toBe(before);
  });
});
