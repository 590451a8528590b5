/** A member with a node of its own reaches out by an agent in a pod there: joined, worked in, moved, mended, and left as it was. */
import { X509Certificate } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { parse } from "yaml";
import { cleanUp } from "../support/clean-up.ts";
import { hasKubernetesLab, KubernetesLab } from "../support/kubernetes-lab.ts";
import { pauseImage } from "../support/kubernetes-lab/images.ts";
import { programPath } from "../support/programs.ts";
import { allReady, eventually, Kubectls, type Json, type Kubectl } from "./support/kubectl.ts";
import { TestStack } from "./support/stack.ts";

interface Outputs {
  kubeconfig: string;
  members: { name: string; syncMode: string; ready: boolean }[];
  versions: Record<string, string>;
  certificates: Record<string, string>;
}

const labPort = 28700;
const basePort = 27000;
/** What leads the member to the control plane, as a reverse proxy of the operator's would. */
const wayPort = 28720;
const namespace = "karmada-agent";
const describeLab = hasKubernetesLab() ? describe : describe.skip;

describeLab("a member whose agent runs on its own node", () => {
  let lab: KubernetesLab;
  let way: Server;
  let stack: TestStack;
  let member: Kubectl;
  let kubectl: Kubectl;
  let before: string;
  let entry: Record<string, unknown>;
  let pki: object;
  const kubectls = new Kubectls();

  beforeAll(async () => {
    lab = new KubernetesLab(16, labPort, true);
    await lab.start(["docker.io/karmada/karmada-agent:v1.18.2"], 0);
    way = await lead(lab.network.machine, wayPort, basePort);
    member = await kubectls.to(lab.cluster.kubeconfig);
    pki = { extraNames: [lab.network.machine] };
    stack = await TestStack.create({ etcd: { kind: "managed", members: 1 }, pki, members: [] }, basePort);
    entry = {
      name: "far",
      syncMode: "Pull",
      credentials: { kind: "kubeconfig", kubeconfig: await stack.secret(lab.cluster.kubeconfig) },
      agent: { kind: "inMember", server: `https://${lab.network.machine}:${wayPort}` },
    };
    stack.config["members"] = [entry];
    before = await dump();
  }, 300_000);

  afterAll(
    () =>
      cleanUp(
        () => kubectls.remove(),
        () => stack?.remove(),
        async () => void way?.close(),
        () => lab?.stop(),
      ),
    300_000,
  );

  /** Everything that is declared in the member, by name. */
  const dump = () =>
    member([
      "get",
      "namespaces,serviceaccounts,secrets,configmaps,services,deployments,networkpolicies,roles,rolebindings,clusterroles,clusterrolebindings",
      "-A",
      "-o",
      "name",
    ]);
  const agents = async () =>
    (await member.get<{ items: Json[] }>("pods", "-n", namespace)).items.filter(
      ({ metadata }) => metadata.deletionTimestamp === undefined,
    );
  /** By which its agent is known to the control plane. */
  const certificate = async () => {
    const { data } = await member.get("secret", "far-karmada-agent", "-n", namespace);
    const config = parse(Buffer.from(data["karmada.config"], "base64").toString()) as Json;
    return new X509Certificate(Buffer.from(config.users[0].user["client-certificate-data"], "base64"));
  };
  /** Karmada's verdict on it, with the moment since which it has been so. */
  const verdict = async () => {
    const { status } = await kubectl.get("cluster", "far");
    const ready = status.conditions.find(({ type }: Json) => type === "Ready");
    return [ready.status, ready.lastTransitionTime];
  };
  const beside = async () => (await stack.processes()).filter(({ command }) => command.includes("/far-karmada-agent/"));
  const running = async (replicas: number) => {
    const { status } = await member.get("deployment", "web", "-n", "default");
    return status.readyReplicas === replicas;
  };

  test("a namespace of somebody else's is refused in the preview, and nothing is touched", async () => {
    await member(["create", "namespace", namespace]);
    const { exitCode, text } = await stack.preview();
    expect([exitCode === 0, text]).toEqual([
      false,
      expect.stringContaining(`"${namespace}" is there already and was not made by this program, want one of its own`),
    ]);
    await member(["delete", "namespace", namespace]);
    expect(await dump()).toEqual(before);
  }, 120_000);

  test("one up joins it, by a pod that is nobody on the node, and no process beside the control plane", async () => {
    await stack.up();
    const { kubeconfig, members, versions } = await stack.outputs<Outputs>();
    expect(members).toMatchObject([{ name: "far", syncMode: "Pull", ready: true }]);
    expect(versions["far-karmada-agent"]).toBe("1.18.2");
    kubectl = await kubectls.to(kubeconfig);
    await allReady(kubectl, 1);
    const [{ spec, status }] = (await agents()) as [Json];
    expect(spec).toMatchObject({
      serviceAccountName: "karmada-agent",
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
    });
    expect(spec.containers[0].securityContext).toMatchObject({ readOnlyRootFilesystem: true });
    expect(await beside()).toEqual([]);
    // The only token of the agent is the one that the kubelet gives its pod.
    expect(await member(["get", "secrets,serviceaccounts", "-n", "karmada-cluster", "-o", "name"])).not.toContain(
      "agent",
    );
    expect(await lab.reaches("coredns", status.podIP, 8080)).toBe(false);
  }, 300_000);

  test("a Deployment that is propagated runs on its node, and its state comes back", async () => {
    const labels = { app: "web" };
    const container = { name: "web", image: pauseImage, imagePullPolicy: "Never" };
    const web = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web", namespace: "default" },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container], terminationGracePeriodSeconds: 0 } },
      },
    };
    const policy = {
      apiVersion: "policy.karmada.io/v1alpha1",
      kind: "PropagationPolicy",
      metadata: { name: "web", namespace: "default" },
      spec: {
        resourceSelectors: [{ apiVersion: "apps/v1", kind: "Deployment", name: "web" }],
        placement: { clusterAffinity: { clusterNames: ["far"] } },
      },
    };
    await kubectl(["apply", "-f", "-"], [web, policy].map((object) => JSON.stringify(object)).join("\n"));
    await eventually(
      () => kubectl.get("deployment", "web"),
      ({ status }) => status.readyReplicas === 2,
      60,
    );
    expect(await running(2)).toBe(true);
  }, 90_000);

  test("a second up and a refresh find nothing to change", async () => {
    await stack.up("--expect-no-changes");
    await stack.refresh("--expect-no-changes");
  }, 180_000);

  test("what is deleted or changed in the member is seen by refresh and mended by up", async () => {
    await member(["delete", "deployment", "--all", "-n", namespace]);
    await member(["delete", "clusterrolebinding", `karmada-agent:${namespace}`]);
    await stack.refresh();
    await stack.up();
    await stack.refresh("--expect-no-changes");
    expect(await agents()).toHaveLength(1);
    await allReady(kubectl, 1);
  }, 240_000);

  test("another setting of the agent is another pod, and what it has propagated goes on", async () => {
    const [old] = (await agents()) as [Json];
    stack.config["controlPlane"] = { "karmada-agent": { logLevel: 3 } };
    await stack.up();
    const [now] = (await agents()) as [Json];
    expect(now.metadata.uid).not.toBe(old.metadata.uid);
    expect(now.spec.containers[0].args).toContain("--v=3");
    await allReady(kubectl, 1);
    expect(await running(2)).toBe(true);
  }, 180_000);

  test("registered by a bootstrap token it has a certificate that the control plane signed, and of token and request nothing is left", async () => {
    const [old] = (await agents()) as [Json];
    entry["agent"] = { ...(entry["agent"] as object), registration: "bootstrapToken" };
    await stack.up();
    const [now] = (await agents()) as [Json];
    expect(now.metadata.uid).not.toBe(old.metadata.uid);
    const { subject, validToDate } = await certificate();
    expect(subject.split("\n").sort()).toEqual(["CN=system:karmada:agent:far", "O=system:karmada:agents"]);
    expect((await stack.outputs<Outputs>()).certificates["agent-far"]).toBe(validToDate.toISOString());
    expect((await kubectl.get("csr")).items).toEqual([]);
    expect(await kubectl(["get", "secrets", "-n", "kube-system", "-o", "name"])).not.toContain("bootstrap-token");
    expect(await kubectl(["get", "clusterroles,clusterrolebindings", "-o", "name"])).not.toContain(
      "far:agent-bootstrap",
    );
    await allReady(kubectl, 1);
    await stack.up("--expect-no-changes");
  }, 180_000);

  test("its certificate is signed anew to be valid for longer, as all are, and it is Ready all the while", async () => {
    const [old, was, verdictBefore] = [(await agents())[0] as Json, await certificate(), await verdict()];
    stack.config["pki"] = { ...pki, certificateValidity: `${365 * 24 + 1}h` };
    expect((await stack.preview()).text).toMatch(/~ pulumi-nodejs:dynamic\/members:AgentCertificate: \(update\)/);
    await stack.up();
    const now = await certificate();
    expect(now.serialNumber).not.toBe(was.serialNumber);
    expect(now.validToDate.getTime()).toBeGreaterThan(was.validToDate.getTime());
    const pods = await agents();
    expect(pods).toHaveLength(1);
    expect(pods[0].metadata.uid).not.toBe(old.metadata.uid);
    for (const replicas of [1, 2]) {
      await kubectl(["scale", "deployment", "web", `--replicas=${replicas}`]);
      await eventually(
        () => member.get("deployment", "web", "-n", "default"),
        ({ status }) => status.readyReplicas === replicas,
        60,
      );
    }
    expect(verdictBefore[0]).toBe("True");
    expect(await verdict()).toEqual(verdictBefore);
  }, 240_000);

  test("it moves beside the control plane and back, the cluster stays the same and so does what runs there", async () => {
    const pods = async () => (await member(["get", "pods", "-l", "app=web", "-o", "name"])).split("\n").sort();
    const [cluster, web] = [(await kubectl.get("cluster", "far")).metadata.uid, await pods()];
    stack.config["members"] = [{ ...entry, agent: { kind: "beside", registration: "bootstrapToken" } }];
    await stack.up();
    expect(await beside()).toHaveLength(1);
    expect(await member(["get", "namespaces,clusterroles,clusterrolebindings", "-o", "name"])).not.toContain(
      `karmada-agent:`,
    );
    expect(await member(["get", "namespaces", "-o", "name"])).not.toContain(namespace);
    await allReady(kubectl, 1);
    stack.config["members"] = [entry];
    await stack.up();
    expect([await beside(), (await agents()).length]).toEqual([[], 1]);
    await allReady(kubectl, 1);
    expect([(await kubectl.get("cluster", "far")).metadata.uid, await pods()]).toEqual([cluster, web]);
    await stack.up("--expect-no-changes");
  }, 300_000);

  test("it goes over to a team's stack and back, with its agent and what runs there", async () => {
    const pods = async () => (await member(["get", "pods", "-l", "app=web", "-o", "name"])).split("\n").sort();
    const [cluster, web] = [(await kubectl.get("cluster", "far")).metadata.uid, await pods()];
    const stays = async (declaredBy: string) => {
      const { metadata } = await kubectl.get("cluster", "far");
      expect([metadata.annotations["karmada-pulumi/declared-by"], metadata.uid]).toEqual([declaredBy, cluster]);
      await allReady(kubectl, 1);
      expect([await pods(), (await agents()).length]).toEqual([web, 1]);
    };
    const letGo = async (of: TestStack, entry: object) => {
      of.config["members"] = [{ ...entry, handOver: true }];
      await of.up();
    };
    await letGo(stack, entry);
    stack.config["members"] = [];
    await stack.up();
    const next = await stack.beside("next", { program: "members", deployment: stack.name });
    const credentials = { kind: "kubeconfig", kubeconfig: await next.secret(lab.cluster.kubeconfig) };
    next.config["members"] = [{ ...entry, credentials }];
    await next.up();
    await stays("members/next");
    await letGo(next, { ...entry, credentials });
    await next.successfully(["destroy", "--yes", "--skip-preview"]);
    stack.config["members"] = [entry];
    await stack.up();
    await stays("karmada/test");
    await stack.up("--expect-no-changes");
  }, 300_000);

  test("it leaves, and its cluster is as it was, without what was propagated", async () => {
    stack.config["members"] = [];
    stack.config["membersMayLeave"] = ["far"];
    await stack.up();
    expect(await dump()).toEqual(before);
    expect((await kubectl.get("clusters")).items).toEqual([]);
  }, 180_000);

  test("a team joins it by a stack of its own: the control plane signs for its agent, and all of it goes with that stack", async () => {
    const team = await stack.beside("team", { program: "members", deployment: stack.name });
    const credentials = { kind: "kubeconfig", kubeconfig: await team.secret(lab.cluster.kubeconfig) };
    const agent = { kind: "inMember", server: `https://${lab.network.machine}:${wayPort}` };
    team.config["members"] = [{ name: "far", syncMode: "Pull", credentials, agent }];
    await team.up();
    const { members, versions, certificates } = await team.outputs<Outputs>();
    expect(members).toMatchObject([{ name: "far", syncMode: "Pull", ready: true }]);
    expect([Object.keys(versions), Object.keys(certificates)]).toEqual([["far-karmada-agent"], ["agent-far"]]);
    expect(await agents()).toHaveLength(1);
    await team.up("--expect-no-changes");
    await stack.up("--expect-no-changes");
    await team.successfully(["destroy", "--yes", "--skip-preview"]);
    expect(await dump()).toEqual(before);
    expect((await kubectl.get("clusters")).items).toEqual([]);
    await stack.up("--expect-no-changes");
  }, 300_000);

  test("karmadactl registers it with a token, and unregisters it, where that is granted", async () => {
    stack.config["members"] = [];
    stack.config["controlPlane"] = { karmadactlRegister: true };
    await stack.up();
    kubectl = await kubectls.to((await stack.outputs<Outputs>()).kubeconfig);
    const directory = await mkdtemp(join(tmpdir(), "karmadactl-"));
    try {
      const [plane, far] = ["plane", "far"].map((name) => join(directory, name)) as [string, string];
      await writeFile(plane, (await stack.outputs<Outputs>()).kubeconfig, { mode: 0o600 });
      await writeFile(far, lab.cluster.kubeconfig, { mode: 0o600 });
      const karmadactl = async (...args: string[]) =>
        (await execa(await programPath("karmadactl"), args, { timeout: 90_000 })).stdout;
      const printed = await karmadactl("token", "create", "--print-register-command", `--kubeconfig=${plane}`);
      const [, token, hash] = /--token (\S+) --discovery-token-ca-cert-hash (\S+)/.exec(printed)!;
      await karmadactl(
        ...["register", `${lab.network.machine}:${wayPort}`, `--kubeconfig=${far}`, "--cluster-name=far"],
        ...[`--token=${token}`, `--discovery-token-ca-cert-hash=${hash}`],
      );
      await allReady(kubectl, 1);
      await stack.up("--expect-no-changes");
      await karmadactl("unregister", "far", `--karmada-config=${plane}`, `--cluster-kubeconfig=${far}`);
      expect((await kubectl.get("clusters")).items).toEqual([]);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }, 300_000);

  test("a member that has died with its agent is let go of, and what is left in it is told", async () => {
    stack.config["members"] = [entry];
    await stack.up();
    await allReady(kubectl, 1);
    await lab.cluster.apiServer.kill();
    stack.config["members"] = [];
    const { text } = await stack.up();
    expect(text).toContain(`left there: namespace ${namespace} with the agent, which may still run`);
    expect((await kubectl.get("clusters")).items).toEqual([]);
    await lab.cluster.restart();
  }, 300_000);
});

/** A port that leads to another of loopback. */
async function lead(address: string, port: number, to: number): Promise<Server> {
  const server = createServer((client) => {
    const upstream = connect(to, "127.0.0.1");
    client.pipe(upstream).pipe(client);
    client.on("error", () => upstream.destroy()).on("close", () => upstream.destroy());
    upstream.on("error", () => client.destroy()).on("close", () => client.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, address, resolve);
  });
  return server;
}
