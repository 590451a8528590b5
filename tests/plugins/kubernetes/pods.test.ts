import { newestPods } from "../../../components/placement/newest-pods.ts";
import type { Properties } from "../../../toolchain/plugins/server/index.ts";
import type { PartialFailure } from "../../../toolchain/plugins/server/errors.ts";
import { failure, object, setUp, type Setup } from "./support.ts";

const DEPLOYMENT = "kubernetes:apps/v1:Deployment";
const STATEFUL_SET = "kubernetes:apps/v1:StatefulSet";
const DAEMON_SET = "kubernetes:apps/v1:DaemonSet";
const JOB = "kubernetes:batch/v1:Job";
const POD = "kubernetes:core/v1:Pod";

let setup: Setup;
beforeAll(async () => {
  setup = await setUp({}, { pods: true });
  await setup.plugin.up("kubernetes:core/v1:Node", { apiVersion: "v1", kind: "Node", metadata: { name: "node" } });
}, 180_000);
afterAll(() => setup?.stop());

type Plays = "CrashLoopBackOff" | "ImagePullBackOff" | "Failed";
const podSpec = { containers: [{ name: "app", image: "example.com/app" }], automountServiceAccountToken: false };

/** An object that makes pods of its own name. */
const workload = (type: string, name: string, spec: Properties, plays?: Plays, pod: Properties = {}) => {
  const [, group, kind] = type.split(":") as [string, string, string];
  const labels = { app: name, ...(plays && { plays }) };
  const selector = kind === "Job" ? {} : { selector: { matchLabels: { app: name } } };
  const template = { metadata: { labels }, spec: { ...podSpec, ...pod } };
  return object(group, kind, name, { spec: { ...selector, template, ...spec } });
};

/** What it lacks, with the ends that pods' names are given left out. */
const lacks = ({ reasons }: PartialFailure) =>
  reasons.slice(1).map((reason) => reason.replace(/^\[Pod ([a-z-]+?)(-[0-9a-z]{5,10})+\]/, "[Pod $1-*]"));

const crashing =
  "containers with unready status: [app][CrashLoopBackOff] back-off 40s restarting failed container=app" +
  '\ncontainer "app" terminated at 2026-01-01T00:00:10Z (Error: exit code 1)';

describe("with pods that run", () => {
  test("a deployment is ready when they are, and says so on the way", async () => {
    const inputs = workload(DEPLOYMENT, "running", { replicas: 2 });
    const { outputs } = await setup.plugin.up(DEPLOYMENT, inputs, { timeout: 60 });
    expect(outputs["status"]).toMatchObject({ readyReplicas: 2 });
    const shown = setup.plugin.messages.map(({ text }) => text);
    expect(shown).toContain("Waiting for app ReplicaSet to be available (0/2 Pods available)");
    expect(shown.some((text) => text.endsWith("Deployment initialization complete"))).toBe(true);
  });

  test("a deployment's next revision is waited for", async () => {
    const first = await setup.plugin.up(DEPLOYMENT, workload(DEPLOYMENT, "rolled", { replicas: 1 }), { timeout: 60 });
    const next = workload(DEPLOYMENT, "rolled", { replicas: 1 }, undefined, { terminationGracePeriodSeconds: 5 });
    const { inputs } = await setup.plugin.check(DEPLOYMENT, next, { olds: first.inputs });
    const live = await setup.plugin.update(DEPLOYMENT, first, inputs, { timeout: 60 });
    expect(live).toMatchObject({
      spec: { template: { spec: { terminationGracePeriodSeconds: 5 } } },
      status: { updatedReplicas: 1, readyReplicas: 1 },
    });
  });

  test("the next revision of a deployment that ends its old pods first is waited for, as those of ours ask", async () => {
    const metadata = { name: "alone", namespace: "default", annotations: { "pulumi.com/waitFor": newestPods(1) } };
    const spec = { replicas: 1, strategy: { type: "Recreate" } };
    const alone = (pod: Properties) => ({ ...workload(DEPLOYMENT, "alone", spec, undefined, pod), metadata });
    const first = await setup.plugin.up(DEPLOYMENT, alone({}), { timeout: 60 });
    expect(first.outputs["status"]).toMatchObject({ updatedReplicas: 1, availableReplicas: 1 });
    const { inputs } = await setup.plugin.check(DEPLOYMENT, alone({ terminationGracePeriodSeconds: 5 }), {
      olds: first.inputs,
    });
    const live = await setup.plugin.update(DEPLOYMENT, first, inputs, { timeout: 60 });
    expect(live).toMatchObject({
      metadata: { annotations: { "deployment.kubernetes.io/revision": "2" } },
      status: { observedGeneration: 2, updatedReplicas: 1, availableReplicas: 1 },
    });
  });

  test("a stateful set is ready when every replica is", async () => {
    const inputs = workload(STATEFUL_SET, "ordered", { replicas: 2, serviceName: "ordered" });
    const { outputs } = await setup.plugin.up(STATEFUL_SET, inputs, { timeout: 60 });
    expect(outputs["status"]).toMatchObject({ readyReplicas: 2, currentReplicas: 2 });
  });

  test("a daemon set is ready when it is on every node", async () => {
    const { outputs } = await setup.plugin.up(DAEMON_SET, workload(DAEMON_SET, "everywhere", {}), { timeout: 60 });
    expect(outputs["status"]).toMatchObject({ desiredNumberScheduled: 1, numberReady: 1 });
  });

  test("a pod is ready when its containers are", async () => {
    const { outputs } = await setup.plugin.up(POD, object("v1", "Pod", "alone", { spec: podSpec }), { timeout: 60 });
    expect(outputs["status"]).toMatchObject({ phase: "Running" });
  });

  test("a job is ready when it is complete", async () => {
    const inputs = workload(JOB, "finishing", {}, undefined, { restartPolicy: "Never" });
    const { outputs } = await setup.plugin.up(JOB, inputs, { timeout: 60 });
    expect(outputs["status"]).toMatchObject({ succeeded: 1 });
  });
});

