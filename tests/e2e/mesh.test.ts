/**
 * Istio in a member, declared as the example of a mesh declares it, up to what its control plane does. Envoy, which is the
 * proxy beside each program, does not run here: that traffic between members is encrypted is not seen.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanUp } from "../support/clean-up.ts";
import { configOf } from "../support/example-stacks.ts";
import { hasKubernetesLab, KubernetesLab } from "../support/kubernetes-lab.ts";
import { pauseImage } from "../support/kubernetes-lab/images.ts";
import { programPath } from "../support/programs.ts";
import { startWeb, type Web } from "../toolchain/support/web.ts";
import { hub, importIstiod, publishIstio } from "./support/istio.ts";
import { allReady, eventually, Kubectls, type Json, type Kubectl } from "./support/kubectl.ts";
import { TestStack } from "./support/stack.ts";

const labPort = 29620;
const basePort = 24500;
const namespace = "istio-system";
const describeLab = hasKubernetesLab() ? describe : describe.skip;

describeLab("the mesh of the example", () => {
  const kubectls = new Kubectls();
  let lab: KubernetesLab;
  let web: Web;
  let directory: string;
  let stack: TestStack;
  let karmada: Kubectl;
  /** Of the member with a node, whose istiod runs. */
  let member: Kubectl;
  let before: string[];
  let addons: Json[];
  let version: string;
  /** The version after that, as an operator would move to it. */
  const next = "1.30.4";

  // It is built here where nobody has built it yet, for many minutes.
  beforeAll(() => programPath("istiod"), 1_800_000);

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "mesh-"));
    const example = await readFile(join(import.meta.dirname, "../../examples/Pulumi.mesh.yaml"), "utf8");
    addons = configOf(example)["addons"] as Json[];
    version = addons[0].source.version;
    web = await startWeb();
    await publishIstio(web, directory, version);
    const repository = await publishIstio(web, directory, next);
    for (const { source } of addons) source.repository = repository;
    lab = new KubernetesLab(34, labPort, true);
    await lab.start([], 0);
    await importIstiod(lab, version);
    // Its API server asks istiod by the Service, as one does that runs in its cluster.
    lab.network.lead();
    member = await kubectls.to(lab.cluster.kubeconfig);
    stack = await TestStack.create({ etcd: { kind: "managed", members: 1 } }, basePort);
    stack.config["members"] = [
      {
        name: "paris",
        credentials: { kind: "kubeconfig", kubeconfig: await stack.secret(lab.cluster.kubeconfig) },
      },
      { name: "oslo", credentials: { kind: "simulated" } },
    ];
    await stack.up();
    karmada = await kubectls.to((await stack.outputs<{ kubeconfig: string }>()).kubeconfig);
    await allReady(karmada, 2);
    before = await declared();
  }, 420_000);

  afterAll(
    () =>
      cleanUp(
        () => kubectls.remove(),
        () => stack?.remove(),
        () => lab?.stop(),
        () => web?.close(),
        () => directory && rm(directory, { recursive: true, force: true }),
      ),
    300_000,
  );

  /** Everything that is declared in the member, by name. */
  const declared = async () => {
    const namespaced =
      "serviceaccounts,secrets,configmaps,services,deployments,roles,rolebindings,horizontalpodautoscalers,poddisruptionbudgets,leases";
    const others =
      "namespaces,customresourcedefinitions,clusterroles,clusterrolebindings,mutatingwebhookconfigurations,validatingwebhookconfigurations,validatingadmissionpolicies,validatingadmissionpolicybindings";
    const { items } = await member.get<{ items: Json[] }>(`${namespaced},${others}`, "-A");
    return items
      .map(({ kind, metadata }) => [kind, metadata.namespace, metadata.name].filter(Boolean).join(" "))
      .sort();
  };
  const istiod = () => member.get("deployment", "istiod", "-n", namespace);
  const configurations = async () =>
    (
      await member.get<{ items: Json[] }>(
        "mutatingwebhookconfigurations,validatingwebhookconfigurations",
        "-l",
        "karmada-pulumi/addon",
      )
    ).items;
  /** Of all webhooks by which the API server asks istiod. */
  const bundles = async (): Promise<(string | undefined)[]> =>
    (await configurations()).flatMap(({ webhooks }) => webhooks.map(({ clientConfig }: Json) => clientConfig.caBundle));
  const trusted = (found: readonly (string | undefined)[]) => found.length > 0 && found.every(Boolean);
  const put = (object: object) => member(["apply", "-f", "-"], JSON.stringify(object));

  test("one up brings its kinds, then istiod, and at last what asks it, which it makes trust itself", async () => {
    stack.config["addons"] = addons;
    await stack.up();
    const { metadata, status, spec } = await istiod();
    const available = status.conditions.find(({ type }: Json) => type === "Available");
    expect([available.status, status.readyReplicas]).toEqual(["True", 1]);
    expect(spec.template.spec.containers[0].image).toBe(`${hub}/pilot:${version}`);
    const kinds = await member.get<{ items: Json[] }>("crds", "-l", "karmada-pulumi/addon=istio-base");
    expect(kinds.items.length).toBeGreaterThan(10);
    for (const kind of kinds.items) expect(kind.metadata.creationTimestamp <= metadata.creationTimestamp).toBe(true);
    const names = (await configurations()).map(({ metadata: { name, creationTimestamp } }) => {
      const early = creationTimestamp < available.lastTransitionTime;
      return [name, early ? "before istiod" : "after istiod"];
    });
    expect(names.sort()).toEqual([
      ["istio-sidecar-injector", "after istiod"],
      ["istio-validator-istio-system", "after istiod"],
      ["istiod-default-validator", "before istiod"],
    ]);
    await eventually(bundles, trusted, 30);
  }, 300_000);

  test("a second up and a refresh find nothing to change", async () => {
    await stack.up("--expect-no-changes");
    await stack.refresh("--expect-no-changes");
    await stack.up("--expect-no-changes");
  }, 240_000);

  test("rules of the mesh are taken, and refused by istiod where they mean nothing", async () => {
    const service = (http: object) => ({
      apiVersion: "networking.istio.io/v1",
      kind: "VirtualService",
      metadata: { name: "shop", namespace: "default" },
      spec: { hosts: ["shop"], http: [http] },
    });
    await put(service({ route: [{ destination: { host: "shop" } }] }));
    const refused = await put(service({})).catch((error: Error) => error.message);
    expect(refused).toMatch(/admission webhook "validation\.istio\.io" denied the request: configuration is invalid/);
    await member(["delete", "virtualservice", "shop", "-n", "default"]);
  }, 60_000);

  test("a pod of what is propagated has the proxy beside it, as one of this member and of this mesh", async () => {
    const labels = { app: "shop" };
    const pod = { containers: [{ name: "shop", image: pauseImage, imagePullPolicy: "Never" }] };
    const apply = (object: object) => karmada(["apply", "-f", "-"], JSON.stringify(object));
    await apply({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "shop", labels: { "istio-injection": "enabled" } },
    });
    await eventually(
      () => member.get("namespace", "shop"),
      ({ metadata }) => metadata.labels["istio-injection"] === "enabled",
    );
    const metadata = { name: "shop", namespace: "shop" };
    await apply({
      apiVersion: "policy.karmada.io/v1alpha1",
      kind: "PropagationPolicy",
      metadata,
      spec: {
        resourceSelectors: [{ apiVersion: "apps/v1", kind: "Deployment", name: "shop" }],
        placement: { clusterAffinity: { clusterNames: ["paris"] } },
      },
    });
    await apply({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata,
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } },
    });
    const { items } = await eventually(
      () => member.get<{ items: Json[] }>("pods", "-n", "shop"),
      (found) => found.items.length === 1,
      60,
    );
    const { spec } = items[0];
    const proxy = [...spec.initContainers, ...spec.containers].find(({ name }: Json) => name === "istio-proxy");
    expect(proxy.image).toBe(`${hub}/proxyv2:${version}`);
    const env = Object.fromEntries(proxy.env.map(({ name, value }: Json) => [name, value]));
    expect(env).toMatchObject({
      ISTIO_META_CLUSTER_ID: "paris",
      ISTIO_META_MESH_ID: "fleet",
      ISTIO_META_NETWORK: "fleet",
    });
    // By which the proxy would know istiod.
    const { data: authority } = await member.get("secret", "istio-ca-secret", "-n", namespace);
    const { data } = await member.get("configmap", "istio-ca-root-cert", "-n", "shop");
    expect(data["root-cert.pem"]).toBe(Buffer.from(authority["ca-cert.pem"], "base64").toString());
    await karmada(["delete", "namespace", "shop"]);
    await eventually(
      () => member(["get", "namespaces", "-o", "name"]),
      (names) => !names.includes("namespace/shop"),
      60,
    );
  }, 240_000);

  test("another value is another pod of istiod, and the API server goes on to trust it", async () => {
    const [was, trust] = [await istiod(), await bundles()];
    const edited = structuredClone(addons);
    const paris = edited.find(({ name }) => name === "istiod-paris");
    paris.source.values.global.logging = { level: "default:debug" };
    stack.config["addons"] = edited;
    await stack.up();
    const now = await istiod();
    expect(was.spec.template.spec.containers[0].args).toContain("--log_output_level=default:info");
    expect(now.spec.template.spec.containers[0].args).toContain("--log_output_level=default:debug");
    expect([now.metadata.uid, now.status.updatedReplicas, now.status.replicas]).toEqual([was.metadata.uid, 1, 1]);
    expect(await bundles()).toEqual(trust);
    await stack.up("--expect-no-changes");
  }, 240_000);

  test("taken away it leaves its kinds, which its chart keeps, and what istiod wrote into namespaces of others", async () => {
    stack.config["addons"] = [];
    await stack.up();
    const after = await declared();
    expect(after).toEqual(expect.arrayContaining(before));
    const left = after.filter((name) => !before.includes(name));
    const ofKinds = left.filter((name) => /^CustomResourceDefinition \S+\.istio\.io$/.test(name));
    expect(ofKinds.length).toBeGreaterThan(10);
    const others = left.filter((name) => !ofKinds.includes(name)).map((name) => name.replace(/ \S+(?= )/, ""));
    expect([...new Set(others)].sort()).toEqual(["ConfigMap istio-ca-crl", "ConfigMap istio-ca-root-cert"]);
  }, 240_000);

  test("added again in another version it is refused over the kinds that it left, and takes them over where it is told to", async () => {
    const [base] = structuredClone(addons);
    base.source.version = next;
    stack.config["addons"] = [base];
    const up = ["up", "--yes", "--skip-preview"];
    const { exitCode, text } = await stack.pulumi(up);
    expect([exitCode === 0, text]).toEqual([
      false,
      expect.stringContaining("server-side apply field conflict detected"),
    ]);
    await stack.successfully(up, { env: { PULUMI_K8S_ENABLE_PATCH_FORCE: "true" } });
    const { items } = await member.get<{ items: Json[] }>("crds", "-l", "karmada-pulumi/addon=istio-base");
    const charts = items.map(({ metadata }) => metadata.labels["helm.sh/chart"]);
    expect([...new Set(charts)]).toEqual([`base-${next}`]);
    // The next one notes that it is told so no more.
    await stack.up();
    await stack.up("--expect-no-changes");
  }, 240_000);
});
