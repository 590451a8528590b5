/** A Karmada of an installer other than karmadactl is taken over: where it is, and then by a plane beside it. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { parse, stringify } from "yaml";
import { connect, type KubeClient, type KubeObject } from "../../../lib/kube/client.ts";
import { deadlineIn } from "../../../lib/wait.ts";
import { cleanUp } from "../../support/clean-up.ts";
import { startCluster } from "../../support/cluster.ts";
import { startEtcd } from "../../support/etcd.ts";
import { KubernetesLab } from "../../support/kubernetes-lab.ts";
import { labImages } from "../../support/kubernetes-lab/images.ts";
import { storageClass } from "../../support/kubernetes-lab/objects.ts";
import { programPath } from "../../support/programs.ts";
import { Programs } from "../../support/running.ts";
import { CopiedCheckout } from "./copied-checkout.ts";
import type { Installer, Site } from "./installers/installer.ts";
import { Kubectls } from "./kubectl.ts";
import { type Identities, Propagation } from "./propagation.ts";
import { resourceVersions } from "./resource-versions.ts";

/** A number and ports that no other lab of a test has. */
export interface Place {
  readonly number: number;
  readonly labPort: number;
  readonly memberPort: number;
}

interface Step {
  readonly op: string;
  readonly urn: string;
}