describe("with pods that do not", () => {
  test("a deployment says why its pods crash", async () => {
    const inputs = workload(DEPLOYMENT, "crashing", { replicas: 1 }, "CrashLoopBackOff");
    expect(lacks(await failure(setup.plugin.up(DEPLOYMENT, inputs, { timeout: 8 })))).toEqual([
      "[MinimumReplicasUnavailable] Deployment does not have minimum availability.",
      "Minimum number of live Pods was not attained",
      `[Pod crashing-*]: ${crashing}`,
    ]);
  });

  test("a deployment says that an image cannot be had", async () => {
    const inputs = workload(DEPLOYMENT, "imageless", { replicas: 1 }, "ImagePullBackOff");
    expect(lacks(await failure(setup.plugin.up(DEPLOYMENT, inputs, { timeout: 8 })))).toContain(
      '[Pod imageless-*]: containers with unready status: [app][ImagePullBackOff] Back-off pulling image "example.com/app"',
    );
  });

  test("a deployment that says what it waits for tells by a refresh why its pods do not come up", async () => {
    const metadata = { name: "told", namespace: "default", annotations: { "pulumi.com/waitFor": newestPods(1) } };
    const inputs = { ...workload(DEPLOYMENT, "told", { replicas: 1 }, "ImagePullBackOff"), metadata };
    const error = await failure(setup.plugin.up(DEPLOYMENT, inputs, { timeout: 4 }));
    expect(error.message).toMatch(/timed out waiting for the condition$/);
    const read = setup.plugin.read(DEPLOYMENT, error.id, error.outputs, error.outputs["__inputs"] as Properties);
    expect(lacks(await failure(read))).toContain(
      '[Pod told-*]: containers with unready status: [app][ImagePullBackOff] Back-off pulling image "example.com/app"',
    );
  });

  test("a deployment past its own deadline says so, before the timeout of the resource", async () => {
    const inputs = workload(DEPLOYMENT, "late", { replicas: 1, progressDeadlineSeconds: 2 }, "CrashLoopBackOff");
    const reasons = lacks(await failure(setup.plugin.up(DEPLOYMENT, inputs, { timeout: 10 })));
    expect(reasons[0]).toMatch(/^\[(ProgressDeadlineExceeded|MinimumReplicasUnavailable)\]/);
    expect(reasons.join("\n")).toContain('[ProgressDeadlineExceeded] ReplicaSet "late-');
  });

  const nowhere = { nodeSelector: { nowhere: "true" } };

  test("a deployment whose pods no node takes waits in vain", async () => {
    const inputs = workload(DEPLOYMENT, "unschedulable", { replicas: 1 }, undefined, nowhere);
    expect(lacks(await failure(setup.plugin.up(DEPLOYMENT, inputs, { timeout: 8 })))).toEqual([
      "[MinimumReplicasUnavailable] Deployment does not have minimum availability.",
      "Minimum number of live Pods was not attained",
    ]);
  });

  // The official plugin says neither.
  (process.env["PLUGIN_UNDER_TEST"] ? test.skip : test)(
    "one that says what it waits for tells that its pods are refused, and that no node takes them",
    async () => {
      const annotations = { "pulumi.com/waitFor": newestPods(1) };
      const held = async (namespace: string, pod: Properties) => {
        const metadata = { name: "held", namespace, annotations };
        const inputs = { ...workload(DEPLOYMENT, "held", { replicas: 1 }, undefined, pod), metadata };
        const error = await failure(setup.plugin.up(DEPLOYMENT, inputs, { timeout: 6 }));
        return lacks(error).join("\n");
      };
      const QUOTA = "kubernetes:core/v1:ResourceQuota";
      await setup.plugin.up("kubernetes:core/v1:Namespace", {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: "full" },
      });
      const quota = object("v1", "ResourceQuota", "no-pods", { spec: { hard: { pods: "0" } } }, { namespace: "full" });
      await setup.plugin.up(QUOTA, quota);
      expect(await held("full", {})).toMatch(/^\[FailedCreate\] pods "held-.* is forbidden: exceeded quota: no-pods/m);
      const homeless = /^\[Pod held-\*\]: \[Unschedulable\] 0\/1 nodes are available/m;
      expect(await held("default", nowhere)).toMatch(homeless);
      const shown = setup.plugin.messages.filter(({ severity }) => severity === "warning").map(({ text }) => text);
      expect(shown.join("\n")).toMatch(/\[FailedCreate\] pods "held-/);
    },
  );

  test("a pod that no node takes shows what the scheduler says", async () => {
    const pod = object("v1", "Pod", "homeless", { spec: { ...podSpec, ...nowhere } });
    expect(lacks(await failure(setup.plugin.up(POD, pod, { timeout: 8 })))).toEqual([]);
    expect(setup.plugin.messages).toContainEqual(
      expect.objectContaining({
        severity: "warning",
        status: true,
        text: expect.stringMatching(/^FailedScheduling: 0\/1 nodes are available/),
      }),
    );
  });

  test("a stateful set says how many are ready, and why not", async () => {
    const inputs = workload(STATEFUL_SET, "stuck", { replicas: 2, serviceName: "stuck" }, "CrashLoopBackOff");
    expect(lacks(await failure(setup.plugin.up(STATEFUL_SET, inputs, { timeout: 8 })))).toEqual([
      "0 out of 2 replicas succeeded readiness checks",
      expect.stringContaining(crashing),
    ]);
  });

  test("a daemon set times out", async () => {
    const inputs = workload(DAEMON_SET, "nowhere", {}, "CrashLoopBackOff");
    const error = await failure(setup.plugin.up(DAEMON_SET, inputs, { timeout: 8 }));
    expect(error.message).toMatch(/become live: timed out waiting for the condition$/);
  });

  test("a pod says why", async () => {
    const pod = object("v1", "Pod", "pod", { spec: podSpec }, { labels: { plays: "CrashLoopBackOff" } });
    expect(lacks(await failure(setup.plugin.up(POD, pod, { timeout: 8 })))).toEqual([`[Pod pod]: ${crashing}`]);
  });
});

describe("a job that failed for good", () => {
  const job = (annotations: Properties = {}) => {
    const inputs = workload(JOB, "failing", { backoffLimit: 0 }, "Failed", { restartPolicy: "Never" });
    return { ...inputs, metadata: { ...inputs.metadata, annotations } };
  };
  let failed: PartialFailure;
  beforeAll(async () => {
    failed = await failure(setup.plugin.up(JOB, job(), { timeout: 60 }));
  }, 90_000);

  test("ends the wait at once, with what its pods say", () => {
    expect(failed.message).toMatch(/become live: Resource 'failing' was created but failed to initialize$/);
    expect(lacks(failed)).toEqual([
      '[Pod failing-*]: container "app" completed with exit code 3',
      "[BackoffLimitExceeded] Job has reached the specified backoff limit",
    ]);
  });

  test("is replaced when its annotation says so, and left otherwise", async () => {
    const state = { id: failed.id, outputs: failed.outputs, inputs: {} };
    const annotated = job({ "pulumi.com/replaceUnready": "true" });
    const again = await setup.plugin.diff(JOB, state, (await setup.plugin.check(JOB, annotated)).inputs);
    expect(again.replaces).toEqual(['.metadata.annotations["pulumi.com/replaceUnready"]']);
    expect(again).toMatchObject({ changes: "some", deleteBeforeReplace: true });
    const plain = await setup.plugin.diff(JOB, state, (await setup.plugin.check(JOB, job())).inputs);
    expect(plain).toMatchObject({ changes: "none", replaces: [] });
  });

  test("is not replaced once it has succeeded", async () => {
    const inputs = workload(JOB, "succeeded", {}, undefined, { restartPolicy: "Never" });
    const annotated = {
      ...inputs,
      metadata: { ...inputs.metadata, annotations: { "pulumi.com/replaceUnready": "true" } },
    };
    const state = await setup.plugin.up(JOB, annotated, { timeout: 60 });
    expect(await setup.plugin.diff(JOB, state, state.inputs)).toMatchObject({ changes: "none", replaces: [] });
  });
});
