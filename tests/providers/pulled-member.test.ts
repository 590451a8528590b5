import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { connect, type KubeClient } from "../../lib/kube/client.ts";
import { forgetPlane, notePlane } from "../../lib/members/sharing.ts";
import { deadlineIn, Pending, waitFor } from "../../lib/wait.ts";
import { provider as certificates } from "../../providers/agent-certificate-impl.ts";
import { provider as registrations } from "../../providers/cluster-registration-impl.ts";
import { provider as accesses } from "../../providers/member-access-impl.ts";
import { provider } from "../../providers/pulled-member-impl.ts";
import { kubeconfigOf, startCluster, type Cluster } from "../support/cluster.ts";
import { startEtcd } from "../support/etcd.ts";
import { startKarmadaPlane, type KarmadaPlane } from "../support/karmada-plane.ts";
import { unknownValue } from "../../toolchain/pulumi/unknown-value.ts";
import { Programs, type Running } from "../support/running.ts";

const port = 31850;
const rbac = "/apis/rbac.authorization.k8s.io/v1";
const clusterPath = "/apis/cluster.karmada.io/v1alpha1/clusters/m1";
const shared = "/api/v1/namespaces/default/configmaps/shared";
const timeoutSeconds = 90;

jest.setTimeout(150_000);

