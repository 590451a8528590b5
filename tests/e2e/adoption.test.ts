/** A Karmada that `karmadactl init` built in a host cluster goes on as a stack: members, clients, tokens and agents notice nothing. */
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { execa } from "execa";
import { parse, stringify } from "yaml";
import { connect, type KubeClient, type KubeObject } from "../../lib/kube/client.ts";
import { deadlineIn, Pending, waitFor } from "../../lib/wait.ts";
import { cleanUp } from "../support/clean-up.ts";
import { startCluster, type Cluster } from "../support/cluster.ts";
import { startEtcd } from "../support/etcd.ts";
import { hasKubernetesLab, KubernetesLab } from "../support/kubernetes-lab.ts";
import { labImages } from "../support/kubernetes-lab/images.ts";
import { storageClass } from "../support/kubernetes-lab/objects.ts";
import { programPath } from "../support/programs.ts";
import { Programs } from "../support/running.ts";
import { CopiedCheckout } from "./support/copied-checkout.ts";
import { testAdoptionInPlace } from "./support/adoption-in-place.ts";
import { crdsArchive } from "./support/installers/crds-archive.ts";
import { type Identities, Propagation } from "./support/propagation.ts";

jest.setTimeout(600_000);

const labPort = 29440;
const memberPort = 29460;
const old = "/apis/apps/v1/namespaces/karmada-system";
/** Seconds: what watched an API server that was away asks for it again after at most a minute (client-go's back-off). */
const patience = 180;
const describeLab = hasKubernetesLab() ? describe : describe.skip;

