/** Three members with a node each: what is spread runs there, and a Service is reached in its own cluster only, until it is one of all. */
import { cleanUp } from "../support/clean-up.ts";
import { hasKubernetesLab, KubernetesLab } from "../support/kubernetes-lab.ts";
import { eventually, Kubectls, type Json, type Kubectl } from "./support/kubectl.ts";
import { TestStack } from "./support/stack.ts";

const labPort = 28860;
const basePort = 27200;
const names = ["cluster-1", "cluster-2", "cluster-3"];
const modes = ["Push", "Pull", "Push"];
const images = ["docker.io/library/node:24-bookworm-slim", "docker.io/curlimages/curl:7.88.1"] as const;
/** What a MultiClusterService takes. */
const acting = ["karmada-controller-manager", "karmada-agent"];
const describeLab = hasKubernetesLab(["curl"]) ? describe : describe.skip;

describeLab("members with pods", () => {
  const labs: KubernetesLab[] = [];
  const members = new Map<string, Kubectl>();
  const kubectls = new Kubectls();
  let stack: TestStack;
  let kubectl: Kubectl;
  /** The member that has no pod of its own while there are two, where the one is that asks. */
  let third: string;

  beforeAll(async () => {
    for (const [i, name] of names.entries()) {
      const lab = new KubernetesLab(21 + i, labPort + 10 * i);
      labs.push(lab);
      await lab.start(images, 0);
      for (const other of labs.slice(0, i)) lab.network.join(other.network);
      members.set(name, await kubectls.to(lab.cluster.kubeconfig));
    }
    stack = await TestStack.create({ etcd: { kind: "managed", members: 1 } }, basePort);
    const entries: object[] = [];
    for (const [i, name] of names.entries()) {
      const kubeconfig = await stack.secret(labs[i]!.cluster.kubeconfig);
      entries.push({ name, syncMode: modes[i], credentials: { kind: "kubeconfig", kubeconfig } });
    }
    stack.config["members"] = entries;
    await stack.up();
    kubectl = await kubectls.to((await stack.outputs<{ kubeconfig: string }>()).kubeconfig);
  }, 420_000);

  afterAll(
    () =>
      cleanUp(
        () => kubectls.remove(),
        () => stack?.remove(),
        ...labs.toReversed().map((lab) => () => lab.stop()),
      ),
    300_000,
  );

  const apply = (...objects: object[]) =>
    kubectl(["apply", "-f", "-"], objects.map((object) => JSON.stringify(object)).join("\n"));
  const scale = (replicas: number) => kubectl(["scale", "deployment", "web", `--replicas=${replicas}`]);
  /** Names of the pods of a Deployment, by member. */
  const pods = async (app: string): Promise<Record<string, string[]>> => {
    const found = names.map(async (name) => {
      const { items } = await members.get(name)!.get<{ items: Json[] }>("pods", "-l", `app=${app}`);
      const running = items.filter(
        ({ metadata, status }) => metadata.deletionTimestamp === undefined && status.phase === "Running",
      );
      return [name, running.map(({ metadata }) => metadata.name as string)] as const;
    });
    return Object.fromEntries(await Promise.all(found));
  };
  const spread = (app: string, counts: readonly number[]) =>
    eventually(
      () => pods(app),
      (found) =>
        Object.values(found)
          .map(({ length }) => length)
          .sort()
          .join() === counts.join(),
      60,
    );
  /** What a pod of the third member is told by the Service, by its name; throws with what curl says where nobody answers. */
  const ask = () =>
    members.get(third)!(["exec", "deployment/curl", "--", "curl", "-sS", "--max-time", "3", "http://web.default:8080"]);
  /** Addresses of the Service's pods, by what each member knows. */
  const known = () => Promise.all([...members.values()].map(addressesIn));
  /** Everybody who answers, of so many times. */
  const answers = async (times: number) => {
    const all: string[] = [];
    for (let i = 0; i < times; i++) all.push(await ask());
    return [...new Set(all)].sort();
  };
  /** Until all of these answer, and nobody else. */
  const answeredBy = (pods: readonly string[]) =>
    eventually(
      () => answers(30),
      (all) => all.join() === pods.toSorted().join(),
      60,
    );

  test("three joins, each under its own address", async () => {
    const { items } = await kubectl.get<{ items: Json[] }>("clusters");
    expect(items.map(({ metadata, spec }) => [metadata.name, spec.syncMode, spec.apiEndpoint])).toEqual(
      names.map((name, i) => [name, modes[i], labs[i]!.cluster.server]),
    );
  });

  test("a Deployment without a policy stays where it is", async () => {
    await apply(web, service);
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect((await kubectl.get("deployment", "web")).status).toEqual({});
    expect((await kubectl.get("resourcebindings")).items).toEqual([]);
  });

  test("divided by equal weights two replicas run in two members, a third in the third", async () => {
    await apply(evenly);
    const two = await spread("web", [0, 1, 1]);
    third = names.find((name) => two[name]!.length === 0)!;
    await scale(3);
    await spread("web", [1, 1, 1]);
    await eventually(
      () => kubectl.get("deployment", "web"),
      ({ status }) => status.readyReplicas === 3,
    );
  }, 150_000);

  test("a pod that only the third member has reaches the Service there, and no pod of another member", async () => {
    await apply(curl, policy("curl", ["Deployment"], { clusterAffinity: { clusterNames: [third] } }));
    await eventually(
      () => pods("curl"),
      (found) => names.every((name) => found[name]!.length === (name === third ? 1 : 0)),
      60,
    );
    await eventually(ask, () => true);
    expect(await answers(5)).toEqual((await pods("web"))[third]);
  }, 90_000);

  test("with two replicas the same request fails: nothing goes from cluster to cluster", async () => {
    await scale(2);
    expect((await spread("web", [0, 1, 1]))[third]).toEqual([]);
    await eventually(
      () => ask().catch((error: Error) => error.message),
      (text) => /curl: \(7\)/.test(text),
    );
  }, 90_000);

  test("as a MultiClusterService it is answered by the pods of both other members", async () => {
    const addon = {
      name: "web-across",
      source: { kind: "manifest", file: "examples/addons/web-across.yaml" },
      target: { kind: "controlPlane" },
    };
    stack.config["addons"] = [addon];
    const refused = (await stack.preview()).text;
    for (const program of acting)
      expect(refused).toContain(`controlPlane.${program}.featureGates.MultiClusterService: missing, want true`);
    const on = { featureGates: { MultiClusterService: true } };
    stack.config["controlPlane"] = Object.fromEntries(acting.map((program) => [program, on]));
    await stack.up();
    const others = Object.values(await pods("web")).flat();
    expect(others).toHaveLength(2);
    await answeredBy(others);
    await stack.up("--expect-no-changes");
    await stack.refresh("--expect-no-changes");
  }, 240_000);

  test("it follows the pods: one in the third member answers as well, and no more when it is gone", async () => {
    await scale(3);
    await answeredBy(Object.values(await spread("web", [1, 1, 1])).flat());
    await eventually(
      known,
      ([first, ...others]) => first!.length === 3 && others.every((each) => each.join() === first!.join()),
    );
    await scale(2);
    await answeredBy(Object.values(await spread("web", [0, 1, 1])).flat());
  }, 180_000);

  test("without the addon it is each cluster's own again", async () => {
    stack.config["addons"] = [];
    await stack.up();
    await eventually(
      () => ask().catch((error: Error) => error.message),
      (text) => /curl: \(7\)/.test(text),
      60,
    );
    const own = names.map((name) => (name === third ? 0 : 1));
    await eventually(known, (all) => all.map(({ length }) => length).join() === own.join());
    await scale(3);
    await spread("web", [1, 1, 1]);
    await eventually(ask, () => true);
    expect(await answers(5)).toEqual((await pods("web"))[third]);
  }, 180_000);
});