describe("a member in Pull mode, with a real karmada-agent", () => {
  const programs = new Programs(mkdtempSync(join(tmpdir(), "pulled-")));
  let plane: KarmadaPlane;
  let member: Cluster;
  let agent: Running | undefined;

  beforeAll(async () => {
    const etcd = await startEtcd(programs, port + 10);
    [plane, member] = await Promise.all([
      startKarmadaPlane(programs, etcd, port),
      startCluster(programs, etcd, { name: "one", port: port + 12 }),
    ]);
  }, 240_000);
  afterAll(async () => {
    await programs.remove();
  });

  const both = () => ({
    cluster: "m1",
    karmadaKubeconfig: plane.kubeconfig,
    memberKubeconfig: member.kubeconfig,
    declaredBy: "karmada/test" as const,
  });
  const registration = () => ({ ...both(), syncMode: "Pull" as const, zones: ["a"], timeoutSeconds });
  const access = () => ({ ...both(), purpose: "agent" as const, timeoutSeconds });
  const pulled = (registered: string, more = {}) => ({
    cluster: "m1",
    registered,
    declaredBy: "karmada/test" as const,
    karmadaKubeconfig: plane.kubeconfig,
    timeoutSeconds,
    ...more,
  });
  /** By a bootstrap token, as `agent.registration` has it. */
  const agentsKubeconfig = async () => {
    const { outs } = await certificates.create({
      cluster: "m1",
      karmadaKubeconfig: plane.kubeconfig,
      authority: plane.authority.certificate,
      validSeconds: 3600,
      renewBeforeSeconds: 60,
      timeoutSeconds,
    });
    return kubeconfigOf(plane.server, plane.authority.certificate, outs as { certificate: string; key: string });
  };

  /** As components/processes/karmada-agent.ts has it. */
  async function startAgent(kubeconfig: string): Promise<Running> {
    const write = (name: string, text: string) => programs.write(`agent/${name}`, text);
    return programs.start("karmada-agent", {
      "karmada-kubeconfig": write("karmada.config", await agentsKubeconfig()),
      kubeconfig: write("member.config", kubeconfig),
      "cluster-name": "m1",
      "cluster-api-endpoint": member.server,
      "report-secrets": "None",
      "leader-elect": false,
      "metrics-bind-address": "0",
      "health-probe-bind-address": `127.0.0.1:${port + 14}`,
    });
  }

  /** Registers, starts the agent, and waits until it has made the member ready. */
  async function joined() {
    const [known, { outs: account }] = await Promise.all([
      registrations.create(registration()),
      accesses.create(access()),
    ]);
    agent = await startAgent(account.kubeconfig);
    const verdict = await provider.create(pulled(known.outs.registered));
    return { known: known.outs, account, verdict: verdict.outs };
  }

  let state: Awaited<ReturnType<typeof joined>>;

  test("is not Ready without its agent, which is said, and kept to go on from", async () => {
    const { outs } = await registrations.create(registration());
    expect(Object.keys(outs)).not.toContain("ready");
    const error = await provider.create(pulled(outs.registered, { timeoutSeconds: 2 })).catch((e: unknown) => e);
    expect(error).toMatchObject({
      message: expect.stringMatching(/^m1: waited 2s for m1 to be ready: .*karmada-agent/),
      id: "m1",
      properties: { ready: false },
    });
  });

  test("is Ready by an agent that is no administrator on the plane and has an account of its own in the member", async () => {
    const begin = performance.now();
    state = await joined();
    console.log(`registered, agent started and Ready after ${((performance.now() - begin) / 1000).toFixed(2)} s`);
    expect(state.verdict).toMatchObject({
      ready: true,
      kubernetesVersion: "v1.35.3",
      seen: { readyReason: "ClusterReady", readySince: expect.stringMatching(/^20.*Z$/) },
    });
    const cluster = await plane.client.get(clusterPath);
    expect(cluster.spec).toMatchObject({ syncMode: "Pull", apiEndpoint: member.server, zones: ["a"] });
    const review = await (
      await connect(state.account.kubeconfig)
    ).create("/apis/authentication.k8s.io/v1/selfsubjectreviews", {
      apiVersion: "authentication.k8s.io/v1",
      kind: "SelfSubjectReview",
    });
    expect(review.status.userInfo.username).toBe("system:serviceaccount:karmada-cluster:karmada-agent-m1");
  });

  test("its agent may see Clusters, and write none; it sees no secret and no other member's works", async () => {
    const asAgent = await connect(await agentsKubeconfig());
    await asAgent.get("/apis/cluster.karmada.io/v1alpha1/clusters");
    const forbidden = { status: 403 };
    const other = { apiVersion: "cluster.karmada.io/v1alpha1", kind: "Cluster", metadata: { name: "m9" } };
    await expect(asAgent.create("/apis/cluster.karmada.io/v1alpha1/clusters", other)).rejects.toMatchObject(forbidden);
    await expect(asAgent.delete(clusterPath)).rejects.toMatchObject(forbidden);
    await expect(asAgent.merge(clusterPath, { spec: { region: "x" } })).rejects.toMatchObject(forbidden);
    await expect(asAgent.get("/api/v1/namespaces/karmada-cluster/secrets/m1")).rejects.toMatchObject(forbidden);
    const works = "/apis/work.karmada.io/v1alpha1/namespaces/karmada-es-m2/works";
    await expect(asAgent.get(works)).rejects.toMatchObject(forbidden);
  });

  test("what is propagated reaches it, and nothing the agent asked for was refused", async () => {
    await propagate(plane.client, "m1");
    await waitFor("the ConfigMap in the member", deadlineIn(60), () => member.client.get(shared));
    expect(programs.log("karmada-agent")).not.toMatch(/forbidden/i);
  });

  test("joining again changes nothing, and a refresh finds nothing", async () => {
    expect((await registrations.update("m1", state.known, registration())).outs).toEqual(state.known);
    expect((await accesses.update("m1-agent", state.account, access())).outs).toEqual(state.account);
    expect((await provider.update("m1", state.verdict, pulled(state.known.registered))).outs).toEqual(state.verdict);
    expect((await registrations.read("m1", state.known)).props).toEqual(state.known);
    expect((await accesses.read("m1-agent", state.account)).props).toEqual(state.account);
    expect((await provider.read("m1", state.verdict)).props).toEqual(state.verdict);
  });

  test("rights taken away on either side are found and put right", async () => {
    const role = `${rbac}/clusterroles/system:karmada:m1:agent`;
    const account = `${rbac}/clusterrolebindings/karmada-agent-m1`;
    await Promise.all([plane.client.delete(role), member.client.delete(account)]);
    const seen = await registrations.read("m1", state.known);
    expect(seen.props.drift).toEqual(["ClusterRole system:karmada:m1:agent: is gone from the plane"]);
    const inMember = await accesses.read("m1-agent", state.account);
    expect(inMember.props.drift).toEqual(["cluster role binding karmada-agent-m1: is gone from the member"]);
    await registrations.update("m1", seen.props, registration());
    await accesses.update("m1-agent", inMember.props, access());
    expect((await registrations.read("m1", state.known)).props).toEqual(state.known);
    expect((await accesses.read("m1-agent", state.account)).props).toEqual(state.account);
  });

  test("its Cluster deleted by hand is seen to be leaving, and joins again once its agent has emptied it", async () => {
    await plane.client.delete(clusterPath);
    const seen = await registrations.read("m1", state.known);
    expect(seen.props.drift).toEqual(["its Cluster is being deleted"]);
    const { outs } = await registrations.update("m1", seen.props, registration());
    expect(outs.registered).not.toBe(state.known.registered);
    state.known = outs;
    state.verdict = (await provider.update("m1", state.verdict, pulled(outs.registered))).outs;
    expect((await registrations.read("m1", state.known)).props).toEqual(state.known);
    await waitFor("the ConfigMap in the member again", deadlineIn(60), () => member.client.get(shared));
  });

  test("leaves in order: emptied by its agent, which then cannot bring it back, and nothing stays on either side", async () => {
    const begin = performance.now();
    await provider.delete("m1", state.verdict);
    expect(await member.client.find(shared)).toBeUndefined();
    await agent?.kill();
    await accesses.delete("m1-agent", state.account);
    await registrations.delete("m1", state.known);
    console.log(`left after ${((performance.now() - begin) / 1000).toFixed(2)} s`);
    expect(await leftovers(plane, member)).toEqual([]);
    const late = await startAgent(state.account.kubeconfig);
    await late.kill();
    expect(await plane.client.find(clusterPath)).toBeUndefined();
  });

  test("one whose agent is dead leaves in bounded time, and its Cluster deleted by hand does not stand in the way", async () => {
    state = await joined();
    await propagate(plane.client, "m1");
    await waitFor("the ConfigMap in the member", deadlineIn(60), () => member.client.get(shared));
    await agent?.kill();
    await plane.client.delete(clusterPath);
    const warn = jest.spyOn(console, "warn").mockImplementation(() => {});
    const begin = performance.now();
    await provider.delete("m1", state.verdict);
    await accesses.delete("m1-agent", state.account);
    await registrations.delete("m1", state.known);
    const took = (performance.now() - begin) / 1000;
    console.log(`left without an agent after ${took.toFixed(2)} s`);
    expect(took).toBeLessThan(90);
    warn.mockRestore();
    expect(await leftovers(plane, member)).toEqual([]);
  });

  test("what was propagated stays when that is wanted: its agent takes Karmada's labels off, and can delete nothing", async () => {
    state = await joined();
    const { outs } = await provider.update(
      "m1",
      state.verdict,
      pulled(state.known.registered, { memberKubeconfig: member.kubeconfig }),
    );
    await propagate(plane.client, "m1");
    const there = await waitFor("the ConfigMap in the member", deadlineIn(60), async () => {
      const { metadata } = await member.client.get(shared);
      return metadata?.uid ?? new Pending("it has no UID");
    });
    await provider.delete("m1", outs);
    const kept = await member.client.get(shared);
    expect(kept.metadata).toMatchObject({ uid: there });
    expect(kept.metadata?.labels).toBeUndefined();
    await agent?.kill();
    await accesses.delete("m1-agent", state.account);
    await registrations.delete("m1", { ...state.known, preserveWorkloads: true });
    expect(await member.client.find(shared)).toBeDefined();
    expect(await leftovers(plane, member)).toEqual([]);
  });

  test("its agent's account stays where another plane has the member by the same name, and may delete again", async () => {
    state = await joined();
    await notePlane(member.client, "m1", "other-plane");
    await provider.delete("m1", { ...state.verdict, memberKubeconfig: member.kubeconfig });
    await agent?.kill();
    const drift = async () => (await accesses.read("m1-agent", state.account)).props.drift;
    expect(await drift()).toEqual([expect.stringContaining("karmada-agent-m1")]);
    const warn = jest.spyOn(console, "warn").mockImplementation(() => {});
    await accesses.delete("m1-agent", state.account);
    expect(warn.mock.calls.join()).toContain("service account karmada-agent-m1 stays: another control plane");
    warn.mockRestore();
    expect(await drift()).toBeUndefined();

    await forgetPlane(member.client, "m1", "other-plane");
    await accesses.delete("m1-agent", state.account);
    await registrations.delete("m1", { ...state.known, preserveWorkloads: true });
    expect(await leftovers(plane, member)).toEqual([]);
  });

  test("one that joins again, its agent running on, has an agent that deletes again; not while it is still leaving", async () => {
    state = await joined();
    const preserving = (registered: string) => pulled(registered, { memberKubeconfig: member.kubeconfig });
    const [first, second] = [configMap("more-0"), configMap("more-1")];
    await propagateMore(plane.client, "m1", 1);
    await waitFor("the first ConfigMap in the member", deadlineIn(60), () => member.client.get(first));
    const mayDelete = async () => (await accesses.read("m1-agent", state.account)).props.drift === undefined;
    const held = "example.org/held";
    await editFinalizers(plane.client, (finalizers) => [...finalizers, held]);
    await provider.delete("m1", { ...state.verdict, memberKubeconfig: member.kubeconfig });
    // As the run does that follows one which was interrupted here.
    await expect(provider.create(preserving(state.known.registered))).rejects.toThrow(
      /^m1: its Cluster is being deleted\nit joins again by `up --refresh`$/,
    );
    expect(await mayDelete()).toBe(false);
    await editFinalizers(plane.client, (finalizers) => finalizers.filter((each) => each !== held));
    await registrations.delete("m1", { ...state.known, preserveWorkloads: true });
    await member.client.get(first);
    // What stays is the member's own, which another registration does not overwrite.
    await member.client.delete(first);

    state.known = (await registrations.create({ ...registration(), preserveWorkloads: true })).outs;
    state.verdict = (await provider.create(preserving(state.known.registered))).outs;
    expect(await mayDelete()).toBe(true);
    await propagateMore(plane.client, "m1", 2);
    await waitFor("the second ConfigMap in the member", deadlineIn(60), () => member.client.get(second));
    await plane.client.delete(second);
    await waitFor("the agent to delete it there", deadlineIn(30), async () =>
      (await member.client.find(second)) === undefined ? undefined : new Pending("it is still there"),
    );
    await provider.delete("m1", state.verdict);
    await agent?.kill();
    await accesses.delete("m1-agent", state.account);
    await registrations.delete("m1", { ...state.known, preserveWorkloads: true });
    expect(await leftovers(plane, member)).toEqual([]);
    await member.client.delete(first);
  });

  test("what was propagated stays also where its registration goes first, while the agent lives", async () => {
    state = await joined();
    await propagate(plane.client, "m1");
    const names = await propagateMore(plane.client, "m1", 20);
    const there = () => Promise.all(names.map((name) => member.client.find(configMap(name))));
    await waitFor("the ConfigMaps in the member", deadlineIn(60), async () =>
      (await there()).includes(undefined) ? new Pending("some are missing") : undefined,
    );
    let leaving = true;
    const restless = (async () => {
      for (let i = 0; leaving; i++) {
        await Promise.all(names.map((name) => plane.client.merge(configMap(name), { data: { a: String(i) } })));
      }
    })();
    await registrations.delete("m1", { ...state.known, preserveWorkloads: true });
    leaving = false;
    await restless;
    expect((await there()).filter((object) => object === undefined)).toEqual([]);
    const asAgent = await connect(state.account.kubeconfig);
    await expect(asAgent.delete(configMap(names[0]!))).rejects.toMatchObject({ status: 403 });
    await provider.delete("m1", { ...state.verdict, memberKubeconfig: member.kubeconfig });
    await agent?.kill();
    await accesses.delete("m1-agent", state.account);
    expect(await leftovers(plane, member)).toEqual([]);
    await Promise.all(names.map((name) => member.client.delete(configMap(name))));
  });

  test("one whose registration goes first, and whose agent is dead, leaves, and what stays in it is told", async () => {
    state = await joined();
    await propagate(plane.client, "m1");
    await waitFor("the ConfigMap in the member", deadlineIn(60), () => member.client.get(shared));
    await agent?.kill();
    await waitFor("the member not to be Ready", deadlineIn(100), async () => {
      const conditions = (await plane.client.get(clusterPath)).status.conditions as { type: string; status: string }[];
      const isReady = conditions.some(({ type, status }) => type === "Ready" && status === "True");
      return isReady ? new Pending("it is") : undefined;
    });
    const warn = jest.spyOn(console, "warn").mockImplementation(() => {});
    await registrations.delete("m1", { ...state.known, preserveWorkloads: true });
    await provider.delete("m1", state.verdict);
    await accesses.delete("m1-agent", state.account);
    const said = warn.mock.calls.join();
    warn.mockRestore();
    expect(said).toMatch(
      /^m1: left, but Karmada could not take out what it put there: not ready: [^]*\nleft there: objects labelled karmada\.io\/managed=true$/,
    );
    expect(await leftovers(plane, member)).toEqual([]);
  }, 250_000);
});

