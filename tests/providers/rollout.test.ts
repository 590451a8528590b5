import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { addonLabel, policyOf } from "../../components/addon-policy.ts";
import { deadlineIn, Pending, waitFor } from "../../lib/wait.ts";
import { provider as registration } from "../../providers/cluster-registration-impl.ts";
import { provider } from "../../providers/rollout-impl.ts";
import type { RolloutInputs } from "../../providers/rollout.ts";
import type { Cluster } from "../support/cluster.ts";
import { startEtcd } from "../support/etcd.ts";
import { startKarmadaPlane, type KarmadaPlane } from "../support/karmada-plane.ts";
import { startLightClusters } from "../support/light-clusters.ts";
import { Programs } from "../support/running.ts";

const port = 27100;
const configMaps = "/api/v1/namespaces/default/configmaps";
const web = "/apis/apps/v1/namespaces/default/deployments/web";
const jobs = (name: string) => `/apis/batch/v1/namespaces/default/jobs/${name}`;
const rbac = "/apis/rbac.authorization.k8s.io/v1";

jest.setTimeout(120_000);

describe("what a real Karmada brings to members", () => {
  const programs = new Programs(mkdtempSync(join(tmpdir(), "rollout-")));
  let plane: KarmadaPlane;
  let one: Cluster;
  let two: Cluster;

  beforeAll(async () => {
    const etcd = await startEtcd(programs, port + 10);
    const names = ["one", "two"];
    const [started, members] = await Promise.all([
      startKarmadaPlane(programs, etcd, port),
      startLightClusters(programs, etcd, names, port + 12),
    ]);
    [plane, one, two] = [started, members[0]!, members[1]!];
    await letAdministratorsThrough();
    await Promise.all(
      names.map((cluster, i) =>
        registration.create({
          cluster,
          karmadaKubeconfig: plane.kubeconfig,
          memberKubeconfig: members[i]!.kubeconfig,
          syncMode: "Push",
          declaredBy: "karmada/test",
          timeoutSeconds: 60,
        }),
      ),
    );
    await spread("web", ["apps/v1/Deployment", "batch/v1/Job", "v1/ConfigMap"], {
      clusterAffinity: { clusterNames: names },
    });
  }, 240_000);
  afterAll(async () => {
    await programs.remove();
  });

  const deployment = { apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name: "web", ready: true };
  const settings = { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "settings", ready: true };
  const inputs = (more: Partial<RolloutInputs> = {}): RolloutInputs => ({
    title: "addon web",
    policy: "addon-web",
    objects: [settings],
    revision: "1",
    members: ["one", "two"],
    karmadaKubeconfig: plane.kubeconfig,
    timeoutSeconds: 40,
    ...more,
  });
  const failure = async (more: Partial<RolloutInputs>) =>
    (await provider.create(inputs(more)).catch((error: unknown) => error)) as Error;

  test("an object that moves to another addon goes where that one's policy says from then on", async () => {
    await declare("first", "one", { stays: "1", moves: "1" });
    await declare("second", "two", { own: "1" });
    const modeIn = async ({ client }: Cluster, name: string) =>
      (await client.find(`${configMaps}/${name}`))?.["data"].mode as string | undefined;
    const arrival = (member: Cluster, name: string, mode: string | undefined) =>
      waitFor(`${name} in the member`, deadlineIn(30), async () => {
        const found = await modeIn(member, name);
        return found === mode ? true : new Pending(`its mode is ${found}`);
      });
    await Promise.all([arrival(one, "stays", "1"), arrival(one, "moves", "1"), arrival(two, "own", "1")]);
    await declare("second", "two", { own: "1", moves: "2" });
    await declare("first", "one", { stays: "2" });
    await Promise.all([arrival(two, "moves", "2"), arrival(one, "moves", undefined), arrival(one, "stays", "2")]);
    expect([await modeIn(two, "stays"), await modeIn(two, "own")]).toEqual([undefined, "1"]);
  });

  test("a ConfigMap is waited for until it is in every member", async () => {
    const creating = provider.create(inputs());
    await writeConfigMap("settings");
    const { id, outs } = await creating;
    expect([id, outs]).toEqual(["addon web", expect.objectContaining({ reached: ["one", "two"], leftOut: [] })]);
    for (const member of [one, two]) expect(await member.client.find(`${configMaps}/settings`)).toBeDefined();
    expect((await provider.diff(id, outs, inputs())).changes).toBe(false);
    expect((await provider.diff(id, outs, inputs({ revision: "2" }))).changes).toBe(true);
  });

  test("a Deployment that does not get ready is named with the member, its replicas, and what its pod says", async () => {
    await writeDeployment(2);
    await eachDeployment(one, { ready: 2, updated: 2 });
    await eachDeployment(two, { ready: 1, updated: 2 });
    await pullingInVain(two);
    const { message } = await failure({ objects: [deployment], timeoutSeconds: 8 });
    expect(message).toBe(
      "addon web: waited 8s for its objects in the members: Deployment default/web in two: 1 of 2 replicas are ready, 2 of the newest version\n" +
        "Pod default/web-1 in two: Pending: ImagePullBackOff: there is no such image\n" +
        'mend it, then run up again; an object with the annotation pulumi.com/skipAwait: "true" has only to be there, and with wait: false none is waited for',
    );
    const there = await provider.create(inputs({ objects: [{ ...deployment, ready: false }] }));
    expect(there.outs).toMatchObject({ reached: ["one", "two"] });
    await eachDeployment(two, { ready: 2, updated: 2 });
    expect((await provider.create(inputs({ objects: [deployment] }))).outs).toMatchObject({ reached: ["one", "two"] });
  });

  test("one that was changed counts when members have the change, not as it was before", async () => {
    await writeDeployment(3);
    const { message } = await failure({ objects: [deployment], timeoutSeconds: 4 });
    expect(message).toMatch(
      /^addon web: waited 4s .*Deployment default\/web in one: 2 of 3 replicas are ready, 2 of the newest version; Deployment default\/web in two: 2 of 3/,
    );
    const updating = provider.update("addon web", inputs({ objects: [deployment] }), inputs({ objects: [deployment] }));
    await eachDeployment(one, { ready: 3, updated: 3 });
    await eachDeployment(two, { ready: 3, updated: 3 });
    expect((await updating).outs).toMatchObject({ reached: ["one", "two"] });
  });

  test("what a member refuses is said in its words", async () => {
    const theirs = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "theirs" } };
    await two.client.create(configMaps, theirs);
    await writeConfigMap("theirs");
    const objects = [{ ...settings, name: "theirs" }];
    const { message } = await failure({ objects, timeoutSeconds: 6 });
    expect(message).toMatch(
      /ConfigMap default\/theirs in two: Failed to apply all manifests .* already exists in the cluster two/,
    );
    expect(message).not.toContain("theirs in one");
    await two.client.delete(`${configMaps}/theirs`);
    expect((await provider.create(inputs({ objects }))).outs).toMatchObject({ reached: ["one", "two"] });
  });

  test("a Job has to end well, and one that does not is named with its reason", async () => {
    await plane.client.apply(jobs("once"), {
      ...{ apiVersion: "batch/v1", kind: "Job", metadata: labelled("once") },
      spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "web", image: "web" }] } } },
    });
    const objects = [{ apiVersion: "batch/v1", kind: "Job", namespace: "default", name: "once", ready: true }];
    const running = await failure({ objects, timeoutSeconds: 5 });
    expect(running.message).toContain("Job default/once in one: not finished; Job default/once in two: not finished");
    await endJob(one, "Complete");
    await endJob(two, "Failed");
    const failed = await failure({ objects, timeoutSeconds: 8 });
    expect(failed.message).toContain(
      "members: Job default/once in two: failed: BackoffLimitExceeded: it has failed too often\n",
    );
  });

  test("a kind is there once Karmada knows that members have it: objects of it then find a place at the first try", async () => {
    const name = "widgets.example.org";
    const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const kind = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };
    await spread("kinds", ["apiextensions.k8s.io/v1/CustomResourceDefinition"], {});
    await plane.client.apply(`${definitions}/${name}`, {
      ...{ ...kind, metadata: labelled(name, "kinds") },
      spec: {
        ...{ group: "example.org", scope: "Namespaced", names: { kind: "Widget", plural: "widgets" } },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
      },
    });
    const { outs } = await provider.create(
      inputs({ policy: "addon-kinds", objects: [{ ...kind, name, ready: true }] }),
    );
    expect(outs).toMatchObject({ reached: ["one", "two"] });
    await spread("widgets", ["example.org/v1/Widget"], {});
    await plane.client.apply("/apis/example.org/v1/namespaces/default/widgets/first", {
      ...{ apiVersion: "example.org/v1", kind: "Widget", metadata: labelled("first", "widgets") },
    });
    const binding = "/apis/work.karmada.io/v1alpha2/namespaces/default/resourcebindings/first-widget";
    const { status } = await waitFor("it to be scheduled", deadlineIn(30), async () => {
      const found = await plane.client.find(binding);
      return found?.status?.conditions === undefined ? new Pending("not looked at") : found;
    });
    expect(status?.conditions).toContainEqual(expect.objectContaining({ type: "Scheduled", status: "True" }));
  });

  test("what the scheduler finds no place for is said in its words", async () => {
    await spread("wide", ["v1/ConfigMap"], { spreadConstraints: [{ spreadByField: "cluster", minGroups: 3 }] });
    await writeConfigMap("wide", "wide");
    const { message } = await failure({
      policy: "addon-wide",
      objects: [{ ...settings, name: "wide" }],
      timeoutSeconds: 5,
    });
    expect(message).toMatch(
      /^addon web: waited 5s .*: ConfigMap default\/wide in one: karmada-scheduler has found no place: .*; ConfigMap default\/wide in two: /,
    );
  });

  test("members that nothing can come to are named and do not hold up the others", async () => {
    const cluster = "/apis/cluster.karmada.io/v1alpha1/clusters/two";
    const taints = [{ key: "maintenance", effect: "NoSchedule" }];
    await plane.client.merge(cluster, { spec: { taints } });
    await writeConfigMap("later");
    const warned = jest.spyOn(console, "warn").mockImplementation(() => undefined);
    const objects = [{ ...settings, name: "later" }];
    const { outs } = await provider.create(inputs({ objects, members: ["one", "two", "three"] }));
    expect(outs).toMatchObject({
      reached: ["one"],
      leftOut: ["three, which is not registered", "two, which has the taint maintenance:NoSchedule"],
    });
    await plane.client.merge(cluster, { spec: { taints: null } });

    await two.apiServer.kill();
    await waitFor("two not to be ready", deadlineIn(90), async () => {
      const { conditions } = (await plane.client.get(cluster))["status"];
      const ready = (conditions as { type: string; status: string }[]).find(({ type }) => type === "Ready");
      return ready?.status === "False" ? true : new Pending("it is ready");
    });
    const dead = await provider.create(inputs());
    expect(dead.outs).toMatchObject({
      reached: ["one"],
      leftOut: [expect.stringMatching(/^two, which is not ready: ClusterNotReachable: /)],
    });
    expect(warned.mock.calls.at(-1)?.[0]).toMatch(
      /^addon web: not waited for in two, which is not ready: .*: Karmada brings it there as soon as it can$/,
    );
    warned.mockRestore();
  });

  /** An addon of ConfigMaps, by name and mode. */
  async function declare(name: string, member: string, modes: Readonly<Record<string, string>>): Promise<void> {
    const objects = Object.entries(modes).map(([each, mode]) => ({
      ...{ apiVersion: "v1", kind: "ConfigMap" },
      metadata: { name: each, namespace: "default", labels: { [addonLabel]: name } },
      data: { mode },
    }));
    const target = { kind: "propagated", members: [member] };
    const policy = policyOf({ name, target, objects } as never)!;
    await plane.client.apply(
      `/apis/policy.karmada.io/v1alpha1/clusterpropagationpolicies/${policy.metadata.name}`,
      policy,
    );
    for (const object of objects) await plane.client.apply(`${configMaps}/${object.metadata.name}`, object);
  }

  const labelled = (name: string, addon = "web") => ({ name, labels: { addon } });

  const writeConfigMap = (name: string, addon?: string) =>
    plane.client.apply(`${configMaps}/${name}`, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: labelled(name, addon),
    });

  /** By a policy for what has the label. */
  async function spread(addon: string, kinds: readonly string[], placement: object): Promise<void> {
    const resourceSelectors = kinds.map((each) => ({
      ...{ apiVersion: each.split("/").slice(0, -1).join("/"), kind: each.split("/").at(-1) },
      labelSelector: { matchLabels: { addon } },
    }));
    await plane.client.apply(`/apis/policy.karmada.io/v1alpha1/clusterpropagationpolicies/addon-${addon}`, {
      apiVersion: "policy.karmada.io/v1alpha1",
      kind: "ClusterPropagationPolicy",
      metadata: { name: `addon-${addon}` },
      spec: { resourceSelectors, placement },
    });
  }

  /** Says what the controller of a member would say. */
  async function endJob(member: Cluster, how: "Complete" | "Failed"): Promise<void> {
    await waitFor("the Job in the member", deadlineIn(30), () => member.client.get(jobs("once")));
    const at = new Date().toISOString().replace(/\.\d+Z$/, "Z");
    const condition = (type: string) => ({
      ...{ type, status: "True", lastProbeTime: at, lastTransitionTime: at },
      ...(how === "Failed" && { reason: "BackoffLimitExceeded", message: "it has failed too often" }),
    });
    const ends = how === "Failed" ? ["FailureTarget", "Failed"] : ["SuccessCriteriaMet", "Complete"];
    await member.client.merge(`${jobs("once")}/status`, {
      status: {
        startTime: at,
        ...(how === "Complete" && { completionTime: at, succeeded: 1 }),
        conditions: ends.map(condition),
      },
    });
  }

  const writeDeployment = (replicas: number) =>
    plane.client.apply(web, {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: labelled("web"),
      spec: {
        replicas,
        selector: { matchLabels: { app: "web" } },
        template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "web" }] } },
      },
    });

  /** Says what the controllers and nodes of a member would say, which has none, of the Deployment it has got. */
  async function eachDeployment(
    member: Cluster,
    { ready, updated }: { ready: number; updated: number },
  ): Promise<void> {
    const wanted = (await plane.client.get(web))["spec"].replicas;
    const found = await waitFor("the Deployment in the member", deadlineIn(30), async () => {
      const there = await member.client.find(web);
      return there !== undefined && there["spec"].replicas === wanted ? there : new Pending("not there as it is now");
    });
    const status = {
      ...{ replicas: wanted, updatedReplicas: updated, readyReplicas: ready, availableReplicas: ready },
      observedGeneration: found.metadata?.generation,
    };
    await member.client.merge(`${web}/status`, { status });
  }

  async function pullingInVain(member: Cluster): Promise<void> {
    const pods = "/api/v1/namespaces/default/pods";
    const containers = [{ name: "web", image: "web" }];
    const metadata = { name: "web-1", labels: { app: "web" } };
    await member.client.create(pods, { apiVersion: "v1", kind: "Pod", metadata, spec: { containers } });
    const waiting = { reason: "ImagePullBackOff", message: "there is no such image" };
    const container = {
      ...{ name: "web", image: "web", imageID: "", ready: false, restartCount: 0 },
      state: { waiting },
    };
    await member.client.merge(`${pods}/web-1/status`, { status: { phase: "Pending", containerStatuses: [container] } });
  }

  /** As the control plane of a deployment has it. */
  async function letAdministratorsThrough(): Promise<void> {
    const metadata = { name: "cluster-proxy-admin" };
    const apiGroup = "rbac.authorization.k8s.io";
    await plane.client.apply(`${rbac}/clusterroles/cluster-proxy-admin`, {
      ...{ apiVersion: `${apiGroup}/v1`, kind: "ClusterRole", metadata },
      rules: [{ apiGroups: ["cluster.karmada.io"], resources: ["clusters/proxy"], verbs: ["*"] }],
    });
    await plane.client.apply(`${rbac}/clusterrolebindings/cluster-proxy-admin`, {
      ...{ apiVersion: `${apiGroup}/v1`, kind: "ClusterRoleBinding", metadata },
      roleRef: { apiGroup, kind: "ClusterRole", name: "cluster-proxy-admin" },
      subjects: [{ kind: "User", apiGroup, name: "admin" }],
    });
  }
});
