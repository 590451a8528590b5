import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { execa } from "execa";
import { connect, type KubeClient, type KubeObject } from "../../lib/kube/client.ts";
import { dueRotation } from "../../lib/members/due.ts";
import { probeEndpoint, refuses, type Endpoint } from "../../lib/members/endpoint.ts";
import type { TokenHolders } from "../../lib/members/token-holders.ts";
import { parseKubeconfig } from "../../lib/kube/kubeconfig.ts";
import { ensureProcess, listProcesses, removeProcess } from "../../lib/supervisor/client.ts";
import { deadlineIn, Pending, waitFor } from "../../lib/wait.ts";
import { provider } from "../../providers/cluster-registration-impl.ts";
import type { ClusterRegistrationInputs } from "../../providers/cluster-registration.ts";
import { provider as accesses } from "../../providers/member-access-impl.ts";
import { provider as inUseBy } from "../../providers/tokens-in-use-impl.ts";
import { provider as superseded } from "../../providers/superseded-tokens-impl.ts";
import { startCluster, type Cluster } from "../support/cluster.ts";
import { startEtcd } from "../support/etcd.ts";
import { startKarmadaPlane, type KarmadaPlane } from "../support/karmada-plane.ts";
import { programPath } from "../support/programs.ts";
import { Programs } from "../support/running.ts";

const port = 31900;
const clusterPath = "/apis/cluster.karmada.io/v1alpha1/clusters/m1";
const secrets = "/api/v1/namespaces/karmada-cluster/secrets";

jest.setTimeout(180_000);