test("it goes before a registration that is going to be replaced, not before one that is only changed", async () => {
  const inputs = {
    cluster: "m1",
    registered: "1",
    declaredBy: "karmada/test",
    karmadaKubeconfig: "a",
    timeoutSeconds: 90,
  };
  const state = { ...inputs, ready: true, kubernetesVersion: "v1.35.3", schemaVersion: 1 };
  const diff = (more: object) => provider.diff("m1", state, { ...inputs, ...more });
  const unknown = unknownValue;
  expect(await diff({ cluster: unknown, registered: unknown })).toMatchObject({
    replaces: ["cluster"],
    deleteBeforeReplace: true,
  });
  expect(await diff({ registered: unknown })).toMatchObject({ changes: true, replaces: [] });
});

/** A ConfigMap with a policy that sends it to one cluster. */
async function propagate(plane: KubeClient, cluster: string): Promise<void> {
  const metadata = { name: "shared", namespace: "default" };
  await plane.apply(shared, { apiVersion: "v1", kind: "ConfigMap", metadata, data: { a: "1" } });
  await plane.apply("/apis/policy.karmada.io/v1alpha1/namespaces/default/propagationpolicies/shared", {
    apiVersion: "policy.karmada.io/v1alpha1",
    kind: "PropagationPolicy",
    metadata,
    spec: {
      resourceSelectors: [{ apiVersion: "v1", kind: "ConfigMap", name: "shared" }],
      placement: { clusterAffinity: { clusterNames: [cluster] } },
    },
  });
}

