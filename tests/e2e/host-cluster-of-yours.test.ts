/**
 * The shortest way through a host cluster, in whichever one there is: that of `KARMADA_TEST_HOST_CLUSTER`, a kubeconfig (kind, k3d,
 * a real one, which pulls upstream's images), else one that is made here. Its first node has to be reached at its address, and it
 * has to have a default storage class.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { connect, type KubeClient } from "../../lib/kube/client.ts";
import { nodeAddresses } from "../../cli/adopt/host-cluster.ts";
import { cleanUp } from "../support/clean-up.ts";
import { hasKubernetesLab, KubernetesLab } from "../support/kubernetes-lab.ts";
import { labImages } from "../support/kubernetes-lab/images.ts";
import { storageClass } from "../support/kubernetes-lab/objects.ts";
import { type Kubectl, Kubectls } from "./support/kubectl.ts";
import { TestStack } from "./support/stack.ts";

jest.setTimeout(600_000);

const yours = process.env["KARMADA_TEST_HOST_CLUSTER"];
const namespace = `karmada-test-${process.pid}`;
const describeThere = yours !== undefined || hasKubernetesLab() ? describe : describe.skip;

describeThere("a host cluster, whoever made it", () => {
  const kubectls = new Kubectls();
  let directory: string;
  let lab: KubernetesLab | undefined;
  let stack: TestStack;
  let hostCluster: Kubectl;
  let before: string;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "host-cluster-of-yours-"));
    const kubeconfig = yours === undefined ? await made() : readFileSync(yours, "utf8");
    hostCluster = await kubectls.to(kubeconfig);
    const [addresses = []] = await nodeAddresses(await connect(kubeconfig));
    stack = await TestStack.create({}, 0);
    stack.config = {
      placement: {
        kind: "kubernetes",
        credentials: { kind: "kubeconfig", kubeconfig: await stack.secret(kubeconfig) },
        namespace,
        exposure: { kind: "nodePort", addresses: addresses.slice(0, 1), apiServer: 30643, etcd: 32579 },
      },
      etcd: { kind: "managed", members: 1 },
      members: [],
    };
    before = await left();
  });

  afterAll(
    () =>
      cleanUp(
        () => kubectls.remove(),
        () => stack?.remove(),
        () => lab?.stop(),
        () => rmSync(directory, { recursive: true, force: true }),
      ),
    300_000,
  );

  /** @returns its kubeconfig */
  async function made(): Promise<string> {
    lab = new KubernetesLab(32, 29600);
    await lab.start(labImages, 1);
    await preferStorage(lab.cluster.client);
    return lab.cluster.kubeconfig;
  }

  /** What would outlive a namespace, by name. */
  const left = () => hostCluster(["get", "namespaces,clusterroles,clusterrolebindings,crds,apiservices", "-o", "name"]);

  test("one up from nothing, by volumes of its default storage class, and another finds nothing to do", async () => {
    await stack.up();
    const { kubeconfig } = await stack.outputs<{ kubeconfig: string }>();
    const kubectl = await kubectls.to(kubeconfig);
    expect(await kubectl(["get", "--raw", "/readyz"])).toBe("ok");
    expect(await kubectl(["get", "clusters", "-o", "name"])).toBe("");
    await stack.up("--expect-no-changes");
    await stack.refresh("--expect-no-changes");
  });

  test("a flag is rolled out by an edit", async () => {
    stack.config["controlPlane"] = { "karmada-scheduler": { logLevel: 3 } };
    await stack.up();
    const { spec, status } = await hostCluster.get("deployment", "karmada-scheduler", "-n", namespace);
    expect(JSON.stringify(spec.template.spec.containers)).toContain("--v=3");
    expect(status.updatedReplicas).toBe(spec.replicas);
  });

  test("destroy leaves nothing", async () => {
    await stack.successfully(["destroy", "--yes", "--skip-preview"], { timeoutSeconds: 300 });
    expect(await left()).toBe(before);
  });
});

/** Makes a class the one that is taken where none is named. */
const preferStorage = (client: KubeClient) =>
  client.merge(`/apis/storage.k8s.io/v1/storageclasses/${storageClass}`, {
    metadata: { annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
  });
