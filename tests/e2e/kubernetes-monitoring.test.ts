/** What `npm run monitoring` writes for pods, in the hands of a running prometheus-operator and its Prometheus. */
import { jest } from "@jest/globals";
import { cleanUp } from "../support/clean-up.ts";
import { hasKubernetesLab, KubernetesLab } from "../support/kubernetes-lab.ts";
import { importAlone, labImages } from "../support/kubernetes-lab/images.ts";
import { storageClass } from "../support/kubernetes-lab/objects.ts";
import { eventually, type Json, type Kubectl, Kubectls } from "./support/kubectl.ts";
import type { Asker } from "./support/prometheus.ts";
import { applyMonitoring, defineKinds, rulesIn } from "./support/prometheus-operator.ts";
import { prometheusImages, RunningPrometheus } from "./support/running-prometheus.ts";
import { TestStack } from "./support/stack.ts";

jest.setTimeout(200_000);

const namespace = "karmada";
const describeLab = hasKubernetesLab() ? describe : describe.skip;

describeLab("a running Prometheus of the host cluster", () => {
  const kubectls = new Kubectls();
  let lab: KubernetesLab;
  let stack: TestStack;
  let hostCluster: Kubectl;
  let prometheus: RunningPrometheus;
  let panels: readonly Asker[];

  beforeAll(async () => {
    lab = new KubernetesLab(31, 29580, true);
    await lab.start(labImages, 2);
    for (const image of Object.values(prometheusImages)) await importAlone(lab.directory, lab.socket, image);
    hostCluster = await kubectls.to(lab.cluster.kubeconfig);
    stack = await TestStack.create({}, 0);
    stack.config = {
      placement: {
        kind: "kubernetes",
        credentials: { kind: "kubeconfig", kubeconfig: await stack.secret(lab.cluster.kubeconfig) },
        namespace,
        storage: { storageClass },
        networkPolicies: { metricsFrom: ["monitoring"] },
        exposure: { kind: "nodePort", addresses: [lab.network.node], apiServer: 30543, etcd: 32479 },
      },
      etcd: { kind: "managed", members: 1 },
      members: [],
      monitoring: { enabled: true },
    };
    await stack.up();
    await defineKinds(hostCluster);
    prometheus = await RunningPrometheus.start(hostCluster, lab.cluster.kubeconfig);
    panels = await applyMonitoring(stack, hostCluster);
  }, 900_000);

  afterAll(
    () =>
      cleanUp(
        () => kubectls.remove(),
        () => stack?.remove(),
        () => lab?.stop(),
      ),
    300_000,
  );

  test("it finds every pod, is let in by its certificate, and knows each as the rules call it", async () => {
    const { items: pods } = await hostCluster.get<{ items: Json[] }>("pods", "-n", namespace);
    const names = pods.map(({ metadata }) => metadata.name as string).sort();
    const targets = await eventually(
      () => prometheus.targets(),
      (found) => found.length >= names.length && found.every(({ health }) => health === "up"),
      120,
    );
    expect(targets.map(({ labels }) => labels["process"]).toSorted()).toEqual(names);
    expect(new Set(targets.map(({ labels }) => labels["component"])).size).toBeGreaterThan(6);
    expect(new Set(targets.map(({ labels }) => labels["deployment"])).size).toBe(1);
  });

  test("it evaluates every rule without an error, and nothing is wrong", async () => {
    const written = await rulesIn(hostCluster, namespace);
    const rules = await eventually(
      () => prometheus.rules(),
      (found) => found.length === written.length && found.every(({ health }) => health !== "unknown"),
      60,
    );
    expect(rules.filter(({ health }) => health !== "ok")).toEqual([]);
    const alarmed = () => prometheus.rules().then((found) => found.filter(({ state }) => isAlarmed(state)));
    await eventually(alarmed, (found) => found.length === 0, 60);
  });

  test("it takes every expression of the dashboard", async () => {
    for (const { who, expr } of panels) {
      const count = await prometheus.count(expr).catch((error: Error) => error.message);
      expect([who, count]).toEqual([who, expect.any(Number)]);
    }
  });

  test("a program that is ended is an alert of its component, which goes when it is back", async () => {
    const scale = (replicas: number) =>
      hostCluster(["scale", "deployment/karmada-scheduler", `--replicas=${replicas}`, "-n", namespace]);
    const down = async () => {
      const rule = (await prometheus.rules()).find(({ name }) => name === "KarmadaComponentDown");
      return (rule?.alerts ?? []).map(({ labels }) => labels["component"]);
    };
    expect(await down()).toEqual([]);
    await scale(0);
    await eventually(down, (found) => found.join() === "karmada-scheduler", 60);
    await scale(2);
    await eventually(down, (found) => found.length === 0, 90);
  });
});

const isAlarmed = (state: string | undefined): boolean => state === "pending" || state === "firing";