const configMap = (name: string) => `/api/v1/namespaces/default/configmaps/${name}`;

/** Further ConfigMaps, with a policy for all of them. */
async function propagateMore(plane: KubeClient, cluster: string, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, i) => `more-${i}`);
  const metadata = (name: string) => ({ name, namespace: "default", labels: { more: "yes" } });
  await Promise.all(
    names.map((name) =>
      plane.apply(configMap(name), { apiVersion: "v1", kind: "ConfigMap", metadata: metadata(name), data: { a: "1" } }),
    ),
  );
  await plane.apply("/apis/policy.karmada.io/v1alpha1/namespaces/default/propagationpolicies/more", {
    apiVersion: "policy.karmada.io/v1alpha1",
    kind: "PropagationPolicy",
    metadata: metadata("more"),
    spec: {
      resourceSelectors: [{ apiVersion: "v1", kind: "ConfigMap", labelSelector: { matchLabels: { more: "yes" } } }],
      placement: { clusterAffinity: { clusterNames: [cluster] } },
    },
  });
  return names;
}

/** Of its Cluster, which controllers edit too. */
const editFinalizers = (plane: KubeClient, edit: (finalizers: string[]) => string[]): Promise<unknown> =>
  waitFor("the Cluster to be written", deadlineIn(10), async () => {
    const { resourceVersion, finalizers = [] } = (await plane.get(clusterPath)).metadata ?? {};
    return plane.merge(clusterPath, { metadata: { resourceVersion, finalizers: edit(finalizers) } });
  });

/** What names the member on the plane, or Karmada in the member. */
async function leftovers(plane: KarmadaPlane, member: Cluster): Promise<string[]> {
  const names = async (client: KubeClient, path: string) =>
    (await client.get<{ items: { metadata: { name: string } }[] }>(path)).items.map(({ metadata }) => metadata.name);
  return waitFor("both sides to be clean", deadlineIn(20), async () => {
    const kinds = ["/api/v1/namespaces", `${rbac}/clusterroles`, `${rbac}/clusterrolebindings`];
    const onPlane = await Promise.all(
      [...kinds, "/apis/cluster.karmada.io/v1alpha1/clusters", `${rbac}/roles`, `${rbac}/rolebindings`].map((path) =>
        names(plane.client, path),
      ),
    );
    const inMember = await Promise.all(kinds.map((path) => names(member.client, path)));
    const left = [
      ...onPlane.flat().filter((name) => /(^|[:-])m1($|[:-])/.test(name)),
      ...inMember.flat().filter((name) => name.includes("karmada")),
    ];
    return left.length === 0 ? left : new Pending(left.join(", "));
  });
}
