/**
 * Two Karmadas in one host cluster, whose DNS domain is not the usual one, under odd namespaces and ports: one on an etcd outside of
 * it, one with its data in a directory of the node.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanUp } from "../support/clean-up.ts";
import { startCluster } from "../support/cluster.ts";
import { as, etcdctl } from "../support/etcd-auth.ts";
import { startEtcd, type EtcdCluster } from "../support/etcd.ts";
import { hasKubernetesLab, KubernetesLab } from "../support/kubernetes-lab.ts";
import { labImages } from "../support/kubernetes-lab/images.ts";
import { Programs } from "../support/running.ts";
import { allReady, eventually, Kubectls, type Json, type Kubectl } from "./support/kubectl.ts";
import { oneOfEach } from "./support/one-of-each.ts";
import { type StackConfig, TestStack } from "./support/stack.ts";

const [labPort, memberPort] = [28940, 28960];
const domain = "k8s.odd-domain.example";
const [namespaces, ports] = [["0karmada", "karmada-2-of-ours"] as const, [30007, 32701] as const];
const describeLab = hasKubernetesLab() ? describe : describe.skip;

describeLab("two Karmadas in a host cluster", () => {
  let lab: KubernetesLab;
  let programs: Programs;
  let outside: Programs;
  let external: EtcdCluster;
  let stacks: [TestStack, TestStack];
  let hostCluster: Kubectl;
  const planes: Kubectl[] = [];
  let before: string;
  const kubectls = new Kubectls();
  /** Of the node, where the second one has its data. */
  const onNode = mkdtempSync("/var/lib/side-by-side-");

  beforeAll(async () => {
    lab = new KubernetesLab(27, labPort, false, domain);
    await lab.start(labImages, 0);
    hostCluster = await kubectls.to(lab.cluster.kubeconfig);
    programs = new Programs(mkdtempSync(join(tmpdir(), "side-by-side-members-")));
    const etcd = await startEtcd(programs, memberPort);
    const first = await TestStack.create({}, 0);
    stacks = [first, await first.beside("second", {})];
    outside = new Programs(mkdtempSync(join(tmpdir(), "side-by-side-outside-")));
    external = await startEtcd(outside, memberPort + 20, 1, undefined, "etcd", lab.network.machine);
    const credentials = await as(external, "karmada");
    const key = await first.secret(credentials.key);
    const etcds = [
      { kind: "external", endpoints: external.endpoints, prefix: "/first", ...credentials, key },
      { kind: "managed", members: 1 },
    ];
    for (const [i, stack] of stacks.entries()) {
      // Both call theirs the same.
      const place = { name: `site-${i}`, port: memberPort + 10 + 2 * i, address: lab.network.machine };
      const { kubeconfig } = await startCluster(programs, etcd, place);
      stack.config = await configOf(stack, namespaces[i]!, ports[i]!, kubeconfig, etcds[i]!);
    }
    before = await dump();
  }, 300_000);

  afterAll(
    () =>
      cleanUp(
        () => kubectls.remove(),
        // It lies in the directory of the first, and goes with that.
        async () => void (await stacks?.[1].pulumi(["destroy", "--yes", "--skip-preview"])),
        () => stacks?.[0].remove(),
        () => programs?.remove(),
        () => outside?.remove(),
        () => lab?.stop(),
        () => rmSync(onNode, { recursive: true }),
      ),
    300_000,
  );

  const configOf = async (
    stack: TestStack,
    namespace: string,
    port: number,
    member: string,
    etcd: object,
  ): Promise<StackConfig> => {
    const secret = async (text: string) => ({ kind: "kubeconfig", kubeconfig: await stack.secret(text) });
    return {
      placement: {
        kind: "kubernetes",
        credentials: await secret(lab.cluster.kubeconfig),
        namespace,
        clusterDomain: domain,
        storage: { hostPath: `${onNode}/etcd` },
        exposure: { kind: "nodePort", addresses: [lab.network.node], apiServer: port, etcd: port + 1 },
      },
      etcd,
      controlPlane: oneOfEach,
      members: [{ name: "site", credentials: await secret(member) }],
    };
  };
  const dump = () =>
    hostCluster([
      ...["get", "namespaces,services,secrets,configmaps,deployments,statefulsets,networkpolicies,pvc,pv"],
      ...["-A", "-o", "name"],
    ]);

  test("each comes up by itself, with a member of the same name, and says nothing of the usual domain", async () => {
    for (const [i, stack] of stacks.entries()) {
      await stack.up();
      planes.push(await kubectls.to((await stack.outputs<{ kubeconfig: string }>()).kubeconfig));
      await allReady(planes[i]!, 1);
      const said = [
        await hostCluster(["get", "pods", "-n", namespaces[i]!, "-o", "yaml"]),
        await planes[i]!(["get", "mutatingwebhookconfigurations,apiservices", "-o", "yaml"]),
      ].join("\n");
      expect(said).toContain(domain);
      // Tokens of the Karmada API have one issuer, wherever it runs.
      expect(said.match(/.*cluster\.local.*/g)).toEqual([expect.stringContaining("--service-account-issuer=")]);
    }
    for (const stack of stacks) await stack.up("--expect-no-changes");
  }, 420_000);

  test("what is written to one is in its member, and the other has never heard of it", async () => {
    const [first, second] = planes as [Kubectl, Kubectl];
    const policy = {
      apiVersion: "policy.karmada.io/v1alpha1",
      kind: "PropagationPolicy",
      metadata: { name: "one", namespace: "default" },
      spec: {
        resourceSelectors: [{ apiVersion: "v1", kind: "ConfigMap", name: "one" }],
        placement: { clusterAffinity: { clusterNames: ["site"] } },
      },
    };
    await first(["create", "configmap", "one"]);
    await first(["apply", "-f", "-"], JSON.stringify(policy));
    const inMember = (plane: Kubectl) =>
      plane([
        "get",
        "--raw",
        "/apis/cluster.karmada.io/v1alpha1/clusters/site/proxy/api/v1/namespaces/default/configmaps",
      ]);
    await eventually(
      () => inMember(first),
      (text) => text.includes('"name":"one"'),
      60,
    );
    expect(
      (await second.get<{ items: Json[] }>("configmaps")).items.map(({ metadata }) => metadata.name),
    ).not.toContain("one");
    expect(await inMember(second)).not.toContain('"name":"one"');
    const uids = await Promise.all(planes.map(async (plane) => (await plane.get("cluster", "site")).metadata.uid));
    expect(new Set(uids).size).toBe(2);
  }, 120_000);

  test("the first has its data below its prefix in the etcd outside, and no pod of etcd", async () => {
    const root = await as(external, "test");
    const get = (...args: string[]) => etcdctl(external, root, "get", "--prefix", "--keys-only", ...args);
    expect(await get("/first/cluster.karmada.io/clusters/")).toContain("/first/cluster.karmada.io/clusters/site");
    const keys = (await get("")).split("\n").filter((key) => key !== "" && key !== "compact_rev_key");
    expect(keys.filter((key) => !key.startsWith("/first/"))).toEqual([]);
    expect(await hostCluster(["get", "pods", "-n", namespaces[0], "-o", "name"])).not.toContain("etcd");
  }, 30_000);

  test("the second has its data in a directory of the node, made for it, under another user than root, and goes on there", async () => {
    const [directory] = readdirSync(join(onNode, "etcd"));
    const data = join(onNode, "etcd", directory!);
    expect(directory).toMatch(/^karmada-2-of-ours-etcd-0-data-1-[0-9a-f]{8}$/);
    expect(existsSync(join(data, "1", "member", "wal"))).toBe(true);
    expect(statSync(join(data, "1")).uid).toBe(65532);
    await hostCluster(["delete", "pod", "etcd-0-0", "-n", namespaces[1]]);
    // Its only member was away: an API server that was not ready meanwhile is led to again a little later.
    let inARow = 0;
    await eventually(
      async () => {
        const answers = await planes[1]!(["get", "--raw", "/readyz"]).catch(() => "");
        inARow = answers === "ok" ? inARow + 1 : 0;
      },
      () => inARow >= 5,
      60,
    );
    await allReady(planes[1]!, 1);
    expect(readdirSync(join(onNode, "etcd"))).toEqual([directory]);
    await stacks[1].successfully(["refresh", "--yes", "--skip-preview", "--expect-no-changes"]);
  }, 120_000);

  test("its etcd grows to three members and back to one, and nothing is lost", async () => {
    const second = stacks[1];
    const membersOf = async () =>
      (await second.outputs<{ etcd: { members: { name: string; healthy: boolean }[] } }>()).etcd.members.map(
        ({ name, healthy }) => [name, healthy],
      );
    await planes[1]!(["create", "configmap", "written-to-one"]);
    second.config["etcd"] = { kind: "managed", members: 3 };
    await second.up();
    expect(await membersOf()).toEqual(["etcd-0", "etcd-1", "etcd-2"].map((name) => [name, true]));
    expect(readdirSync(join(onNode, "etcd"))).toHaveLength(3);
    await planes[1]!(["create", "configmap", "written-to-three"]);
    second.config["etcd"] = { kind: "managed", members: 1 };
    await second.up();
    expect(await membersOf()).toEqual([["etcd-0", true]]);
    await planes[1]!(["get", "configmaps", "written-to-one", "written-to-three"]);
    expect(await hostCluster(["get", "pods", "-n", namespaces[1], "-o", "name"])).not.toMatch(/etcd-[12]/);
    await second.up("--expect-no-changes");
  }, 300_000);

  test("a third in the namespace of one of them, or at its port, is refused in the preview", async () => {
    const [first, second] = stacks;
    const { placement } = second.config as { placement: Json };
    const third = await first.beside("third", {});
    const credentials = { kind: "kubeconfig", kubeconfig: await third.secret(lab.cluster.kubeconfig) };
    const there = await dump();
    third.config = { ...second.config, members: [], placement: { ...placement, credentials } };
    const { exitCode, text } = await third.preview();
    expect([exitCode === 0, text]).toEqual([false, expect.stringContaining(namespaces[1])]);
    // One that was called the same in another checkout.
    third.config["name"] = "second";
    const same = await third.preview();
    expect([same.exitCode === 0, same.text]).toEqual([
      false,
      expect.stringContaining(`belongs to the deployment "second" of another stack`),
    ]);
    delete third.config["name"];
    third.config["placement"] = { ...placement, credentials, namespace: "third" };
    const taken = await third.preview();
    expect([taken.exitCode === 0, taken.text]).toEqual([
      false,
      expect.stringContaining(`NodePort ${ports[1]} is taken by the Service ${namespaces[1]}/karmada-apiserver`),
    ]);
    expect(await dump()).toEqual(there);
  }, 120_000);

  test("one goes, the other stays as it is; then nothing is left", async () => {
    const [first, second] = stacks;
    await first.successfully(["destroy", "--yes", "--skip-preview"]);
    expect(await hostCluster(["get", "namespaces", "-o", "name"])).not.toContain(namespaces[0]);
    await allReady(planes[1]!, 1);
    await second.up("--expect-no-changes");
    const { text } = await second.successfully(["destroy", "--yes", "--skip-preview"]);
    expect(await dump()).toEqual(before);
    const left = readdirSync(join(onNode, "etcd"));
    expect(left).toHaveLength(3);
    expect(text).toContain(`data of etcd are left on nodes, and nobody uses them again`);
    for (const directory of left) expect(text).toContain(`: ${onNode}/etcd/${directory}`);
  }, 240_000);
});