describeLab("a Karmada that karmadactl init built", () => {
  let copy: CopiedCheckout;
  let directory: string;
  let checkout: string;
  let programs: Programs;
  let lab: KubernetesLab;
  let one: Cluster;
  let two: Cluster;
  let hostKubeconfig: string;
  let propagation: Propagation;
  /** By the kubeconfig that init wrote. */
  let plane: KubeClient;
  let before: Identities;
  let tokens: Record<string, string>;
  let deleted: Promise<string[]>;
  let stopWatching: () => void;

  beforeAll(async () => {
    copy = await CopiedCheckout.make("karmada-adoption");
    ({ directory, path: checkout } = copy);
    programs = new Programs(join(directory, "programs"));
    lab = new KubernetesLab(18, labPort);
    await lab.start(labImages, 3);
    const etcd = await startEtcd(programs, memberPort);
    const address = lab.network.machine;
    one = await startCluster(programs, etcd, { name: "one", port: memberPort + 10, address });
    two = await startCluster(programs, etcd, { name: "two", port: memberPort + 12, address });
    hostKubeconfig = programs.write("host.kubeconfig", lab.cluster.kubeconfig);
    const admin = await byKarmadactl();
    plane = await connect(await readFile(admin, "utf8"));
    await programs.start("karmada-agent", {
      "karmada-kubeconfig": admin,
      kubeconfig: programs.write("two.kubeconfig", two.kubeconfig),
      "cluster-name": "two",
      "cluster-api-endpoint": two.server,
      "cluster-status-update-frequency": "3s",
      "leader-elect": false,
      "metrics-bind-address": `127.0.0.1:${memberPort + 20}`,
      "health-probe-bind-address": `127.0.0.1:${memberPort + 21}`,
    });
    propagation = new Propagation(20, { one: one.client, two: two.client });
    await propagation.ready(plane, deadlineIn(90));
    await propagation.begin(plane);
    tokens = await tokensOf(plane);
    before = await propagation.identities(plane);
    ({ deleted, stopWatching } = propagation.watchDeletions(deadlineIn(1500)));
  }, 400_000);

  afterAll(async () => {
    stopWatching?.();
    await cleanUp(
      () => lab?.stop(),
      () => programs?.remove(),
      () => copy?.remove(),
    );
  }, 400_000);

  const npm = (...args: string[]) => copy.npm(...args);
  const succeed = (...args: string[]) => copy.succeed(...args);
  const adopt = (...more: string[]) => [
    "run",
    "adopt",
    "--",
    "--kubeconfig",
    hostKubeconfig,
    "--stack",
    "adopted",
    ...more,
  ];
  const pulumi = (subcommand: string, ...more: string[]) => [
    "run",
    "pulumi",
    "--",
    subcommand,
    "--stack",
    "adopted",
    "--non-interactive",
    ...more,
  ];

  /** @returns the administrator's kubeconfig */
  async function byKarmadactl(): Promise<string> {
    const program = await programPath("karmadactl");
    // It asks a web page for its address, and goes on without an answer.
    const env = { HTTPS_PROXY: "http://127.0.0.1:9", NO_PROXY: "10.0.0.0/8,127.0.0.1" };
    const archive = await crdsArchive(directory);
    const data = join(directory, "data");
    const init = [`--kubeconfig=${hostKubeconfig}`, `--crds=${archive}`, `--karmada-data=${data}`];
    const places = [`--karmada-pki=${join(data, "pki")}`, `--etcd-data=${join(directory, "etcd")}`];
    const images = ["--etcd-image=quay.io/coreos/etcd:v3.6.6", "--kube-image-tag=v1.35.3"];
    await execa(program, ["init", ...init, ...places, ...images], { env, timeout: 400_000 });
    const admin = join(data, "karmada-apiserver.config");
    const member = programs.write("one.kubeconfig", one.kubeconfig);
    await execa(program, ["join", "one", `--kubeconfig=${admin}`, `--cluster-kubeconfig=${member}`], { env });
    return admin;
  }

  test("what is not there, or is there already, is refused, and nothing is written", async () => {
    const { exitCode, text } = await npm(...adopt("--namespace", "kube-system"));
    expect({ exitCode, text }).toMatchObject({
      exitCode: 1,
      text: expect.stringContaining("no kube-apiserver runs there"),
    });
    expect(await readdir(checkout)).not.toContain("Pulumi.adopted.yaml");
    expect((await npm("run", "adopt")).exitCode).toBe(2);
  });

  describe("is managed where it is", () => {
    testAdoptionInPlace(() => ({ directory, checkout, hostKubeconfig, host: lab.cluster.client, npm, succeed }));

    test("with members and objects that are what they were", async () => {
      await propagation.ready(plane, deadlineIn(90));
      expect(await propagation.identities(plane)).toEqual(before);
    });
  });

  test("what would become of each part of it is said, and nothing is written", async () => {
    const said = await succeed(...adopt("--look"));
    for (const line of [
      "a Karmada that karmadactl init built in namespace karmada-system; nothing was changed or written",
      "  karmada-scheduler 1.18.2, 1 of it, with --kube-api-qps=50", // as it was edited where it is
      "  etcd 3.6.6, 1 of it, with volumes of its own and TLS between members",
      "  what runs in the member one",
    ])
      expect(said.split("\n")).toContain(line);
    expect(said).not.toMatch(/PRIVATE KEY/);
    expect(await readdir(checkout)).not.toContain("Pulumi.adopted.yaml");
    expect(await readdir(join(checkout, ".karmada")).catch(() => [])).not.toContain("adopted");
    expect(await propagation.identities(plane)).toEqual(before);
  });

  test("a stack file is written with all that is there, its keys encrypted", async () => {
    const said = await succeed(...adopt());
    expect(said).toContain("a Karmada that karmadactl init built in namespace karmada-system");
    const file = join(checkout, "Pulumi.adopted.yaml");
    const text = await readFile(file, "utf8");
    expect(text).not.toMatch(/PRIVATE KEY|LS0tLS1CRUdJTi/);
    const { config } = parse(text) as { config: Record<string, any> }; // eslint-disable-line @typescript-eslint/no-explicit-any -- a stack file
    expect(config["karmada:versions"]).toEqual({ karmada: "1.18.2", kubernetes: "1.35.3", etcd: "3.6.6" });
    expect(config["karmada:members"]).toMatchObject([{ name: "one" }]);
    const { exposure } = config["karmada:placement"];
    expect(exposure).toEqual({ kind: "nodePort", addresses: [lab.network.node], apiServer: 32443 });
    expect((await stat(join(checkout, ".karmada/adopted/adopted.db"))).mode & 0o777).toBe(0o600);
    config["karmada:placement"].storage = { storageClass };
    config["karmada:snapshots"] = { beforeChange: "never" };
    await writeFile(file, stringify({ ...parse(text), config }));
    expect((await npm(...adopt())).text).toContain("is there already");
  });

  test("the preview says that only the NodePort is in the way, and touches nothing", async () => {
    const { exitCode, text } = await npm(...pulumi("preview"));
    expect(exitCode).not.toBe(0);
    expect(text).toContain("NodePort 32443 is taken by the Service karmada-system/karmada-apiserver");
    expect(await propagation.identities(plane)).toEqual(before);
  });

  test("what is fenced can be brought back as it was", async () => {
    await succeed(...adopt("--fence", "--yes"));
    expect(await running()).toEqual(["etcd"]);
    await succeed(...adopt("--unfence", "--yes"));
    await waitFor("the old plane to serve again", deadlineIn(120), () => propagation.identities(plane));
    await propagation.ready(plane, deadlineIn(90));
    await propagation.add(plane, "written-after-the-first-snapshot", patience);
  });

  test("fenced once more and brought up: everything is who it was, and lets in whom it let in", async () => {
    await succeed(...adopt("--fence", "--yes"));
    await succeed(...pulumi("preview"));
    await succeed(...pulumi("up", "--yes", "--skip-preview"));
    await propagation.ready(plane, deadlineIn(90));
    expect(await propagation.identities(plane)).toEqual(before);
    expect(await plane.find("/api/v1/namespaces/default/configmaps/written-after-the-first-snapshot")).toBeDefined();
    await propagation.add(plane, "taken-over", patience);
    for (const [kind, token] of Object.entries(tokens))
      expect({ kind, user: await userOf(token) }).toEqual({ kind, user: "system:serviceaccount:default:robot" });
  });

  test("another up finds nothing to do", async () => {
    await succeed(...pulumi("up", "--yes", "--skip-preview", "--expect-no-changes"));
  });

  test("no copy was ever deleted in a member", async () => {
    stopWatching();
    expect(await deleted).toEqual([]);
  });

  async function running(): Promise<string[]> {
    const { items: deployments } = await lab.cluster.client.get<{ items: KubeObject[] }>(`${old}/deployments`);
    const { items: sets } = await lab.cluster.client.get<{ items: KubeObject[] }>(`${old}/statefulsets`);
    return [...deployments, ...sets].filter(({ spec }) => spec?.replicas > 0).map(({ metadata }) => metadata!.name!);
  }

  /** Who the Karmada API takes the bearer of a token for. */
  async function userOf(token: string): Promise<string> {
    const kubeconfig = parse(await readFile(join(directory, "data/karmada-apiserver.config"), "utf8")) as {
      users: { user: object }[];
    };
    for (const each of kubeconfig.users) each.user = { token };
    const client = await connect(stringify(kubeconfig));
    const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    const { status } = await client.create(path, { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" });
    return String(status?.userInfo?.username);
  }
});

/** A token that Karmada keeps in a Secret, and one that ends. */
async function tokensOf(plane: KubeClient): Promise<Record<string, string>> {
  const namespace = "/api/v1/namespaces/default";
  await plane.create(`${namespace}/serviceaccounts`, {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "robot" },
  });
  const annotations = { "kubernetes.io/service-account.name": "robot" };
  const type = "kubernetes.io/service-account-token";
  await plane.create(`${namespace}/secrets`, {
    apiVersion: "v1",
    kind: "Secret",
    type,
    metadata: { name: "robot", annotations },
  });
  const bound = await plane.create(`${namespace}/serviceaccounts/robot/token`, {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { expirationSeconds: 7200 },
  });
  const kept = await waitFor("the token of the robot", deadlineIn(30), async () => {
    const { data } = await plane.get(`${namespace}/secrets/robot`);
    return (data?.token as string | undefined) ?? new Pending("not filled in");
  });
  return { kept: Buffer.from(kept, "base64").toString(), bound: String(bound["status"]?.token) };
}
