import { mkdtempSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { jest } from "@jest/globals";
import type { KubeClient, KubeObject } from "../../lib/kube/client.ts";
import { readMembers } from "../../lib/members/status.ts";
import { deadlineIn, waitFor } from "../../lib/wait.ts";
import { provider as apiGate } from "../../providers/api-gate-impl.ts";
import { provider } from "../../providers/cluster-registration-impl.ts";
import { provider as declaredMembers } from "../../providers/declared-members-impl.ts";
import type { ClusterRegistrationInputs } from "../../providers/cluster-registration.ts";
import { dumpApi } from "../support/api-dump.ts";
import { startCluster, type Cluster } from "../support/cluster.ts";
import { startEtcd } from "../support/etcd.ts";
import { startKarmadaPlane, type KarmadaPlane } from "../support/karmada-plane.ts";
import { Programs } from "../support/running.ts";

const port = 31750;
const clusterPath = (name: string) => `/apis/cluster.karmada.io/v1alpha1/clusters/${name}`;
const secretPath = (name: string) => `/api/v1/namespaces/karmada-cluster/secrets/${name}`;
const rbac = "/apis/rbac.authorization.k8s.io/v1";
const role = (name: string) => `${rbac}/clusterroles/karmada-controller-manager:karmada-${name}`;

jest.setTimeout(120_000);

describe("a member of a real Karmada", () => {
  const programs = new Programs(mkdtempSync(join(tmpdir(), "members-")));
  let plane: KarmadaPlane;
  let one: Cluster;
  let two: Cluster;

  beforeAll(async () => {
    const etcd = await startEtcd(programs, port + 10);
    [plane, one, two] = await Promise.all([
      startKarmadaPlane(programs, etcd, port),
      startCluster(programs, etcd, { name: "one", port: port + 12 }),
      startCluster(programs, etcd, { name: "two", port: port + 14 }),
    ]);
  }, 240_000);
  afterAll(async () => {
    await programs.remove();
  });

  const inputs = (
    cluster: string,
    member: { kubeconfig: string },
    more: Partial<ClusterRegistrationInputs> = {},
  ): ClusterRegistrationInputs => ({
    cluster,
    karmadaKubeconfig: plane.kubeconfig,
    memberKubeconfig: member.kubeconfig,
    syncMode: "Push",
    declaredBy: "karmada/test",
    timeoutSeconds: 60,
    ...more,
  });

  test("of which an agent would go by another proxy than is declared is refused", async () => {
    const ours = JSON.parse(one.kubeconfig) as { clusters: [{ cluster: object }] };
    Object.assign(ours.clusters[0].cluster, { "proxy-url": "http://10.0.0.1:3128" });
    const behind = JSON.stringify(ours);
    const reasons = async (more: Partial<ClusterRegistrationInputs>) =>
      ((await provider.check({}, inputs("m", { kubeconfig: behind }, more))).failures ?? []).map(
        ({ property, reason }) => `${property}: ${reason}`,
      );
    const proxy = "http://tunnel:8088";
    expect(await reasons({ syncMode: "Pull", proxy })).toEqual([
      `proxy: got ${proxy}, want http://10.0.0.1:3128: the kubeconfig has that as proxy-url, and its agent would go by it`,
    ]);
    for (const more of [
      { syncMode: "Pull", proxy: "http://10.0.0.1:3128" },
      { syncMode: "Push", proxy },
    ] as const)
      expect(await reasons(more)).toEqual([]);
  });

  test("its plane passes the gate, also again, and a dead webhook shuts it", async () => {
    const gate = { kubeconfig: plane.kubeconfig, timeoutSeconds: 30 };
    const { id, outs } = await apiGate.create(gate);
    expect((await apiGate.update(id, outs, gate)).outs).toEqual(outs);
    expect((await apiGate.read(id, outs)).props).toEqual(outs);
    await plane.webhook.kill();
    const seen = await apiGate.read(id, outs);
    expect(seen.props.drift).toEqual([
      expect.stringMatching(/^does not work: POST .*propagationpolicies: 500 .*webhook/),
    ]);
    await plane.startWebhook();
    expect((await apiGate.update(id, seen.props, gate)).outs).toEqual(outs);
  });

  test("is refused before anything is written when it cannot work", async () => {
    const nobody = await one.kubeconfigFor("nobody");
    const gone = one.kubeconfig.replace(String(port + 12), "31799");
    const stranger = one.kubeconfig.replace(String(port + 12), String(port + 14));
    const short = { timeoutSeconds: 2 };
    const cases: [ClusterRegistrationInputs, RegExp][] = [
      [
        inputs("a", plane),
        /^a: https:\/\/127\.0\.0\.1:31750 is this control plane itself; give the kubeconfig of the member/,
      ],
      [
        inputs("a", one, { karmadaKubeconfig: two.kubeconfig }),
        /^a: https:\/\/127\.0\.0\.1:31764 is not a Karmada API server: it has no cluster\.karmada\.io$/,
      ],
      [
        inputs("a", { kubeconfig: gone }, short),
        /^a: waited 2s for the member: https:\/\/127\.0\.0\.1:31799: connection refused.*; start the member, or correct the server in its kubeconfig$/,
      ],
      [
        inputs("a", { kubeconfig: stranger }),
        /^a: https:\/\/127\.0\.0\.1:31764: the server's certificate is not signed by.*; this may be another cluster than you mean: take a new kubeconfig/,
      ],
      [
        inputs("a", { kubeconfig: nobody }),
        /^a: https:\/\/127\.0\.0\.1:31762: the kubeconfig's user may not read namespaces/,
      ],
    ];
    await one.client.create("/apis/rbac.authorization.k8s.io/v1/clusterroles", {
      metadata: { name: "half" },
      rules: [
        { apiGroups: [""], resources: ["namespaces", "serviceaccounts"], verbs: ["*"] },
        { apiGroups: ["rbac.authorization.k8s.io"], resources: ["clusterroles"], verbs: ["get", "create"] },
        { apiGroups: ["rbac.authorization.k8s.io"], resources: ["clusterrolebindings"], verbs: ["*"] },
      ],
    });
    await one.client.create("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
      metadata: { name: "half" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "half" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "half" }],
    });
    cases.push([
      inputs("a", { kubeconfig: await one.kubeconfigFor("half") }),
      /^a: https:\/\/127\.0\.0\.1:31762: the kubeconfig's user lacks rights: secrets \(list, get, create, patch, delete\), clusterroles\.rbac\.authorization\.k8s\.io \(patch, delete, escalate, bind\)\ngive the kubeconfig of an administrator/,
    ]);
    for (const [bad, message] of cases) await expect(provider.create(bad)).rejects.toThrow(message);
    expect((await plane.client.get<{ items: [] }>("/apis/cluster.karmada.io/v1alpha1/clusters")).items).toEqual([]);
    expect(await one.client.find("/api/v1/namespaces/karmada-cluster")).toBeUndefined();
  });

  describe("from joining to leaving", () => {
    const described: Partial<ClusterRegistrationInputs> = {
      provider: "aws",
      region: "eu",
      zones: ["a"],
      labels: { tier: "gold" },
      taints: [{ key: "team", value: "x", effect: "NoSchedule" }],
    };
    let joined: Record<string, unknown>[];
    /** What the first has before anything of Karmada is in it. */
    let before: Record<string, unknown>;

    beforeAll(async () => {
      before = await dumpApi(one.client);
    });

    test("a join that fails before there is a Cluster leaves nothing in the member, nor on the plane", async () => {
      // Where the kubeconfig's user comes by another name, Karmada, which knows none, does not.
      const there = new URL(one.server);
      const forward = createServer((from) => {
        const to = connect(Number(there.port), there.hostname);
        from.pipe(to).pipe(from);
        for (const socket of [from, to]) socket.on("error", () => to.destroy());
      });
      await new Promise<void>((resolve) => forward.listen(0, "127.0.0.2", resolve));
      const { port: at } = forward.address() as AddressInfo;
      const config = JSON.parse(one.kubeconfig) as { clusters: [{ cluster: object }] };
      Object.assign(config.clusters[0].cluster, { server: `https://127.0.0.2:${at}`, "tls-server-name": "localhost" });
      await expect(provider.create(inputs("m1", { kubeconfig: JSON.stringify(config) }))).rejects.toThrow(
        "m1: the member does not answer to Karmada's own token: ",
      );
      forward.close();
      expect(await leftOnPlane(plane.client, "m1")).toEqual([]);
      expect(await dumpApi(one.client)).toEqual(before);
    });

    test("two join at the same time and are Ready, also over what an earlier join left half done", async () => {
      const stale = { apiVersion: "v1", kind: "Secret", metadata: { name: "m1", namespace: "karmada-cluster" } };
      await plane.client.create("/api/v1/namespaces/karmada-cluster/secrets", {
        ...stale,
        stringData: { token: "stale" },
      });
      const begin = performance.now();
      const results = await Promise.all([
        provider.create(inputs("m1", one, described)),
        provider.create(inputs("m2", two)),
      ]);
      const seconds = (performance.now() - begin) / 1000;
      console.log(`two members joined and Ready after ${seconds.toFixed(2)} s`);
      expect(seconds).toBeLessThan(15);
      joined = results.map(({ outs }) => outs as Record<string, unknown>);
      const uid = (await one.client.get("/api/v1/namespaces/kube-system")).metadata?.uid;
      expect(joined[0]).toMatchObject({ uid, ready: true, kubernetesVersion: "v1.35.3", apiEndpoint: one.server });
      expect(joined[0]!["seen"]).toMatchObject({
        readyReason: "ClusterReady",
        readySince: expect.stringMatching(/^20.*Z$/),
      });
      const cluster = await plane.client.get(clusterPath("m1"));
      const { labels, ...inSpec } = described;
      expect({ ...cluster.spec, taints: withoutKarmadas(cluster.spec.taints) }).toMatchObject({ id: uid, ...inSpec });
      expect(cluster.metadata?.labels).toMatchObject(labels ?? {});
      for (const name of ["m1", "m1-impersonator"]) {
        const secret = await plane.client.get(secretPath(name));
        expect(secret.metadata?.ownerReferences?.[0]).toMatchObject({ kind: "Cluster", uid: cluster.metadata?.uid });
        expect(Buffer.from(secret.data.token, "base64").toString()).toMatch(/^ey/);
      }
    });

    test("joining again changes nothing, and a refresh finds nothing", async () => {
      const before = await plane.client.get(clusterPath("m1"));
      const { outs } = await provider.update("m1", joined[0]!, inputs("m1", one, described));
      expect(outs).toEqual(joined[0]);
      expect((await plane.client.get(clusterPath("m1"))).metadata).toMatchObject({
        uid: before.metadata?.uid,
        resourceVersion: before.metadata?.resourceVersion,
      });
      const seen = await provider.read("m1", joined[0]!);
      expect(seen.props).toEqual(joined[0]);
      expect(await provider.diff("m1", seen.props, inputs("m1", one, described))).toMatchObject({ changes: false });
    });

    test("no other stack takes what one declares; let go of it is anybody's, and the first leaves it alone then", async () => {
      const ours = inputs("m1", one, described);
      const theirs = inputs("m1", one, { ...described, declaredBy: "members/maps" });
      const before = await plane.client.get(clusterPath("m1"));
      await expect(provider.create(theirs)).rejects.toThrow(
        /^m1: the deployment "test" declares it\nlet go of it there \(handOver: true, then out of its list\)/,
      );
      expect((await plane.client.get(clusterPath("m1"))).metadata?.resourceVersion).toBe(
        before.metadata?.resourceVersion,
      );
      const { outs: letGo } = await provider.update("m1", joined[0]!, { ...ours, handOver: true });
      expect((await provider.read("m1", letGo)).props).toEqual(letGo);
      const { outs: taken } = await provider.create(theirs);
      expect((await provider.read("m1", joined[0]!)).props.drift).toEqual([
        'the stack of members "maps" declares it now',
      ]);
      const warn = jest.spyOn(console, "warn").mockImplementation(() => {});
      await provider.delete("m1", joined[0]!);
      expect(warn.mock.calls).toEqual([['m1: it stays in Karmada: the stack of members "maps" declares it now']]);
      warn.mockRestore();
      await plane.client.merge(clusterPath("m1"), {
        metadata: { annotations: { "karmada-pulumi/declared-by": null } },
      });
      expect((await provider.read("m1", taken)).props.drift).toEqual([
        "karmada-pulumi/declared-by: is gone from the Cluster",
      ]);
      joined[0] = (await provider.update("m1", joined[0]!, ours)).outs;
      expect((await plane.client.get(clusterPath("m1"))).metadata?.uid).toBe(before.metadata?.uid);
    });

    test("both are seen in the status, with one that is declared and not there", async () => {
      const seen = await readMembers(plane.client, ["m1", "m2", "m3"], {});
      expect(seen).toMatchObject([
        { name: "m1", mode: "Push", version: "v1.35.3", ready: "True", reason: "ClusterReady" },
        { name: "m2", mode: "Push", version: "v1.35.3", ready: "True", reason: "ClusterReady" },
        { name: "m3", ready: "False", reason: "NotRegistered" },
      ]);
      expect(Date.parse(seen[0]?.since ?? "")).toBeLessThanOrEqual(Date.now());
      expect(seen[0]).not.toHaveProperty("credentialExpires");
    });

    test("the same cluster cannot join twice, one after the other or both at once, nor a name lead to two clusters", async () => {
      await expect(provider.create(inputs("m3", one))).rejects.toThrow(
        `m3: ${one.server} is registered already, as m1; a cluster joins once`,
      );
      await expect(provider.create(inputs("m2", one))).rejects.toThrow(/^m2: .* is registered already, as m1/);
      await provider.delete("m2", joined[1]!);
      await expect(provider.create(inputs("m1", two))).rejects.toThrow(
        /^m1: the name is taken by another cluster \(kube-system UID /,
      );
      const outcomes = await Promise.allSettled([
        provider.create(inputs("m2", two)),
        provider.create(inputs("m4", two)),
      ]);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      const refused = outcomes.find((each) => each.status === "rejected");
      expect(refused?.reason.message).toMatch(/the same cluster is joining as m\d at this moment/);
      const [, m4] = outcomes;
      if (m4?.status === "fulfilled") {
        await provider.delete("m4", m4.value.outs as never);
        await provider.create(inputs("m2", two));
      }
    });

    test("a kubeconfig that leads to another cluster is refused, not followed", async () => {
      const moved = provider.update("m1", joined[0]!, inputs("m1", { kubeconfig: two.kubeconfig }));
      await expect(moved).rejects.toThrow(/^m1: .*127\.0\.0\.1:31764 is registered already, as m2/);
    });

    test("a change is made in place, and leaves alone what others have put there", async () => {
      const before = await plane.client.get(clusterPath("m1"));
      await plane.client.merge(clusterPath("m1"), { metadata: { labels: { theirs: "1" } } });
      const news = inputs("m1", one, { provider: "aws", zones: ["b", "c"], labels: { level: "1" }, taints: [] });
      const { outs } = await provider.update("m1", joined[0]!, news);
      const after = await plane.client.get(clusterPath("m1"));
      expect(after.metadata).toMatchObject({ uid: before.metadata?.uid, labels: { theirs: "1", level: "1" } });
      expect(after.metadata?.labels).not.toHaveProperty("tier");
      expect(after.spec).toMatchObject({ provider: "aws", zones: ["b", "c"] });
      expect([after.spec.region, after.spec.taints]).toEqual([undefined, undefined]);
      joined[0] = (await provider.update("m1", outs, inputs("m1", one, described))).outs;
    });

    test("its grades of nodes and the headers of its proxy are what is declared, then what Karmada does by itself", async () => {
      const models = async () => (await plane.client.get(clusterPath("m1"))).spec.resourceModels as unknown;
      const usual = await models();
      const cpu = (min: string, max?: string) => ({ name: "cpu", min, ...(max !== undefined && { max }) });
      const graded = {
        ...described,
        resourceModels: [
          { grade: 0, ranges: [cpu("0", "2000m")] },
          { grade: 1, ranges: [cpu("2000m")] },
        ],
        proxy: "http://127.0.0.1:1",
        proxyHeader: { "Proxy-Authorization": "Basic bWU6cDRzcw==" },
      };
      // By that proxy it is not Ready for long: what is declared is written all the same.
      const { outs } = await provider
        .update("m1", joined[0]!, inputs("m1", one, graded))
        .catch((error: unknown) => ({ outs: (error as { properties: Record<string, unknown> }).properties }));
      expect(await models()).toEqual([
        { grade: 0, ranges: [cpu("0", "2")] },
        { grade: 1, ranges: [cpu("2", "9223372036854775807")] },
      ]);
      expect((await plane.client.get(clusterPath("m1"))).spec).toMatchObject({ proxyHeader: graded.proxyHeader });
      expect((await provider.read("m1", outs)).props).toMatchObject(graded);
      joined[0] = (await provider.update("m1", outs, inputs("m1", one, described))).outs;
      expect(await models()).toEqual(usual);
      expect((await plane.client.get(clusterPath("m1"))).spec).not.toHaveProperty("proxyHeader");
    });

    test("what was changed by hand is found on both sides, and put right", async () => {
      const spec = { region: "us", insecureSkipTLSVerification: true };
      await plane.client.merge(clusterPath("m1"), { metadata: { labels: { tier: "lead" } }, spec });
      await plane.client.delete(secretPath("m1-impersonator"));
      await one.client.delete(role("m1"));
      await one.client.delete("/api/v1/namespaces/karmada-cluster/serviceaccounts/karmada-m1");
      const seen = await provider.read("m1", joined[0]!);
      expect(seen.props).toMatchObject({ labels: { tier: "lead" }, region: "us" });
      // The token goes with its account, a moment later.
      const drift = seen.props.drift.filter((each: string) => each !== "secret karmada-m1: is gone from the member");
      expect(drift).toEqual([
        "insecureSkipTLSVerification of the Cluster: was changed",
        "secret m1-impersonator: is gone from the plane",
        "service account karmada-m1: is gone from the member",
        "cluster role karmada-controller-manager:karmada-m1: is gone from the member",
      ]);
      const news = inputs("m1", one, described);
      expect(await provider.diff("m1", seen.props, news)).toMatchObject({ changes: true, replaces: [] });
      const { outs } = await provider.update("m1", seen.props, news);
      // Another account has another token.
      const anew = expect.objectContaining({ readyReason: "ClusterReady" });
      const since = expect.stringMatching(/^20.*Z$/);
      const tokens = { credentialSince: since, tokenReplaced: outs.credentialSince, tokenWritten: since };
      expect(outs).toEqual({ ...joined[0], ...tokens, seen: anew });
      expect((await provider.read("m1", outs)).props).toEqual({ ...outs, seen: anew });
      joined[0] = outs;
    });

    test("one that is not looked at fails with the reason, stays in the state, and is continued", async () => {
      await provider.delete("m2", inputs("m2", two));
      await plane.controllerManager.kill();
      const error = await provider.create(inputs("m2", two, { timeoutSeconds: 3 })).catch((thrown: unknown) => thrown);
      const message =
        "m2: waited 3s for m2 to be ready: Karmada has not looked at it yet; does karmada-controller-manager run?";
      expect(error).toMatchObject({
        message,
        id: "m2",
        reasons: [message],
        properties: { cluster: "m2", ready: false },
      });
      await plane.startControllerManager();
      const { properties } = error as { properties: Record<string, unknown> };
      const { outs } = await provider.update("m2", properties, inputs("m2", two));
      expect(outs).toMatchObject({ ready: true, kubernetesVersion: "v1.35.3" });
    });

    test("may not leave while a policy names no other cluster, unless that is allowed or the policy goes with it", async () => {
      await propagate(plane.client, "m1");
      const declared = (members: string[], more: object = {}) => ({
        members,
        declaredBy: "karmada/test",
        mayLeave: [],
        policies: [],
        karmadaKubeconfig: plane.kubeconfig,
        ...more,
      });
      const then = declared(["m1", "m2"]);
      expect((await declaredMembers.check(then, declared(["m2"]))).failures).toEqual([
        {
          property: "members",
          reason:
            "m1 cannot leave: PropagationPolicy default/shared names no other cluster, so that what it has placed would be deleted there and run nowhere\n" +
            "give the policy another cluster, delete it, or let it go with membersMayLeave: [m1]",
        },
      ]);
      const allowed = [
        declared(["m1"]),
        declared(["m2"], { mayLeave: ["m1"] }),
        declared(["m2"], { policies: ["PropagationPolicy default/shared"] }),
        declared(["m2"], { karmadaKubeconfig: plane.kubeconfig.replace(`:${port}`, ":31799") }),
      ];
      for (const news of allowed) expect((await declaredMembers.check(then, news)).failures).toEqual([]);
      expect((await declaredMembers.check({}, declared(["m2"]))).failures).toEqual([]);
      const theirs = declared(["m1", "m3"], { declaredBy: "members/maps" });
      expect((await declaredMembers.check({}, theirs)).failures).toEqual([
        { property: "members", reason: expect.stringMatching(/^m1: the deployment "test" declares it\n/) },
      ]);
    });

    test("leaves with what was propagated to it: nothing is on the plane, and the member is in every object as it was", async () => {
      await propagate(plane.client, "m1");
      await waitFor("the ConfigMap in the member", deadlineIn(30), () =>
        one.client.get("/api/v1/namespaces/default/configmaps/shared"),
      );
      const begin = performance.now();
      await provider.delete("m1", joined[0]!);
      console.log(`left after ${((performance.now() - begin) / 1000).toFixed(2)} s`);
      expect(await leftOnPlane(plane.client, "m1")).toEqual([]);
      expect(await dumpApi(one.client)).toEqual(before);
      await provider.delete("m1", joined[0]!);
      expect(await provider.read("m1", joined[0]!)).toEqual({});
    });

    test("one that does not answer any more leaves too, and what stays in it is told", async () => {
      await propagate(plane.client, "m2");
      await waitFor("the ConfigMap in the member", deadlineIn(30), () =>
        two.client.get("/api/v1/namespaces/default/configmaps/shared"),
      );
      await two.apiServer.kill();
      const warn = jest.spyOn(console, "warn").mockImplementation(() => {});
      const begin = performance.now();
      await provider.delete("m2", inputs("m2", two, { timeoutSeconds: 120 }));
      const took = (performance.now() - begin) / 1000;
      console.log(`dead, and off the plane after ${took.toFixed(2)} s`);
      expect(took).toBeLessThan(90);
      expect(warn.mock.calls.join()).toMatch(
        /^m2: left Karmada, but not cleaned: .*connection refused.*\nleft there: namespace karmada-cluster with the service accounts karmada-m2/,
      );
      warn.mockRestore();
      expect(await leftOnPlane(plane.client, "m2")).toEqual([]);
    });

    test("joins again after it was away, and finds what it had left", async () => {
      await two.restart();
      // The namespace of the last time goes once the member's controllers have found their API server again.
      const { outs } = await provider.create(inputs("m2", two, { timeoutSeconds: 150 }));
      expect(outs.ready).toBe(true);
      await provider.delete("m2", outs);
    }, 320_000);

    test("one that the plane does not reach, but this machine does, leaves, and what stays in it is told", async () => {
      const { outs } = await provider.create(inputs("m2", two, { timeoutSeconds: 150 }));
      await propagate(plane.client, "m2");
      const find = () => two.client.get("/api/v1/namespaces/default/configmaps/shared");
      await waitFor("the ConfigMap in the member", deadlineIn(30), find);
      // Nothing listens there: from now on only the kubeconfig of this machine leads to it.
      await plane.client.merge(clusterPath("m2"), { spec: { apiEndpoint: "https://127.0.0.1:31799" } });
      await waitFor("the member not to be Ready", deadlineIn(90), async () => {
        const conditions = (await plane.client.get(clusterPath("m2"))).status.conditions as KubeObject[];
        if (!conditions.some((each) => each["type"] === "Ready" && each["status"] !== "True")) throw new Error("it is");
      });
      const warn = jest.spyOn(console, "warn").mockImplementation(() => {});
      await provider.delete("m2", outs);
      const said = warn.mock.calls.join();
      warn.mockRestore();
      expect(said).toMatch(
        /^m2: left, but Karmada could not take out what it put there: not ready: [^]*\nleft there: objects labelled karmada\.io\/managed=true$/,
      );
      expect(await find()).toBeDefined();
      await two.client.delete("/api/v1/namespaces/default/configmaps/shared");
    }, 320_000);

    test("what was propagated stays when that is wanted, though policies and templates change while it leaves", async () => {
      const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "kept" } };
      await plane.client.apply("/api/v1/namespaces/kept", namespace);
      const { outs } = await provider.create(inputs("m1", one));
      const asked = await provider.update("m1", outs, inputs("m1", one, { preserveWorkloads: true }));
      await propagate(plane.client, "m1", "kept");
      const path = "/api/v1/namespaces/kept/configmaps/shared";
      const [there] = await waitFor("what was propagated", deadlineIn(30), () =>
        Promise.all([one.client.get(path), one.client.get("/api/v1/namespaces/kept")]),
      );
      expect(there.metadata?.labels?.["karmada.io/managed"]).toBe("true");
      let leaving = true;
      const restless = (async () => {
        for (let i = 0; leaving; i++) {
          await plane.client.merge(path, { data: { a: String(i) } });
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      })();
      await provider.delete("m1", asked.outs);
      leaving = false;
      await restless;

      expect(await leftOnPlane(plane.client, "m1")).toEqual([]);
      const now = await dumpApi(one.client);
      const stays = Object.keys(now).filter((title) => !(title in before));
      expect(stays).toEqual([
        "/api/v1/configmaps kept/kube-root-ca.crt",
        "/api/v1/configmaps kept/shared",
        "/api/v1/namespaces /kept",
        "/api/v1/serviceaccounts kept/default",
      ]);
      expect(Object.keys(before).filter((title) => !isDeepStrictEqual(now[title], before[title]))).toEqual([]);
      expect(ownOf(await one.client.get(path))).toEqual({ uid: there.metadata?.uid, annotations: leftByKarmada });
    });

    test("what is not in the member any more does not hold up one that leaves with everything else kept", async () => {
      const { outs } = await provider.create(inputs("m1", one, { preserveWorkloads: true, timeoutSeconds: 60 }));
      const works = "/apis/work.karmada.io/v1alpha1/namespaces/karmada-es-m1/works";
      const manifest = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "nowhere", namespace: "none" } };
      await plane.client.create(works, {
        apiVersion: "work.karmada.io/v1alpha1",
        kind: "Work",
        metadata: { name: "nowhere", namespace: "karmada-es-m1", finalizers: ["karmada.io/execution-controller"] },
        spec: { workload: { manifests: [manifest] } },
      });
      await provider.delete("m1", outs);
      expect(await leftOnPlane(plane.client, "m1")).toEqual([]);
    });
  });
});

