import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { connect } from "../../../lib/kube/client.ts";
import { deadlineIn, waitFor } from "../../../lib/wait.ts";
import { allowFileWatchers } from "../file-watchers.ts";
import { programPath } from "../programs.ts";
import { pauseImage } from "./images.ts";
import { cgroupsOf, killAll, makeCgroups, removeFiles, removeTree } from "./leftovers.ts";
import type { Network } from "./network.ts";
import { serviceDns } from "./objects.ts";

/** What the kubelet sets for the whole machine. */
const sysctls = ["vm.overcommit_memory", "kernel.panic", "kernel.panic_on_oops"];

/** containerd, kubelet and kube-proxy, and everything they leave behind. */
export class LabNode {
  readonly socket: string;
  readonly #directory: string;
  readonly #network: Network;
  readonly #domain: string;
  readonly #children: ChildProcess[] = [];
  readonly #before = new Map<string, string>();
  #forgetWatchers: () => void = () => {};

  /** @param domain DNS domain of Services */
  constructor(directory: string, network: Network, domain: string) {
    this.#directory = directory;
    this.#network = network;
    this.#domain = domain;
    this.socket = join(directory, "containerd.sock");
  }

  async startRuntime(): Promise<void> {
    for (const name of sysctls) this.#before.set(name, readFileSync(sysctlPath(name), "utf8"));
    this.#forgetWatchers = allowFileWatchers();
    const config = this.#write("containerd.toml", containerdConfig(this.#directory));
    // Every image is there; whatever is missing is not to be found anywhere.
    this.#write("certs.d/_default/hosts.toml", '[host."http://127.0.0.1:9"]\n  capabilities = ["pull", "resolve"]\n');
    this.#write("cni/10-lab.conflist", JSON.stringify(cniConfig(this.#directory, this.#network)));
    this.#start("containerd", "containerd", [`--config=${config}`]);
    await waitFor("containerd", deadlineIn(30), async () => {
      execFileSync("ctr", ["-a", this.socket, "version"], { stdio: "pipe" });
    });
  }

