/** A real Kubernetes cluster of one node on this machine, in a network of its own that leads nowhere else and keeps to NetworkPolicies. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { deadlineIn, waitFor } from "../../lib/wait.ts";
import { startCluster, type Cluster } from "./cluster.ts";
import { createAuthority } from "./certificates.ts";
import { startEtcd } from "./etcd.ts";
import { importImages } from "./kubernetes-lab/images.ts";
import { commandOf, processesInPods } from "./kubernetes-lab/leftovers.ts";
import { Network } from "./kubernetes-lab/network.ts";
import { NetworkPolicies } from "./kubernetes-lab/network-policies.ts";
import { LabNode } from "./kubernetes-lab/node.ts";
import { objectsOf, serviceApi } from "./kubernetes-lab/objects.ts";
import { Programs } from "./running.ts";

/** Whether the tests that need it, and these Debian packages, can run; in CI it must be there. */
export function hasKubernetesLab(packages: readonly string[] = []): boolean {
  const missing = missingForLab(packages);
  if (missing === undefined) return true;
  const consequence = `${missing}: programs in a host cluster are NOT tested`;
  if (process.env["CI"]) throw new Error(consequence);
  process.stderr.write(`\n*** ${consequence} ***\n\n`);
  return false;
}

function missingForLab(packages: readonly string[]): string | undefined {
  if (process.arch !== "x64") return `a lab of a host cluster needs x64, this is ${process.arch}`;
  if (process.getuid?.() !== 0) return "a lab of a host cluster needs root";
  const absent = ["containerd", "ctr", "runc", "iptables", "ip", "nsenter", ...packages].filter(
    (program) => !["/usr/bin", "/usr/sbin", "/sbin", "/bin"].some((path) => existsSync(join(path, program))),
  );
  if (!existsSync("/usr/lib/cni/bridge")) absent.push("/usr/lib/cni/bridge");
  if (absent.length === 0) return undefined;
  return `${absent.join(", ")} not found (Debian: apt install ${["containerd runc containernetworking-plugins iptables iproute2", ...packages].join(" ")})`;
}

/** The node is `<network>.10`; this machine is `<network>.1` to it and to every pod. */
export class KubernetesLab {
  readonly directory = mkdtempSync(join(tmpdir(), "kubernetes-lab-"));
  readonly network: Network;
  readonly #programs = new Programs(this.directory);
  readonly #port: number;
  readonly #accounts: boolean;
  readonly #domain: string;
  #node: LabNode | undefined;
  #cluster: Cluster | undefined;
  #policies: NetworkPolicies | undefined;

  /**
   * @param number between 1 and 254, one for each lab that is there at the same time
   * @param port first of ten on this machine
   * @param accounts whether pods come to the API server, by its Service and as their service account
   * @param domain DNS domain of its Services
   */
  constructor(number: number, port: number, accounts = false, domain = "cluster.local") {
    this.network = new Network(number, this.directory);
    this.#port = port;
    this.#accounts = accounts;
    this.#domain = domain;
  }

  get cluster(): Cluster {
    if (this.#cluster === undefined) throw new Error("the lab has not been started");
    return this.#cluster;
  }

  /** Of its containerd. */
  get socket(): string {
    if (this.#node === undefined) throw new Error("the lab has not been started");
    return this.#node.socket;
  }

  /** Returns when pods run, names are answered, and there are `volumes` for members of etcd. */
  async start(images: readonly string[], volumes: number): Promise<void> {
    const programs = this.#programs;
    this.network.up();
    const kubelets = await createAuthority("kubelets");
    const client = await kubelets.issue({ commonName: "kube-apiserver" });
    const etcd = await startEtcd(programs, this.#port);
    const cluster = await startCluster(programs, etcd, {
      name: "host",
      port: this.#port + 4,
      address: this.network.machine,
      hosts: [serviceApi],
      flags: {
        "allow-privileged": true,
        ...(this.#accounts && { "endpoint-reconciler-type": "lease", "disable-admission-plugins": "" }),
        // Its name is known to nobody.
        "kubelet-preferred-address-types": "InternalIP",
        "kubelet-client-certificate": programs.write("kubelet-client.crt", client.certificate),
        "kubelet-client-key": programs.write("kubelet-client.key", client.key),
      },
    });
    this.#cluster = cluster;
    const kubeconfig = programs.write("admin.kubeconfig", cluster.kubeconfig);
    await programs.start("kube-scheduler", {
      kubeconfig,
      "bind-address": "127.0.0.1",
      "secure-port": this.#port + 6,
      "cert-dir": this.directory,
      "leader-elect": false,
    });
    this.#node = new LabNode(this.directory, this.network, this.#domain);
    await this.#node.startRuntime();
    await importImages(this.directory, this.#node.socket, images);
    await this.#node.startKubelet(kubeconfig, programs.write("kubelets.crt", kubelets.certificate));
    this.#policies = new NetworkPolicies(cluster.client, this.network);
    for (let i = 0; i < volumes; i++) mkdirSync(join(this.directory, "volumes", String(i)), { recursive: true });
    for (const { path, body } of objectsOf(cluster, this.#domain, join(this.directory, "volumes"), volumes))
      await cluster.client.apply(path, body);
    await waitFor("names to be answered in the lab", deadlineIn(120), async () => {
      const deployment = await cluster.client.get("/apis/apps/v1/namespaces/kube-system/deployments/coredns");
      if (!(deployment["status"]?.readyReplicas > 0)) throw new Error(JSON.stringify(deployment["status"]));
    });
  }

  /** What a command begins with that is to run in the network of the pod whose program has this argument. */
  inPodWith(argument: string): readonly string[] {
    const pid = processesInPods(this.network.name).find((each) => commandOf(each).split("\0").includes(argument));
    if (pid === undefined) throw new Error(`no pod runs anything with ${argument}`);
    return inNetworkOf(pid);
  }

  /** Whether the pod that runs a program can connect to a port of another pod. */
  async reaches(program: string, address: string, port: number): Promise<boolean> {
    const pid = processesInPods(this.network.name).find(
      (each) => commandOf(each).split("\0")[0]?.split("/").at(-1) === program,
    );
    if (pid === undefined) throw new Error(`no pod runs ${program}`);
    const dial = ["timeout", "2", "bash", "-c", `</dev/tcp/${address}/${port}`];
    const [enter, ...args] = [...inNetworkOf(pid), ...dial];
    const { exitCode } = await execa(enter!, args, {
      stdin: "ignore",
      reject: false,
      timeout: 5000,
    });
    return exitCode === 0;
  }

  /** Kills the program of a pod that has this argument. */
  kill(argument: string): void {
    const pid = processesInPods(this.network.name).find((each) => commandOf(each).split("\0").includes(argument));
    if (pid === undefined) throw new Error(`no pod runs anything with ${argument}`);
    process.kill(Number(pid), "SIGKILL");
  }

  async stop(): Promise<void> {
    await this.#policies?.stop();
    await this.#node?.stop();
    await this.#programs.stop();
    this.network.down();
    execFileSync("sync", ["-f", tmpdir()]);
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 20 });
  }
}

const inNetworkOf = (pid: number): readonly string[] => ["nsenter", `--net=/proc/${pid}/ns/net`, "--"];
