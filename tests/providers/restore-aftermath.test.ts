import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { jest } from "@jest/globals";
import { deadlineIn, Pending, waitFor } from "../../lib/wait.ts";
import { provider as registration } from "../../providers/cluster-registration-impl.ts";
import { provider } from "../../providers/restore-aftermath-impl.ts";
import { startCluster, type Cluster } from "../support/cluster.ts";
import { startEtcd } from "../support/etcd.ts";
import { startKarmadaPlane, type KarmadaPlane } from "../support/karmada-plane.ts";
import { Programs } from "../support/running.ts";

const port = 24860;
const rbac = "/apis/rbac.authorization.k8s.io/v1";
const configMap = (name: string) => `/api/v1/namespaces/default/configmaps/${name}`;

jest.setTimeout(120_000);

describe("after a real Karmada went back in time", () => {
  const programs = new Programs(mkdtempSync(join(tmpdir(), "aftermath-")));
  let plane: KarmadaPlane;
  let member: Cluster;

  beforeAll(async () => {
    const etcd = await startEtcd(programs, port + 10);
    [plane, member] = await Promise.all([
      startKarmadaPlane(programs, etcd, port),
      startCluster(programs, etcd, { name: "one", port: port + 12 }),
    ]);
    await letAdministratorsThrough();
    await registration.create({
      cluster: "one",
      karmadaKubeconfig: plane.kubeconfig,
      memberKubeconfig: member.kubeconfig,
      syncMode: "Push",
      declaredBy: "karmada/test",
      timeoutSeconds: 60,
    });
    await propagate("kept");
  }, 180_000);
  afterAll(async () => {
    await programs.remove();
  });

  const inputs = (change: object = {}) => ({
    kubeconfig: plane.kubeconfig,
    generation: 1,
    clusters: ["one", "two"],
    removeOrphans: false,
    timeoutSeconds: 20,
    ...change,
  });

  test("objects of no Work are listed, everything else is left out, and members that do not answer are named", async () => {
    await createOrphan("late");
    const { outs } = await provider.create(inputs());
    expect(outs).toMatchObject({
      orphans: ["one: ConfigMap default/late"],
      removed: [],
      laggingBindings: [],
      unasked: [expect.stringMatching(/^two: .*404/)],
    });
    expect(await member.client.find(configMap("late"))).toBeDefined();
  });

  test("they are deleted when that is asked for, and nothing else is", async () => {
    const { id, outs } = await provider.create(inputs());
    const asked = inputs({ removeOrphans: true });
    expect((await provider.diff(id, outs, asked)).changes).toBe(true);
    const { outs: after } = await provider.update(id, outs, asked);
    expect(after).toMatchObject({ orphans: [], removed: ["one: ConfigMap default/late"] });
    expect(await member.client.find(configMap("late"))).toBeUndefined();
    expect(await member.client.find(configMap("kept"))).toBeDefined();
  });

  test("those in members of other stacks are listed too, and stay", async () => {
    await createOrphan("theirs");
    const { outs } = await provider.create(inputs({ clusters: [], removeOrphans: true }));
    expect(outs).toMatchObject({ orphans: ["one: ConfigMap default/theirs"], removed: [], unasked: [] });
    await member.client.delete(configMap("theirs"));
  });

  test("an aggregated API server that still starts is waited for", async () => {
    await createOrphan("later");
    await plane.aggregatedApiserver.kill();
    const looking = provider.create(inputs({ clusters: ["one"] }));
    await setTimeout(2000);
    await plane.startAggregatedApiserver();
    const { outs } = await looking;
    expect(outs).toMatchObject({ orphans: ["one: ConfigMap default/later"], unasked: [] });
  });

  test("a binding that no scheduler looks at is named", async () => {
    const path = "/apis/work.karmada.io/v1alpha2/namespaces/default/resourcebindings/kept-configmap";
    const { status } = await plane.client.get(path);
    await plane.client.merge(`${path}/status`, { status: { ...status, schedulerObservedGeneration: 1000 } });
    const { outs } = await provider.create(inputs({ timeoutSeconds: 1, clusters: ["one"] }));
    expect(outs.laggingBindings).toEqual(["default/kept-configmap"]);
  });

  /** As the control plane of a deployment has it. */
  async function letAdministratorsThrough(): Promise<void> {
    const metadata = { name: "cluster-proxy-admin" };
    await plane.client.apply(`${rbac}/clusterroles/cluster-proxy-admin`, {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata,
      rules: [{ apiGroups: ["cluster.karmada.io"], resources: ["clusters/proxy"], verbs: ["*"] }],
    });
    await plane.client.apply(`${rbac}/clusterrolebindings/cluster-proxy-admin`, {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRoleBinding",
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-proxy-admin" },
      subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "admin" }],
    });
  }

  async function propagate(name: string): Promise<void> {
    await plane.client.apply(configMap(name), { apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
    await plane.client.apply(`/apis/policy.karmada.io/v1alpha1/namespaces/default/propagationpolicies/${name}`, {
      apiVersion: "policy.karmada.io/v1alpha1",
      kind: "PropagationPolicy",
      metadata: { name },
      spec: {
        resourceSelectors: [{ apiVersion: "v1", kind: "ConfigMap", name }],
        placement: { clusterAffinity: { clusterNames: ["one"] } },
      },
    });
    await waitFor(`${name} in the member`, deadlineIn(30), async () => {
      return (await member.client.find(configMap(name))) ?? new Pending("not there");
    });
  }

  /** What is left of an object whose template, binding and Work are not in the snapshot. */
  async function createOrphan(name: string): Promise<void> {
    const kept = await member.client.get(configMap("kept"));
    const annotations = { ...kept.metadata?.annotations, "work.karmada.io/name": `${name}-5d6f8c7b9` };
    await member.client.create("/api/v1/namespaces/default/configmaps", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, labels: kept.metadata?.labels, annotations },
    });
  }
});