/** A ConfigMap with a policy that sends it to one cluster. */
async function propagate(plane: KubeClient, cluster: string, namespace = "default"): Promise<void> {
  await plane.apply(`/api/v1/namespaces/${namespace}/configmaps/shared`, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "shared", namespace },
    data: { a: "1" },
  });
  await plane.apply(`/apis/policy.karmada.io/v1alpha1/namespaces/${namespace}/propagationpolicies/shared`, {
    apiVersion: "policy.karmada.io/v1alpha1",
    kind: "PropagationPolicy",
    metadata: { name: "shared", namespace },
    spec: {
      resourceSelectors: [{ apiVersion: "v1", kind: "ConfigMap", name: "shared" }],
      placement: {
        clusterAffinity: { clusterNames: [cluster] },
        clusterTolerations: [{ key: "team", operator: "Exists" }],
      },
    },
  });
}

/** Karmada adds taints of its own, and takes not-ready away again a moment after a member is ready. */
const withoutKarmadas = (taints: { key: string }[] = []) =>
  taints.filter(({ key }) => !key.startsWith("cluster.karmada.io/"));

/** The one annotation that Karmada does not take away from what stays. */
const leftByKarmada = { "work.karmada.io/conflict-resolution": "abort" };

const ownOf = ({ metadata: { uid, labels, annotations } = {} }: KubeObject) => ({ uid, labels, annotations });

async function leftOnPlane(plane: KubeClient, cluster: string): Promise<string[]> {
  const paths = [
    clusterPath(cluster),
    `/api/v1/namespaces/karmada-es-${cluster}`,
    secretPath(cluster),
    secretPath(`${cluster}-impersonator`),
  ];
  const found = await Promise.all(paths.map((path) => plane.find(path)));
  return paths.filter((_, i) => found[i] !== undefined);
}