  async startKubelet(kubeconfig: string, clientAuthority: string): Promise<void> {
    const { name } = this.#network;
    makeCgroups(name);
    const config = this.#write("kubelet.yaml", stringify(this.#kubeletConfig(clientAuthority)));
    const proxy = this.#write("kube-proxy.yaml", stringify(proxyConfig(kubeconfig, this.#network)));
    this.#start("kube-proxy", await programPath("kube-proxy"), [`--config=${proxy}`]);
    this.#start("kubelet", await programPath("kubelet"), [
      `--config=${config}`,
      `--kubeconfig=${kubeconfig}`,
      `--hostname-override=${name}`,
      `--node-ip=${this.#network.node}`,
      `--root-dir=${join(this.#directory, "kubelet")}`,
      `--cert-dir=${join(this.#directory, "kubelet-pki")}`,
    ]);
    const client = await connect(readFileSync(kubeconfig, "utf8"));
    await waitFor("the node to be Ready", deadlineIn(60), async () => {
      const node = await client.get(`/api/v1/nodes/${name}`);
      const conditions = (node["status"]?.conditions ?? []) as { type: string; status: string; message: string }[];
      const ready = conditions.find(({ type }) => type === "Ready");
      if (ready?.status !== "True") throw new Error(ready?.message ?? "it has no condition");
    });
  }

  async stop(): Promise<void> {
    for (const child of this.#children.reverse()) await end(child);
    killAll(this.#directory, this.#network.name);
    const mounts = readFileSync("/proc/self/mountinfo", "utf8")
      .split("\n")
      .map((line) => line.split(" ")[4] ?? "")
      .filter((path) => path.startsWith(`${this.#directory}/`) && !path.endsWith("/net.ns"));
    for (const path of mounts.toSorted((a, b) => b.length - a.length)) execFileSync("umount", ["-l", path]);
    for (const root of cgroupsOf(this.#network.name)) await removeTree(root);
    for (const [name, value] of this.#before) writeFileSync(sysctlPath(name), value);
    this.#forgetWatchers();
    removeFiles(this.#directory, this.#network.name);
  }

  #start(name: string, program: string, args: readonly string[]): void {
    const log = openSync(join(this.#directory, `${name}.log`), "a");
    const [command, ...prefix] = this.#network.prefix;
    this.#children.push(spawn(command!, [...prefix, program, ...args], { stdio: ["ignore", log, log] }));
  }

  #write(path: string, content: string): string {
    const absolute = join(this.#directory, path);
    mkdirSync(join(absolute, ".."), { recursive: true });
    writeFileSync(absolute, content);
    return absolute;
  }

  #kubeletConfig(clientCAFile: string) {
    const directory = this.#directory;
    return {
      apiVersion: "kubelet.config.k8s.io/v1beta1",
      kind: "KubeletConfiguration",
      containerRuntimeEndpoint: `unix://${this.socket}`,
      cgroupDriver: "cgroupfs",
      cgroupRoot: `/${this.#network.name}`,
      failCgroupV1: false,
      failSwapOn: false,
      authentication: { anonymous: { enabled: false }, webhook: { enabled: false }, x509: { clientCAFile } },
      authorization: { mode: "AlwaysAllow" },
      address: this.#network.node,
      healthzBindAddress: "127.0.0.1",
      clusterDomain: this.#domain,
      clusterDNS: [serviceDns],
      // Never the machine's own.
      resolvConf: this.#write("resolv.conf", `nameserver ${serviceDns}\n`),
      podLogsDir: join(directory, "pod-logs"),
      volumePluginDir: join(directory, "volume-plugins"),
      // What is collected could not be pulled again.
      imageGCHighThresholdPercent: 100,
      imageGCLowThresholdPercent: 99,
      evictionHard: { "memory.available": "100Mi", "nodefs.available": "1Gi", "imagefs.available": "1Gi" },
      enforceNodeAllocatable: ["pods"],
    };
  }
}

const sysctlPath = (name: string) => `/proc/sys/${name.replaceAll(".", "/")}`;

const containerdConfig = (directory: string) => `version = 2
root = "${directory}/containerd/root"
state = "${directory}/containerd/state"
disabled_plugins = ["io.containerd.snapshotter.v1.aufs","io.containerd.snapshotter.v1.btrfs","io.containerd.snapshotter.v1.devmapper","io.containerd.snapshotter.v1.zfs","io.containerd.tracing.processor.v1.otlp"]
[grpc]
  address = "${directory}/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pauseImage}"
  disable_apparmor = true
  netns_mounts_under_state_dir = true
  restrict_oom_score_adj = true
  stream_server_address = "127.0.0.1"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    default_runtime_name = "runc"
    discard_unpacked_layers = true
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${directory}/cni"
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "${directory}/certs.d"
`;

const cniConfig = (directory: string, { name, pods }: Network) => ({
  cniVersion: "1.0.0",
  name,
  plugins: [
    {
      type: "bridge",
      bridge: "cni0",
      isGateway: true,
      ipMasq: true,
      hairpinMode: true,
      ipam: {
        type: "host-local",
        dataDir: join(directory, "cni-ipam"),
        ranges: [[{ subnet: pods }]],
        routes: [{ dst: "0.0.0.0/0" }],
      },
    },
  ],
});

const proxyConfig = (kubeconfig: string, { name, pods }: Network) => ({
  apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
  kind: "KubeProxyConfiguration",
  mode: "iptables",
  hostnameOverride: name,
  clusterCIDR: pods,
  clientConnection: { kubeconfig },
  healthzBindAddress: "127.0.0.1:10256",
  metricsBindAddress: "127.0.0.1:10249",
  // What conntrack is told would hold for the whole machine.
  conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" },
});

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}