describe("what a real Karmada logs in to a real member with", () => {
  const programs = new Programs(realpathSync(mkdtempSync(join(tmpdir(), "rotation-"))));
  const supervised = join(programs.directory, "dev");
  let plane: KarmadaPlane;
  let one: Cluster;
  let state: Record<string, unknown>;

  beforeAll(async () => {
    const etcd = await startEtcd(programs, port + 10);
    [plane, one] = await Promise.all([
      startKarmadaPlane(programs, etcd, port),
      startCluster(programs, etcd, { name: "one", port: port + 12 }),
    ]);
    ({ outs: state } = await provider.create(inputs()));
  }, 240_000);
  afterAll(async () => {
    for (const { description } of (await listProcesses(supervised)) ?? [])
      await removeProcess(supervised, description.name, 1);
    await programs.remove();
  });

  const inputs = (more: Partial<ClusterRegistrationInputs> = {}): ClusterRegistrationInputs => ({
    cluster: "m1",
    karmadaKubeconfig: plane.kubeconfig,
    memberKubeconfig: one.kubeconfig,
    syncMode: "Push",
    declaredBy: "karmada/test",
    timeoutSeconds: 60,
    ...more,
  });

  /** What the plane has, by the name of its Secret. */
  const inUse = async () => {
    const found = await Promise.all(["m1", "m1-impersonator"].map((name) => plane.client.get(`${secrets}/${name}`)));
    return found.map(({ data }) => Buffer.from(data.token, "base64").toString());
  };

  const tokenHolders: TokenHolders = {
    runtime: { kind: "local", directory: supervised },
    programs: ["karmada-controller-manager"],
  };
  const startOf = async () => (await listProcesses(supervised))?.[0]?.running?.startedAt;
  const use = (tokens: Record<string, string>, written?: Record<string, string>) => ({
    tokens,
    ...(written && { written }),
    karmadaKubeconfig: plane.kubeconfig,
    tokenHolders,
  });

  /** What a refresh says of it. */
  const secretDrift = async () =>
    (((await provider.read("m1", state)).props.drift ?? []) as string[]).filter((each) => each.startsWith("secret"));

  /** What a restore does with the Secret of the member. */
  const putBack = (secret: KubeObject) =>
    plane.client.replace(`${secrets}/m1`, {
      ...secret,
      metadata: { ...secret.metadata, resourceVersion: undefined },
    });

  /** Names of the Secrets in the member that hold tokens. */
  const tokensInMember = async () => {
    const { items } = await one.client.get<{ items: KubeObject[] }>(secrets);
    return items.map(({ metadata }) => metadata?.name ?? "").sort();
  };

  const endpoint = async (): Promise<Endpoint> => {
    const [token = ""] = await inUse();
    return probeEndpoint(parseKubeconfig(one.kubeconfig), { token, ca: one.authority.certificate });
  };

  const oneEach = [
    expect.stringMatching(/^karmada-impersonator-[0-9a-f]{8}$/),
    expect.stringMatching(/^karmada-m1-[0-9a-f]{8}$/),
  ];

  test("changes without a moment in which the Cluster is not Ready, and then the old tokens are refused", async () => {
    const before = await inUse();
    expect(await tokensInMember()).toEqual(["karmada-impersonator", "karmada-m1"]);
    const first = await readyOf(plane.client);
    const seen = new Set<string>();
    const probe = new AbortController();
    const probing = (async () => {
      while (!probe.signal.aborted) {
        const { status, lastTransitionTime, reason } = await readyOf(plane.client);
        seen.add(`${status} since ${lastTransitionTime}: ${reason}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    })();
    const begin = performance.now();
    const { outs } = await provider.update("m1", state, inputs({ rotate: "1" }));
    const seconds = (performance.now() - begin) / 1000;
    console.log(`two tokens rotated, the old ones refused after ${seconds.toFixed(1)} s`);
    const after = await inUse();
    const at = await endpoint();
    for (const token of before) expect(await refuses(at, token)).toBe(true);
    for (const token of after) expect([before.includes(token), await refuses(at, token)]).toEqual([false, false]);
    expect(await tokensInMember()).toEqual(oneEach);
    expect(outs).toMatchObject({ rotate: "1", ready: true, credentialSince: expect.stringMatching(/^20.*Z$/) });
    // Karmada looks every 10 s, and lets a member count as lost after 30 s of that.
    await new Promise((resolve) => setTimeout(resolve, 45_000));
    probe.abort();
    await probing;
    expect([...seen]).toEqual([`True since ${first.lastTransitionTime}: ClusterReady`]);
    state = outs;
  });

  test("stays as it is while nobody asks for anything, and a refresh finds nothing", async () => {
    const [before, names] = [await inUse(), await tokensInMember()];
    expect((await provider.read("m1", state)).props).toEqual(state);
    expect(await provider.diff("m1", state, inputs({ rotate: "1" }))).toMatchObject({ changes: false });
    ({ outs: state } = await provider.update("m1", state, inputs({ rotate: "1" })));
    expect([await inUse(), await tokensInMember()]).toEqual([before, names]);
    const { outs } = await provider.update("m1", state, inputs());
    expect([await inUse(), await tokensInMember()]).toEqual([before, names]);
    state = outs;
  });

  test("is said in the preview, with what asks for it", async () => {
    const then = inputs({ rotate: "1" });
    const { inputs: asked } = await provider.check(then, inputs({ rotate: "2" }));
    const procedure =
      "makes a new token in the member, puts it in use once the member lets it in, and revokes the one before";
    expect(asked).toMatchObject({ rotate: "2", plan: ["rotate is 2, was 1", procedure] });
    const every = { rotate: "1", rotateEvery: "720h" };
    const { inputs: nothing } = await provider.check(then, inputs(every));
    expect(Object.keys(nothing ?? {}).sort()).toEqual(Object.keys(inputs(every)).sort());
    const made = String(state.credentialSince);
    const later = new Date(Date.parse(made) + 721 * 3600 * 1000);
    const account = { cluster: "m1", purpose: "plane", memberKubeconfig: one.kubeconfig } as const;
    expect(await dueRotation(account, every, then, later)).toEqual({
      due: made,
      plan: [`the token of ${made} is 721h old, rotateEvery is 720h`, procedure],
    });
  });

  test("is replaced when it is older than it may become, and then has time again", async () => {
    const before = await inUse();
    const old = { rotate: "1", rotateEvery: "1s" };
    await new Promise((resolve) => setTimeout(resolve, 2100));
    const due = await provider.check({ ...state }, inputs(old));
    expect(due.inputs).toMatchObject({ due: state.credentialSince });
    expect(await provider.diff("m1", state, due.inputs)).toMatchObject({ changes: true, replaces: [] });
    ({ outs: state } = await provider.update("m1", state, due.inputs));
    expect(await inUse()).not.toEqual(before);
    expect(await tokensInMember()).toEqual(oneEach);
    const again = await provider.check({ ...state }, inputs({ rotate: "1", rotateEvery: "1h" }));
    expect(await provider.diff("m1", state, again.inputs)).toMatchObject({ changes: false });
  });

  test("never comes back: the word of an earlier rotation gives another token than then", async () => {
    const seen = [...(await inUse())];
    for (const rotate of ["a", "b", "a"]) {
      ({ outs: state } = await provider.update("m1", state, inputs({ rotate })));
      const now = await inUse();
      expect(seen.filter((token) => now.includes(token))).toEqual([]);
      seen.push(...now);
    }
    const at = await endpoint();
    for (const token of seen.slice(0, -2)) expect(await refuses(at, token)).toBe(true);
  });

  test.each(["rotation/made", "rotation/in-use", "rotation/restarted", "rotation/revoked"])(
    "killed at %s, the next up brings it to its end",
    async (point) => {
      const before = await inUse();
      const news = inputs({ rotate: `again, ${point}` });
      const run = await execa("node", ["tests/providers/support/call.ts", "cluster-registration", "update"], {
        input: JSON.stringify(["m1", state, news]),
        env: { KARMADA_FAIL_AT: point },
        preferLocal: true,
        reject: false,
        cwd: new URL("../..", import.meta.url).pathname,
      });
      expect(run.signal).toBe("SIGKILL");
      const made = (await tokensInMember()).filter((name) => name.startsWith("karmada-m1-"));
      expect(await provider.diff("m1", state, news)).toMatchObject({ changes: true });
      ({ outs: state } = await provider.update("m1", state, news));
      expect(await tokensInMember()).toEqual(oneEach);
      // What had been made was gone on with.
      expect(made).toContain((await tokensInMember())[1]);
      const at = await endpoint();
      for (const token of before) expect(await waitForRefusal(at, token)).toBe(true);
      for (const token of await inUse()) expect(await refuses(at, token)).toBe(false);
      expect(state.ready).toBe(true);
    },
  );

  test("programs that remember it start again, once for all who ask, and see what happens in the member after that", async () => {
    await plane.controllerManager.kill();
    await ensureProcess(supervised, {
      name: "karmada-controller-manager",
      command: await programPath("karmada-controller-manager"),
      args: [
        `--kubeconfig=${join(programs.directory, "karmada", "admin.kubeconfig")}`,
        `--metrics-bind-address=127.0.0.1:${port + 6}`,
        `--health-probe-bind-address=127.0.0.1:${port + 7}`,
        "--leader-elect=false",
      ],
      env: {},
      workingDirectory: supervised,
      log: join(programs.directory, "supervised.log"),
      ports: [],
      stopSeconds: 5,
      revision: "1",
    });
    const start = await startOf();
    await seenIn(plane.client, one.client, "before");
    const news = inputs({ rotate: "with a restart", tokenHolders });
    ({ outs: state } = await provider.update("m1", state, news));
    expect(await startOf()).not.toBe(start);
    // A kind that nothing was watching yet: a watch that is open already would go on for minutes.
    await seenIn(plane.client, one.client, "after");

    // Somebody deletes the account: no token is left to revoke, and what they have read is dead all the same.
    const dead = await inUse();
    await one.client.delete("/api/v1/namespaces/karmada-cluster/serviceaccounts/karmada-m1");
    const found = await provider.read("m1", state);
    expect(found.props).toMatchObject({ drift: expect.arrayContaining([expect.stringContaining("karmada-m1")]) });
    const restarted = await startOf();
    await new Promise((resolve) => setTimeout(resolve, 1100)); // when a token was made is told in whole seconds
    ({ outs: state } = await provider.update("m1", state, news));
    expect((await inUse())[0]).not.toBe(dead[0]);
    expect(await startOf()).not.toBe(restarted);
    expect(state.tokenReplaced).toBe(state.credentialSince);
    const last = await startOf();
    ({ outs: state } = await provider.update("m1", state, news));
    expect([await startOf(), state.tokenReplaced]).toEqual([last, state.credentialSince]);
  });

  test("takes its place again after a restore of the one before, and programs that have read that start again, once", async () => {
    const news = inputs({ rotate: "after the snapshot", tokenHolders });
    const snapshot = await plane.client.get(`${secrets}/m1`);
    await new Promise((resolve) => setTimeout(resolve, 1100)); // when a token was made is told in whole seconds
    ({ outs: state } = await provider.update("m1", state, news));
    const rotated = await inUse();

    await putBack(snapshot);
    const restored = await startOf();
    const other = expect.stringMatching(`^secret m1: has the token of 20.*, not of ${state.credentialSince}$`);
    expect(await secretDrift()).toEqual([other]);
    ({ outs: state } = await provider.update("m1", state, news));
    expect(await inUse()).toEqual(rotated);
    const started = await startOf();
    expect(started).not.toBe(restored);
    ({ outs: state } = await provider.update("m1", state, news));
    expect([await startOf(), await secretDrift()]).toEqual([started, []]);

    // Interrupted before they are, a refresh still knows.
    await putBack(snapshot);
    await execa("node", ["tests/providers/support/call.ts", "cluster-registration", "update"], {
      input: JSON.stringify(["m1", state, news]),
      env: { KARMADA_FAIL_AT: "rotation/in-use" },
      preferLocal: true,
      reject: false,
      cwd: new URL("../..", import.meta.url).pathname,
    });
    expect([await inUse(), await startOf()]).toEqual([rotated, started]);
    expect(await secretDrift()).toEqual(["secret m1: programs may go on with the token before it"]);
    ({ outs: state } = await provider.update("m1", state, news));
    expect(await startOf()).not.toBe(started);
    expect(await secretDrift()).toEqual([]);

    // So does a new stack, whose state knows of no earlier token.
    await putBack(snapshot);
    const again = await startOf();
    ({ outs: state } = await provider.create(news));
    expect(await startOf()).not.toBe(again);
  });

  test("is not revoked while programs of another stack hold it, until that stack has started them again", async () => {
    const held = (more: Partial<ClusterRegistrationInputs> = {}) =>
      inputs({ rotate: "for a team", heldElsewhere: true, ...more });
    const before = await inUse();
    const at = await endpoint();
    ({ outs: state } = await provider.update("m1", state, held()));
    expect(state.tokenReplaced).toBe(state.credentialSince);
    expect(await tokensInMember()).toHaveLength(4);
    for (const token of before) expect(await refuses(at, token)).toBe(false);
    expect((await provider.check({ ...state }, held())).inputs).not.toHaveProperty("used");

    const start = await startOf();
    const since = String(state.credentialSince);
    const other = await inUseBy.create(use({ m1: "2020-01-01T00:00:00Z", nobody: since }));
    expect(await startOf()).toBe(start);
    const { outs } = await inUseBy.update("tokens-in-use", other.outs, use({ m1: since }));
    const again = await startOf();
    expect(again).not.toBe(start);
    await inUseBy.update("tokens-in-use", outs, use({ m1: since }));
    expect(await startOf()).toBe(again);

    const { inputs: news } = await provider.check({ ...state }, held());
    expect(news).toMatchObject({ used: since });
    expect(await provider.diff("m1", state, news)).toMatchObject({ changes: true, replaces: [] });
    ({ outs: state } = await provider.update("m1", state, news));
    expect(await tokensInMember()).toEqual(oneEach);
    for (const token of before) expect(await waitForRefusal(at, token)).toBe(true);
    expect(await provider.diff("m1", state, (await provider.check({ ...state }, held())).inputs)).toMatchObject({
      changes: false,
    });
  });

  test("takes its place again after a restore, and the stack with those programs starts them again for it, once", async () => {
    const warn = jest.spyOn(console, "warn").mockImplementation(() => {});
    const held = inputs({ rotate: "for a team, after the snapshot", heldElsewhere: true });
    const snapshot = await plane.client.get(`${secrets}/m1`);
    ({ outs: state } = await provider.update("m1", state, held));
    const since = String(state.credentialSince);
    const rotated = use({ m1: since }, { m1: String(state.tokenWritten) });
    let { outs: theirs } = await inUseBy.create(use({ m1: since }));
    const start = await startOf();
    // Of another release: it is known already that they use it.
    ({ outs: theirs } = await inUseBy.update("tokens-in-use", theirs, rotated));
    expect(await startOf()).toBe(start);
    ({ outs: state } = await provider.update("m1", state, (await provider.check({ ...state }, held)).inputs as never));
    expect(await tokensInMember()).toEqual(oneEach);
    warn.mockClear();

    await putBack(snapshot);
    ({ outs: state } = await provider.update("m1", state, held));
    expect(state).toMatchObject({ credentialSince: since, tokenReplaced: since });
    expect(state.tokenWritten).not.toBe(rotated.written?.m1);
    expect(warn.mock.calls.flat()).toEqual([
      expect.stringMatching(/^m1: programs of the control plane go on with a token that it no longer takes, /),
    ]);
    const restored = use({ m1: since }, { m1: String(state.tokenWritten) });
    expect(await inUseBy.diff("tokens-in-use", theirs, restored)).toMatchObject({ changes: true });
    ({ outs: theirs } = await inUseBy.update("tokens-in-use", theirs, restored));
    const again = await startOf();
    expect(again).not.toBe(start);
    await inUseBy.update("tokens-in-use", theirs, restored);
    ({ outs: state } = await provider.update("m1", state, held));
    expect([await startOf(), state.tokenWritten]).toEqual([again, restored.written?.m1]);
    expect(await secretDrift()).toEqual([]);
    warn.mockRestore();
  });

  test("another way to a member does not reach programs of another stack by itself, which is said", async () => {
    const warn = jest.spyOn(console, "warn").mockImplementation(() => {});
    const saidFor = async (memberKubeconfig: string) => {
      const news = inputs({ rotate: "for a team, after the snapshot", heldElsewhere: true, memberKubeconfig });
      ({ outs: state } = await provider.update("m1", state, news));
      return warn.mock.calls
        .splice(0)
        .flat()
        .filter((line) => String(line).includes("the way to it"));
    };
    const elsewhere = one.kubeconfig.replace("127.0.0.1", "localhost");
    expect(await saidFor(elsewhere)).toEqual([
      expect.stringMatching(/^m1: programs of the control plane go on by the way to it that they have read first; /),
    ]);
    expect(await saidFor(elsewhere)).toEqual([]);
    expect(await saidFor(one.kubeconfig)).toHaveLength(1);
    warn.mockRestore();
  });

  test("of a program with an account of its own is revoked once the program has the new one", async () => {
    const access = (rotate: string) => ({
      cluster: "m1",
      purpose: "estimator" as const,
      declaredBy: "karmada/test" as const,
      karmadaKubeconfig: plane.kubeconfig,
      memberKubeconfig: one.kubeconfig,
      rotate,
      timeoutSeconds: 60,
    });
    const old = (await accesses.create(access("1"))).outs as { kubeconfig: string };
    const now = (await accesses.update("m1-estimator", old, access("2"))).outs as { kubeconfig: string };
    for (const { kubeconfig } of [old, now]) await (await connect(kubeconfig)).get("/api/v1/nodes");
    const { cluster, purpose, memberKubeconfig, timeoutSeconds } = access("2");
    const { outs } = await superseded.create({
      cluster,
      purpose,
      memberKubeconfig,
      kubeconfig: now.kubeconfig,
      timeoutSeconds,
    });
    expect(outs.since).toMatch(/^20.*Z$/);
    await (await connect(now.kubeconfig)).get("/api/v1/nodes");
    await expect((await connect(old.kubeconfig)).get("/api/v1/nodes")).rejects.toMatchObject({ status: 401 });
    expect((await accesses.read("m1-estimator", now)).props).toEqual(now);
    await accesses.delete("m1-estimator", now);
    expect(await tokensInMember()).toEqual(oneEach);
  });

  test("leaves the token alone that another control plane uses too", async () => {
    const shared = { name: "karmada-impersonator", namespace: "karmada-cluster" };
    const annotations = { "kubernetes.io/service-account.name": "karmada-impersonator" };
    const theirs = { name: "karmada-theirs", namespace: "karmada-cluster" };
    await one.client.create("/api/v1/namespaces/karmada-cluster/serviceaccounts", { metadata: theirs });
    const type = "kubernetes.io/service-account-token";
    await one.client.create(secrets, { metadata: { ...shared, annotations }, type });
    ({ outs: state } = await provider.update("m1", state, inputs({ rotate: "beside others" })));
    expect(await tokensInMember()).toEqual(["karmada-impersonator", ...oneEach]);
    await one.client.delete("/api/v1/namespaces/karmada-cluster/serviceaccounts/karmada-theirs");
  });

  test("stays as long as another control plane has the cluster under the same name", async () => {
    const account = "/api/v1/namespaces/karmada-cluster/serviceaccounts/karmada-m1";
    const note = (value: string | null) =>
      one.client.merge(account, { metadata: { annotations: { "karmada-pulumi/plane-theirs": value } } });
    await one.client.delete(`${secrets}/karmada-impersonator`);
    ({ outs: state } = await provider.update("m1", state, inputs({ rotate: "alone" })));
    await note("joined");
    const warn = jest.spyOn(console, "warn").mockImplementation(() => {});
    ({ outs: state } = await provider.update("m1", state, inputs({ rotate: "together" })));
    expect(warn.mock.calls.join()).toContain("m1: another control plane has joined this cluster under the same name");
    warn.mockRestore();
    expect(await tokensInMember()).toHaveLength(4);
    await note(null);
    ({ outs: state } = await provider.update("m1", state, inputs({ rotate: "together" })));
    expect(await tokensInMember()).toEqual(oneEach);
  });

  test("goes with the member, whatever its name", async () => {
    await provider.delete("m1", state);
    expect(await one.client.find("/api/v1/namespaces/karmada-cluster")).toBeUndefined();
  });
});

const waitForRefusal = (endpoint: Endpoint, token: string): Promise<boolean> =>
  waitFor("the token to be refused", deadlineIn(20), async () =>
    (await refuses(endpoint, token)) ? true : new Pending("it is accepted"),
  );

interface Ready {
  readonly status: string;
  readonly reason: string;
  readonly lastTransitionTime: string;
}

async function readyOf(plane: KubeClient): Promise<Ready> {
  const { status } = await plane.get(clusterPath);
  return (status.conditions as (Ready & { type: string })[]).find(({ type }) => type === "Ready")!;
}

/** Propagates an object of a kind of its own, and waits until the plane has seen what the member made of its status. */
async function seenIn(plane: KubeClient, member: KubeClient, when: "before" | "after"): Promise<void> {
  const labels = { app: when };
  const template = { metadata: { labels }, spec: { containers: [{ name: "a", image: "none.invalid/none" }] } };
  const [kind, plural] = when === "before" ? ["Deployment", "deployments"] : ["DaemonSet", "daemonsets"];
  const body = {
    apiVersion: "apps/v1",
    kind,
    metadata: { name: when, namespace: "default" },
    spec: { selector: { matchLabels: labels }, template },
  };
  await plane.apply(`/apis/apps/v1/namespaces/default/${plural}/${when}`, body);
  await plane.apply(`/apis/policy.karmada.io/v1alpha1/namespaces/default/propagationpolicies/${when}`, {
    apiVersion: "policy.karmada.io/v1alpha1",
    kind: "PropagationPolicy",
    metadata: { name: when, namespace: "default" },
    spec: {
      resourceSelectors: [{ apiVersion: "apps/v1", kind, name: when }],
      placement: { clusterAffinity: { clusterNames: ["m1"] } },
    },
  });
  await waitFor(`${kind} ${when} in the member`, deadlineIn(30), async () =>
    member.get(`/apis/apps/v1/namespaces/default/${plural}/${when}`),
  );
  const binding = `/apis/work.karmada.io/v1alpha2/namespaces/default/resourcebindings/${when}-${kind?.toLowerCase()}`;
  await waitFor(`its status on the plane`, deadlineIn(40), async () => {
    const { status } = await plane.get(binding);
    const [item] = (status?.aggregatedStatus ?? []) as { status?: object; health?: string }[];
    return item?.status === undefined ? new Pending(JSON.stringify(status ?? {})) : undefined;
  });
}