/** Declares the steps; each goes on from the one before. */
export function testAdoptionOf(installer: Installer, { number, labPort, memberPort }: Place): void {
  const { namespace, scheduler, maker } = installer;
  const kubectls = new Kubectls();
  let copy: CopiedCheckout;
  let programs: Programs;
  let lab: KubernetesLab;
  let site: Site;
  let host: KubeClient;
  /** By the kubeconfig that the installer wrote. */
  let plane: KubeClient;
  let propagation: Propagation;
  let before: Identities;
  let deleted: Promise<string[]>;
  let stopWatching: () => void;

  beforeAll(async () => {
    copy = await CopiedCheckout.make("karmada-adoption-of");
    programs = new Programs(join(copy.directory, "programs"));
    lab = new KubernetesLab(number, labPort, true);
    await lab.start([...labImages, ...installer.images], 2);
    host = lab.cluster.client;
    const kubeconfig = programs.write("host.kubeconfig", lab.cluster.kubeconfig);
    site = { lab, kubeconfig, kubectl: await kubectls.to(lab.cluster.kubeconfig), directory: copy.directory };
    const admin = await installer.install(site);
    plane = await connect(admin);
    const etcd = await startEtcd(programs, memberPort);
    const options = { name: "one", port: memberPort + 10, address: lab.network.machine };
    const one = await startCluster(programs, etcd, options);
    const files = [
      `--kubeconfig=${programs.write("admin.kubeconfig", admin)}`,
      `--cluster-kubeconfig=${programs.write("one.kubeconfig", one.kubeconfig)}`,
    ];
    await execa(await programPath("karmadactl"), ["join", "one", ...files]);
    propagation = new Propagation(5, { one: one.client });
    await propagation.ready(plane, deadlineIn(90));
    await propagation.begin(plane);
    before = await propagation.identities(plane);
    ({ deleted, stopWatching } = propagation.watchDeletions(deadlineIn(1500)));
  }, 500_000);

  afterAll(async () => {
    stopWatching?.();
    await cleanUp(
      () => kubectls.remove(),
      () => lab?.stop(),
      () => programs?.remove(),
      () => copy?.remove(),
    );
  }, 200_000);

  const adopt = (stack: string, ...more: string[]) => [
    ...["run", "adopt", "--", "--kubeconfig", site.kubeconfig, "--namespace", namespace, "--stack", stack],
    ...more,
  ];
  const pulumi = (stack: string, subcommand: string, ...more: string[]) => [
    ...["run", "--silent", "pulumi", "--", subcommand, "--stack", stack, "--non-interactive"],
    ...more,
  ];
  const up = (stack: string, ...more: string[]) =>
    copy.succeed(...pulumi(stack, "up", "--yes", "--skip-preview", ...more));

  /** What a preview would do, by the object's kind and name; what stays the same is left out. */
  async function planned(stack: string): Promise<Record<string, string>> {
    const { exitCode, stdout, text } = await copy.npm(...pulumi(stack, "preview", "--json"));
    if (exitCode !== 0) throw new Error(text);
    const { steps } = JSON.parse(stdout.slice(stdout.indexOf("{"))) as { steps: Step[] };
    return Object.fromEntries(
      steps.filter(({ op }) => op !== "same").map(({ urn, op }) => [urn.split("::").at(-1)!, op]),
    );
  }

  const manifests = () => join(copy.path, "adopted/in-place");

  test("where it is: the first preview imports all of it and changes nothing, and the first up writes nothing", async () => {
    const versions = await resourceVersions(host);
    const said = await copy.succeed(...adopt("in-place", "--in-place"));
    expect(said).toContain(`a Karmada that ${maker} built in namespace ${namespace}; nothing was changed there`);
    expect(said).toContain("member one: Push");
    const names = (await readdir(manifests())).map((file) => file.slice(0, -5));
    const { items: deployments } = await host.get<{ items: KubeObject[] }>(
      `/apis/apps/v1/namespaces/${namespace}/deployments`,
    );
    expect(names).toEqual(
      expect.arrayContaining(deployments.map(({ metadata }) => `deployment-${metadata?.name ?? ""}`)),
    );
    const { "karmada-in-place": itself, "host-cluster": provider, ...objects } = await planned("in-place");
    expect([itself, provider]).toEqual(["create", "create"]);
    expect(objects).toEqual(Object.fromEntries(names.map((name) => [name, "import"])));
    await up("in-place");
    await up("in-place", "--refresh", "--expect-no-changes");
    expect(await resourceVersions(host)).toEqual(versions);
  });

  test("a flag is an edit, rolled out and waited for; everything else stays", async () => {
    await installer.letGo?.(site);
    const versions = await resourceVersions(host);
    const path = join(manifests(), `deployment-${scheduler}.yaml`);
    const object = parse(await readFile(path, "utf8")) as KubeObject;
    object["spec"].template.spec.containers[0].command.push("--kube-api-qps=50");
    await writeFile(path, stringify(object));
    expect(await planned("in-place")).toEqual({ [`deployment-${scheduler}`]: "update" });
    await up("in-place");
    const { metadata, spec, status } = await host.get(`/apis/apps/v1/namespaces/${namespace}/deployments/${scheduler}`);
    expect(spec?.template.spec.containers[0].command).toContain("--kube-api-qps=50");
    expect(status).toMatchObject({ observedGeneration: metadata?.generation, updatedReplicas: 1, readyReplicas: 1 });
    const after = await resourceVersions(host);
    const touched = Object.keys(versions).filter((each) => versions[each] !== after[each]);
    expect(touched.filter((each) => !each.includes(scheduler))).toEqual([]);
    await up("in-place", "--expect-no-changes");
    await propagation.add(plane, "after-an-edit");
  });

  test("the stack lets go of it by a destroy, and it notices nothing", async () => {
    const versions = await resourceVersions(host);
    await copy.succeed("run", "destroy", "--", "--stack", "in-place");
    expect(await resourceVersions(host)).toEqual(versions);
    expect(await propagation.identities(plane)).toEqual(before);
  });

  test("beside it: what would become of each part is said, and a stack file written, its keys encrypted", async () => {
    const look = await copy.succeed(...adopt("beside", "--look"));
    expect(look).toContain(`a Karmada that ${maker} built in namespace ${namespace}; nothing was changed or written`);
    expect(look).toContain(`${scheduler} 1.18.2, 1 of it, with --kube-api-qps=50`);
    expect(await copy.succeed(...adopt("beside"))).toMatch(/snapshot: \d+ keys at revision \d+/);
    const file = join(copy.path, "Pulumi.beside.yaml");
    const text = await readFile(file, "utf8");
    expect(text).not.toMatch(/PRIVATE KEY|LS0tLS1CRUdJTi/);
    const { config } = parse(text) as { config: Record<string, any> }; // eslint-disable-line @typescript-eslint/no-explicit-any -- a stack file
    expect(config["karmada:versions"]).toEqual({ karmada: "1.18.2", kubernetes: "1.35.3", etcd: "3.6.6" });
    expect(config["karmada:members"]).toMatchObject([{ name: "one" }]);
    config["karmada:placement"].storage = { storageClass };
    config["karmada:snapshots"] = { beforeChange: "never" };
    await writeFile(file, stringify({ ...parse(text), config }));
  });

  test("fenced and brought up beside: everything is who it was, and goes on by the kubeconfig of before", async () => {
    const { text } = await copy.npm(...pulumi("beside", "preview"));
    expect(text).toMatch(new RegExp(`NodePort \\d+ is taken by the Service ${namespace}/`));
    await copy.succeed(...adopt("beside", "--fence", "--yes"));
    await up("beside");
    await propagation.ready(plane, deadlineIn(120));
    expect(await propagation.identities(plane)).toEqual(before);
    expect(await plane.find("/api/v1/namespaces/default/configmaps/after-an-edit")).toBeDefined();
    await propagation.add(plane, "taken-over", 180);
    await up("beside", "--expect-no-changes");
    stopWatching();
    expect(await deleted).toEqual([]);
  });
}
