/** A host cluster without a connection: its pods run from what `npm run images` has put into one archive, and nothing else. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { jest } from "@jest/globals";
import { execa } from "execa";
import { stringify } from "yaml";
import { deadlineIn, waitFor } from "../../lib/wait.ts";
import { freePorts } from "../support/api-server.ts";
import { cleanUp } from "../support/clean-up.ts";
import { hasKubernetesLab, KubernetesLab } from "../support/kubernetes-lab.ts";
import { imageArchive } from "../support/kubernetes-lab/images.ts";
import { storageClass } from "../support/kubernetes-lab/objects.ts";
import { programPath } from "../support/programs.ts";
import { Programs, type Running } from "../support/running.ts";
import { type Json, type Kubectl, Kubectls } from "./support/kubectl.ts";
import { type StackConfig, TestStack } from "./support/stack.ts";

jest.setTimeout(300_000);

const checkout = join(import.meta.dirname, "../..");
const namespace = "karmada";
const describeLab = hasKubernetesLab() ? describe : describe.skip;

describeLab("a host cluster without a connection", () => {
  const kubectls = new Kubectls();
  let directory: string;
  let programs: Programs;
  let lab: KubernetesLab;
  let hostCluster: Kubectl;
  let stack: TestStack;
  let kubeconfig: string;
  let origin: Running;
  /** Registry and path that images come from where there is a connection. */
  let published: string;
  let listed: string[];

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "kubernetes-bundle-"));
    programs = new Programs(join(directory, "programs"));
    lab = new KubernetesLab(30, 29560);
    await lab.start([], 2);
    hostCluster = await kubectls.to(lab.cluster.kubeconfig);
    kubeconfig = programs.write("host.kubeconfig", lab.cluster.kubeconfig);
    const registry = await serve("127.0.0.1", "origin");
    origin = registry.running;
    published = `${registry.address}/upstream`;
    stack = await TestStack.create(configFor(published), 0);
  });

  afterAll(
    () =>
      cleanUp(
        () => kubectls.remove(),
        () => stack?.remove(),
        () => programs?.remove(),
        () => lab?.stop(),
        () => rmSync(directory, { recursive: true, force: true }),
      ),
    300_000,
  );

  /** Serves an empty registry of images. */
  async function serve(host: string, name: string): Promise<{ running: Running; address: string }> {
    const [port] = await freePorts(1);
    const address = `${host}:${port}`;
    mkdirSync(join(directory, name));
    const args = ["registry", "serve", "--address", address, "--disk", join(directory, name)];
    const running = await programs.start("crane", args, name);
    await waitFor(`the registry ${name}`, deadlineIn(30), () => fetch(`http://${address}/v2/`));
    return { running, address };
  }

  const configFor = (images: string): StackConfig => ({
    placement: {
      kind: "kubernetes",
      credentials: { kind: "kubeconfigFile", path: kubeconfig },
      namespace,
      storage: { storageClass },
      exposure: { kind: "nodePort", addresses: [lab.network.node], apiServer: 30443, etcd: 32379 },
      images: { karmada: images, kubernetes: images, etcd: images, node: `${images}/node:24-bookworm-slim` },
    },
    etcd: { kind: "managed", members: 1 },
    members: [],
  });

  const stackFile = (): string => {
    const entries = Object.entries(configFor(published)).map(([key, value]) => [`karmada:${key}`, value]);
    const file = join(directory, "Pulumi.bundle.yaml");
    writeFileSync(file, stringify({ config: Object.fromEntries(entries) }));
    return file;
  };

  const images = async (...args: string[]): Promise<string[]> => {
    const command = [join(checkout, "cli/images.ts"), ...args];
    const { stdout } = await execa("node", command, { cwd: checkout, preferLocal: true, localDir: checkout });
    return stdout.split("\n");
  };

  const archive = () => join(directory, "images.tar");

  /** What an archive says of an image: its digest. */
  async function digests(): Promise<Map<string, string>> {
    const { stdout } = await execa("tar", ["-xOf", archive(), "index.json"]);
    const { manifests } = JSON.parse(stdout) as {
      manifests: { digest: string; annotations: Record<string, string> }[];
    };
    return new Map(manifests.map((each) => [each.annotations["io.containerd.image.name"]!, each.digest]));
  }

  /** Every image that a container of the plane was started from, and which one it was. */
  async function running(): Promise<Map<string, string>> {
    const { items } = await hostCluster.get<{ items: Json[] }>("pods", "-n", namespace);
    const containers = items.flatMap(({ status }) => [
      ...(status.containerStatuses ?? []),
      ...(status.initContainerStatuses ?? []),
    ]);
    return new Map(containers.map(({ image, imageID }) => [image as string, imageID as string]));
  }

  const withoutNode = (names: Iterable<string>) => [...names].filter((name) => !name.includes("/node:")).sort();

  test("all images of a stack are pulled into one archive, of which the registry is gone afterwards", async () => {
    listed = await images("--file", stackFile());
    expect(listed).toHaveLength(8);
    for (const image of listed) {
      const made = await imageArchive(join(directory, "made"), [image]);
      await execa(await programPath("crane"), ["push", made, image]);
      rmSync(dirname(made), { recursive: true });
    }
    await images("--file", stackFile(), "--bundle", archive());
    await origin.kill();
    rmSync(join(directory, "origin"), { recursive: true });
    expect(await images("--from", archive())).toEqual(listed);
    expect([...(await digests()).keys()]).toEqual(listed);
  });

  test("a node that was given the archive itself needs no registry at all", async () => {
    const ctr = (...args: string[]) => execa("ctr", ["-a", lab.socket, "-n", "k8s.io", "images", ...args]);
    await ctr("import", archive());
    await stack.up();
    expect(withoutNode((await running()).keys())).toEqual(withoutNode(listed));
    await stack.successfully(["destroy", "--yes", "--skip-preview"]);
    // The next one begins with a node that has none of them.
    await ctr("rm", "--sync", ...listed);
  });

  test("a plane runs from it by a registry on the other side: each pod from what the archive has under that name", async () => {
    const { address } = await serve(lab.network.machine, "mirror");
    // What an operator tells containerd of a registry without TLS.
    const hosts = join(lab.directory, "certs.d", address, "hosts.toml");
    mkdirSync(dirname(hosts), { recursive: true });
    writeFileSync(
      hosts,
      `server = "http://${address}"\n[host."http://${address}"]\n  capabilities = ["pull", "resolve"]\n`,
    );
    const there = await images("--from", archive(), "--to", `${address}/karmada`, "--plain-http");
    expect(there).toEqual(listed.map((image) => image.replace(published, `${address}/karmada`)));
    stack.config = configFor(`${address}/karmada`);
    await stack.up();
    const found = await running();
    expect(withoutNode(found.keys())).toEqual(withoutNode(there));
    const wanted = await digests();
    for (const [image, id] of found)
      expect([image, id.split("@")[1]]).toEqual([image, wanted.get(image.replace(`${address}/karmada`, published))]);
    await stack.up("--expect-no-changes");
  });
});
