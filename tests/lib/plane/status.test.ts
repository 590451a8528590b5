import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectAlone, type KubeClient } from "../../../lib/kube/client.ts";
import type { PlaneProgram, Sign } from "../../../lib/plane/program.ts";
import { type ProgramStatus, readPrograms } from "../../../lib/plane/status.ts";
import { deadlineIn, Pending, waitFor } from "../../../lib/wait.ts";
import { type EtcdCluster, startEtcd } from "../../support/etcd.ts";
import { type KarmadaPlane, startKarmadaPlane } from "../../support/karmada-plane.ts";
import { Programs, type Running } from "../../support/running.ts";

const port = 27300;
const leases = "/apis/coordination.k8s.io/v1/namespaces/karmada-system/leases";
const lease = (name: string): Sign => ({ kind: "lease", namespace: "karmada-system", name });

describe("the programs of a real control plane", () => {
  const programs = new Programs(mkdtempSync(join(tmpdir(), "plane-")));
  let etcd: EtcdCluster;
  let plane: KarmadaPlane;
  let scheduler: Running;
  let scheduling: Record<string, string | number>;

  beforeAll(async () => {
    etcd = await startEtcd(programs, port + 10);
    plane = await startKarmadaPlane(programs, etcd, port);
    scheduling = {
      kubeconfig: programs.write("scheduler.config", plane.kubeconfig),
      "metrics-bind-address": `127.0.0.1:${port + 13}`,
      "health-probe-bind-address": `127.0.0.1:${port + 14}`,
      "leader-elect-lease-duration": "4s",
      "leader-elect-renew-deadline": "3s",
      "leader-elect-retry-period": "1s",
    };
    scheduler = await programs.start("karmada-scheduler", scheduling, "electing-scheduler");
  }, 240_000);
  afterAll(() => programs.remove());

  const statusOf = async (sign: Sign, client: KubeClient = plane.client) =>
    (await readPrograms(client, [{ name: "it", sign }]))[0]!;
  /** Waits until it is in that state. */
  const becomes = (state: string, sign: Sign) =>
    waitFor<ProgramStatus>(`${sign.kind} to be ${state}`, deadlineIn(60), async () => {
      const status = await statusOf(sign);
      return status.state === state ? status : new Pending(JSON.stringify(status));
    });
  const all: PlaneProgram[] = [
    { name: "kube-apiserver", sign: { kind: "readyz" } },
    { name: "karmada-aggregated-apiserver", sign: { kind: "apis", service: "karmada-aggregated-apiserver" } },
    { name: "karmada-webhook", sign: { kind: "admission" } },
    { name: "karmada-scheduler", sign: lease("karmada-scheduler") },
    {
      name: "karmada-controller-manager",
      sign: { kind: "probe", probe: { kind: "http", url: `http://127.0.0.1:${port + 7}/healthz` } },
    },
  ];

  test("all run, and the one that leads is named, by the lease that upstream's default names", async () => {
    await Promise.all(all.map(({ sign }) => becomes("Running", sign)));
    const found = await readPrograms(plane.client, all);
    expect(found).toEqual([
      { name: "kube-apiserver", state: "Running", reason: "Ready", message: "" },
      { name: "karmada-aggregated-apiserver", state: "Running", reason: "Available", message: "" },
      { name: "karmada-webhook", state: "Running", reason: "Admits", message: "" },
      {
        name: "karmada-scheduler",
        ...{ state: "Running", reason: "HoldsLease", message: "" },
        leader: expect.stringMatching(/._[-\da-f]{36}$/),
      },
      { name: "karmada-controller-manager", state: "Running", reason: "Answers", message: "" },
    ]);
    // Nothing came into being by looking, and what is renewed meanwhile is no difference.
    const policies = "/apis/policy.karmada.io/v1alpha1/propagationpolicies";
    expect((await plane.client.get<{ items: object[] }>(policies)).items).toEqual([]);
    const renewed = async () => (await plane.client.get(`${leases}/karmada-scheduler`))["spec"].renewTime as string;
    const before = await renewed();
    await waitFor("a renewal", deadlineIn(10), async () => ((await renewed()) === before ? new Pending(before) : true));
    expect(await readPrograms(plane.client, all)).toEqual(found);
  }, 90_000);

  test("a leader that is killed leaves a lease that nobody renews", async () => {
    await scheduler.kill();
    const { spec } = await plane.client.get(`${leases}/karmada-scheduler`);
    expect(await becomes("Failing", lease("karmada-scheduler"))).toEqual({
      name: "it",
      state: "Failing",
      reason: "LeaseExpired",
      message: `nobody has renewed lease karmada-system/karmada-scheduler since ${spec.renewTime}, its last holder was ${spec.holderIdentity}`,
    });
    scheduler = await programs.start("karmada-scheduler", scheduling, "electing-scheduler");
    await becomes("Running", lease("karmada-scheduler"));
  }, 90_000);

  test("one that never held its lease has never worked", async () => {
    expect(await statusOf(lease("karmada-descheduler"))).toMatchObject({
      state: "Failing",
      reason: "NeverLed",
      message: "lease karmada-system/karmada-descheduler is not there: nobody has held it yet",
    });
  });

  test("a webhook that is gone is named by the API server that called it", async () => {
    await plane.webhook.kill();
    expect(await statusOf({ kind: "admission" })).toMatchObject({
      state: "Failing",
      reason: "NoAnswer",
      message: expect.stringMatching(/ failed calling webhook "propagationpolicy.karmada.io": .* connection refused$/),
    });
    await plane.startWebhook();
    await becomes("Running", { kind: "admission" });
  }, 90_000);

  test("an aggregated API is unavailable once its server is gone, as the API server sees it", async () => {
    await plane.aggregatedApiserver.kill();
    const { reason, message } = await becomes("Failing", all[1]!.sign);
    expect({ reason, message }).toEqual({
      reason: "FailedDiscoveryCheck",
      message: expect.stringMatching(/^v1alpha1.cluster.karmada.io: failing or missing response from https:/),
    });
    await plane.startAggregatedApiserver();
    expect(await statusOf({ kind: "apis", service: "karmada-search" })).toMatchObject({ reason: "NotRegistered" });
    await becomes("Running", all[1]!.sign);
  }, 120_000);

  test("one that works alone is asked itself", async () => {
    await plane.controllerManager.kill();
    expect(await statusOf(all.at(-1)!.sign)).toMatchObject({
      state: "Failing",
      reason: "NoAnswer",
      message: expect.stringMatching(/^http:\/\/127.0.0.1:27307\/healthz: .*connect ECONNREFUSED 127.0.0.1:27307$/),
    });
    await plane.startControllerManager();
  });

  test("of one that works alone elsewhere it is said who knows", async () => {
    const unobserved = { name: "it", state: "Unobserved", reason: "WorksAlone" };
    expect(await statusOf({ kind: "none" })).toEqual({ ...unobserved, message: "" });
    expect(await statusOf({ kind: "none", host: "host1" })).toEqual({
      ...unobserved,
      message:
        "works alone, which nothing in the Karmada API shows: systemctl status 'karmada-*' on host1 does; two replicas would hold a lease",
    });
  });

  test("what may not be read is unknown, and the rest is shown", async () => {
    const outsider = await connectAlone(await plane.kubeconfigFor("outsider"));
    const found = await readPrograms(outsider, all);
    outsider.close();
    expect(found.map(({ state, reason }) => `${state} ${reason}`)).toEqual([
      "Running Ready",
      "Unknown Forbidden",
      "Unknown Forbidden",
      "Unknown Forbidden",
      expect.stringMatching(/^(Running Answers|Failing NoAnswer)$/), // it may still be starting
    ]);
  });

  test("an API server that has lost its etcd names the check that fails; one that is gone leaves the rest unknown", async () => {
    await etcd.members[0]!.kill();
    expect(await becomes("Failing", all[0]!.sign)).toMatchObject({
      reason: "NotReady",
      message: expect.stringMatching(/^GET \/readyz: 500 \[-\]etcd failed: reason withheld/),
    });
    await programs.stop();
    const [apiserver, webhook] = await readPrograms(plane.client, [all[0]!, all[2]!]);
    const silent = `${plane.server}: connection refused, nothing listens there`;
    expect([apiserver, webhook]).toEqual([
      { name: "kube-apiserver", state: "Failing", reason: "NoAnswer", message: silent },
      { name: "karmada-webhook", state: "Unknown", reason: "NoAnswer", message: silent },
    ]);
  }, 90_000);
});