async function addressesIn(member: Kubectl): Promise<string[]> {
  const { items } = await member.get<{ items: Json[] }>("endpointslices", "-l", "kubernetes.io/service-name=web");
  return items.flatMap(({ endpoints }) => (endpoints ?? []).flatMap((each: Json) => each.addresses)).sort();
}

const deployment = (name: string, replicas: number, container: object) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace: "default" },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { terminationGracePeriodSeconds: 0, containers: [{ name, ...container }] },
    },
  },
});

/** Tells who it is. */
const server = `require("http").createServer((_, answer) => answer.end(require("os").hostname())).listen(8080)`;
const web = deployment("web", 2, {
  image: images[0],
  command: ["node", "-e", server],
  readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
});
const curl = deployment("curl", 1, { image: images[1], command: ["pause"] });

const service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web", namespace: "default" },
  spec: { selector: { app: "web" }, ports: [{ port: 8080 }] },
};

const policy = (name: string, kinds: readonly string[], placement: object) => ({
  apiVersion: "policy.karmada.io/v1alpha1",
  kind: "PropagationPolicy",
  metadata: { name, namespace: "default" },
  spec: {
    resourceSelectors: kinds.map((kind) => ({ apiVersion: kind === "Service" ? "v1" : "apps/v1", kind, name })),
    placement,
  },
});

const evenly = policy("web", ["Deployment", "Service"], {
  replicaScheduling: {
    replicaSchedulingType: "Divided",
    replicaDivisionPreference: "Weighted",
    weightPreference: {
      staticWeightList: names.map((name) => ({ targetCluster: { clusterNames: [name] }, weight: 10 })),
    },
  },
});
