import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { deadlineIn, Pending, waitFor } from "../../lib/wait.ts";
import { provider } from "../../providers/rebalancing-impl.ts";
import type { RebalancingInputs } from "../../providers/rebalancing.ts";
import { startEtcd } from "../support/etcd.ts";
import { startKarmadaPlane, type KarmadaPlane } from "../support/karmada-plane.ts";
import { Programs } from "../support/running.ts";

const port = 31930;
const path = "/apis/apps.karmada.io/v1alpha1/workloadrebalancers/again";
const binding = (name: string) =>
  `/apis/work.karmada.io/v1alpha2/namespaces/default/resourcebindings/${name}-configmap`;
const configMap = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", namespace: "default", name });
const mark = "karmada-pulumi/rebalancing";

jest.setTimeout(120_000);

describe("scheduling anew, by a real Karmada", () => {
  const programs = new Programs(mkdtempSync(join(tmpdir(), "rebalancing-")));
  let plane: KarmadaPlane;

  beforeAll(async () => {
    plane = await startKarmadaPlane(programs, await startEtcd(programs, port + 10), port);
    await plane.client.apply("/apis/policy.karmada.io/v1alpha1/namespaces/default/propagationpolicies/all", {
      apiVersion: "policy.karmada.io/v1alpha1",
      kind: "PropagationPolicy",
      metadata: { name: "all", namespace: "default" },
      spec: { resourceSelectors: ["a", "b"].map(configMap), placement: {} },
    });
    for (const name of ["a", "b"]) {
      await plane.client.apply(`/api/v1/namespaces/default/configmaps/${name}`, {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name },
      });
      await waitFor(`a binding of ${name}`, deadlineIn(60), () => plane.client.get(binding(name)));
    }
  }, 240_000);
  afterAll(async () => {
    await programs.remove();
  });

  const inputs = (more: Partial<RebalancingInputs> = {}): RebalancingInputs => ({
    name: "again",
    workloads: [configMap("a")],
    karmadaKubeconfig: plane.kubeconfig,
    timeoutSeconds: 30,
    ...more,
  });
  const scheduledAt = async (name: string) =>
    (await plane.client.get(binding(name)))["spec"].rescheduleTriggeredAt as string;
  const uid = async () => (await plane.client.find(path))?.metadata?.uid;
  /** Karmada compares times by the second. */
  const aSecond = () => new Promise((resolve) => setTimeout(resolve, 1100));

  let state: Awaited<ReturnType<typeof provider.create>>["outs"];

  test("a name that somebody else has taken is refused, and theirs left alone", async () => {
    const theirs = { apiVersion: "apps.karmada.io/v1alpha1", kind: "WorkloadRebalancer", metadata: { name: "again" } };
    await plane.client.apply(path, { ...theirs, spec: { workloads: [configMap("b")] } });
    const before = await uid();
    await expect(provider.create(inputs())).rejects.toThrow(
      "WorkloadRebalancer again: there is one of that name that was not declared here\ngive this one another name",
    );
    await provider.delete("again", { ...inputs() });
    expect(await uid()).toBe(before);
    await plane.client.delete(path);
  });

  test("what is named is scheduled anew, and what no policy places is said", async () => {
    await aSecond();
    const warned = jest.spyOn(console, "warn").mockImplementation(() => undefined);
    const workloads = [configMap("nobody"), configMap("a")];
    ({ outs: state } = await provider.create(inputs({ workloads })));
    expect(state).toMatchObject({ rebalanced: ["ConfigMap default/a"], missing: ["ConfigMap default/nobody"] });
    expect(warned.mock.calls).toEqual([
      [
        "WorkloadRebalancer again: no policy places ConfigMap default/nobody, so nothing was scheduled anew; name them as they are in the Karmada API, then give another trigger",
      ],
    ]);
    warned.mockRestore();
    expect(Date.parse(await scheduledAt("a"))).toBeLessThanOrEqual(Date.parse(state.finished as string));
    expect(await scheduledAt("b")).not.toBe(await scheduledAt("a"));
  });

  test("a run that was interrupted after it goes on with the same one", async () => {
    const before = await uid();
    const again = await provider.create(inputs({ workloads: [configMap("a"), configMap("nobody")] }));
    expect([await uid(), again.outs.finished]).toEqual([before, state.finished]);
  });

  test("another list, or another word, makes another object, which schedules again; no word at all does not", async () => {
    await aSecond();
    const [first, time] = [await uid(), await scheduledAt("a")];
    ({ outs: state } = await provider.update("again", state, inputs()));
    const second = await uid();
    expect(second).not.toBe(first);
    expect(await scheduledAt("a")).not.toBe(time);
    await aSecond();
    const worded = await provider.update("again", state, inputs({ trigger: "1" }));
    const third = await uid();
    expect(third).not.toBe(second);
    const later = await scheduledAt("a");
    expect(later).not.toBe(time);
    ({ outs: state } = await provider.update("again", worded.outs, inputs()));
    expect([await uid(), await scheduledAt("a"), state.finished]).toEqual([third, later, worded.outs.finished]);
  });

  test("with a lifetime Karmada deletes it, which is neither a difference nor a reason to do it again", async () => {
    const time = await scheduledAt("a");
    ({ outs: state } = await provider.update("again", state, inputs({ ttlSecondsAfterFinished: 1 })));
    await waitFor("it to be gone", deadlineIn(30), async () =>
      (await uid()) === undefined ? true : new Pending("it is there"),
    );
    expect(await provider.read("again", state)).toEqual({ id: "again", props: state });
    ({ outs: state } = await provider.update("again", state, inputs({ ttlSecondsAfterFinished: 2 })));
    expect([await uid(), await scheduledAt("a")]).toEqual([undefined, time]);
    await provider.delete("again", state);
  });

  test("one that lives for no time at all is seen to its end all the same", async () => {
    const { outs } = await provider.create(inputs({ workloads: [configMap("b")], ttlSecondsAfterFinished: 0 }));
    expect(outs).toMatchObject({ rebalanced: ["ConfigMap default/b"], missing: [] });
    await waitFor("it to be gone", deadlineIn(30), async () =>
      (await uid()) === undefined ? true : new Pending("it is there"),
    );
  });

  test("where nobody does it the object stays for the next run, and deleting takes it away", async () => {
    await plane.controllerManager.terminate();
    const tried = inputs({ trigger: "2", timeoutSeconds: 1 });
    const half = (await provider.create(tried).catch((error: unknown) => error)) as Error & { properties: object };
    expect(half.message).toContain(
      "WorkloadRebalancer again: waited 1s for it to finish: karmada-controller-manager has not done it yet",
    );
    const left = await plane.client.get(path);
    expect(left.metadata?.annotations?.[mark]).toMatch(/^[0-9a-f]{16}$/);
    await plane.startControllerManager();
    const done = await provider.update("again", half.properties, inputs({ trigger: "2" }));
    expect([await uid(), done.outs.rebalanced]).toEqual([left.metadata?.uid, ["ConfigMap default/a"]]);
    await provider.delete("again", done.outs);
    expect(await uid()).toBeUndefined();
    await provider.delete("again", done.outs);
  });
});
