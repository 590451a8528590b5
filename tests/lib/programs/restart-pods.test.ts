import { jest } from "@jest/globals";
import { setTimeout as sleep } from "node:timers/promises";
import type { KubeObject } from "../../../lib/kube/client.ts";
import { isReady } from "../../../lib/kube/pod.ts";
import { restartPrograms } from "../../../lib/programs/restart.ts";
import { deadlineIn, waitFor, Pending } from "../../../lib/wait.ts";
import { oneCluster } from "../../support/one-cluster.ts";

jest.setTimeout(120_000);

describe("programs in a real cluster, whose pods a stand-in for the kubelet has Ready half a second later", () => {
  const host = oneCluster(31690);
  const pods = "/api/v1/namespaces/default/pods";
  let playing = true;
  let played: Promise<void>;

  beforeAll(async () => {
    await Promise.all(["karmada-search", "karmada-metrics-adapter"].map(deploy));
    played = playKubelet();
    await waitFor("all pods to be Ready", deadlineIn(60), async () =>
      (await list()).filter(isReady).length === 5 ? undefined : new Pending("not yet"),
    );
  }, 90_000);
  afterAll(async () => {
    playing = false;
    await played;
  });

  const deploy = (name: string) => {
    const labels = { "app.kubernetes.io/instance": name };
    return host.cluster.client.create("/apis/apps/v1/namespaces/default/deployments", {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name },
      spec: {
        replicas: name === "karmada-search" ? 3 : 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name, image: "none" }] } },
      },
    });
  };

  const list = async (): Promise<KubeObject[]> => (await host.cluster.client.get<{ items: KubeObject[] }>(pods)).items;

  async function playKubelet(): Promise<void> {
    const conditions = [{ type: "Ready", status: "True" }];
    while (playing) {
      // The cluster may end before it.
      const there = await list().catch(() => []);
      await sleep(500);
      for (const { metadata } of there)
        await host.cluster.client.merge(`${pods}/${metadata?.name}/status`, { status: { conditions } }).catch(() => {});
    }
  }

  const uids = async (): Promise<string[]> => (await list()).map(({ metadata }) => metadata?.uid ?? "");

  test("are ended one replica of each after another, and the others serve meanwhile", async () => {
    const before = await uids();
    let done = false;
    let fewestReady = Infinity;
    const restarted = restartPrograms(
      { kind: "kubernetes", kubeconfig: host.cluster.kubeconfig, namespace: "default" },
      ["karmada-search", "karmada-metrics-adapter"],
    ).finally(() => (done = true));
    while (!done) {
      const searches = (await list()).filter(({ metadata }) => metadata?.name?.startsWith("karmada-search"));
      fewestReady = Math.min(fewestReady, searches.filter(isReady).length);
      await sleep(20);
    }
    await restarted;
    expect(fewestReady).toBe(2);
    expect((await uids()).filter((uid) => before.includes(uid))).toEqual([]);
  });
});
