import * as pulumi from "@pulumi/pulumi";
import type { EtcdRuntimeAddress } from "../../lib/etcd/runtime/runtime.ts";
import type { HostAddress } from "../../lib/hosts/address.ts";
import { hostProcessPaths } from "../../lib/hosts/layout.ts";
import { HostPreflight } from "../../providers/host-preflight.ts";
import { HostPreparedProcess } from "../../providers/host-prepared-process.ts";
import { HostProcess } from "../../providers/host-process.ts";
import type { HostsPlacement as Settings } from "../../spec/deployment.ts";
import { overridesIn } from "../../spec/etcd/overrides.ts";
import { endpointOfLoadBalancer } from "../../spec/placement/load-balancer.ts";
import { seconds } from "../../spec/values/units.ts";
import type { Pki } from "../pki.ts";
import type {
  FileContents,
  Front,
  FrontOptions,
  Nearest,
  PlacedProcess,
  Placement,
  PreparedProcess,
} from "../placement.ts";
import { filled, type Process, type Ref, type Text, type ToolchainProgram, urlsOf } from "../process.ts";
import { environmentOf } from "./environment.ts";
import type { HookVersions } from "./hooks.ts";
import { hooksOnHosts } from "./hosts-hooks.ts";
import { HostsLayout, type LaidOut } from "./hosts-layout.ts";
import { HostsLoadBalancer } from "./hosts-load-balancer.ts";
import { HostsPorts, withoutNumber } from "./hosts-ports.ts";
import { hostsProbe } from "./hosts-probe.ts";
import { HostsPrograms } from "./hosts-programs.ts";
import { hostsRuntime, withLeft } from "./hosts-runtime.ts";
import { turnAfter } from "./hosts-turn.ts";
import { unitOf } from "./hosts-unit.ts";
import { foreignNames, wantedOf } from "./hosts-wanted.ts";
import { limitVariables } from "./limits.ts";

type Secret = pulumi.Output<string>;

/** A deployment on hosts. */
export type OnHosts = LaidOut<Secret> & { readonly versions: HookVersions };

/** Places every process on hosts, as a systemd service with its own user and sandbox. */
export function hostsPlacement(deployment: OnHosts): Placement {
  return new HostsPlacement(deployment);
}

/**
 * All hosts are checked before anything is put on one of them. A program is sent once to each host that runs it. What
 * serves others listens on every address of its host, with certificates for the one it is known by.
 */
class HostsPlacement extends pulumi.ComponentResource implements Placement {
  readonly endpoint?: string;
  readonly hooks: NonNullable<Placement["hooks"]>;
  readonly inTurn = (before: pulumi.Resource) => turnAfter(before, this.preflight);
  private readonly name: string;
  private readonly layout: HostsLayout;
  private readonly ports: HostsPorts;
  private readonly addresses: ReadonlyMap<string, pulumi.Output<HostAddress>>;
  private readonly settings: Settings<Secret>;
  private readonly programs: HostsPrograms;
  private readonly preflight: HostPreflight;

  constructor(deployment: OnHosts) {
    const { name, placement, etcd } = deployment;
    super("karmada:placement:Hosts", `${name}-hosts`, {});
    const endpoint = endpointOfLoadBalancer(placement.loadBalancer);
    if (endpoint !== undefined) this.endpoint = endpoint;
    this.name = name;
    this.settings = placement;
    this.layout = new HostsLayout(deployment);
    this.ports = new HostsPorts(overridesIn(etcd), (process) => this.layout.hostOf(process).name);
    const address = ({ name, login }: (typeof placement.hosts)[number]) =>
      pulumi.output({ name, ...login }) as pulumi.Output<HostAddress>;
    this.addresses = new Map(placement.hosts.map((host) => [host.name, address(host)]));
    this.preflight = this.lookAtAll(foreignNames(deployment));
    this.hooks = hooksOnHosts(deployment, this.preflight);
    this.programs = new HostsPrograms(name, (host) => this.addressOf(host), placement.mirror, {
      parent: this,
      dependsOn: this.preflight,
    });
    this.registerOutputs({});
  }

  host(process: string): string {
    return this.layout.hostOf(process).login.address;
  }

  port(process: string, port: string): number {
    return this.ports.number(process, port);
  }

  nearest(processes: readonly string[], port: string, clients: readonly string[]): Nearest {
    const [first = ""] = processes;
    const leading = this.layout.leadingBesideAll(clients);
    const led = leading === undefined ? undefined : this.ports.of(leading)[withoutNumber(first)];
    if (led !== undefined) return { host: loopbackAddress, port: led };
    const hosts = processes.map((process) => this.host(process));
    const isBesideEach = clients.every((client) => hosts.includes(this.host(client)));
    const host = isBesideEach ? loopbackAddress : this.host(first);
    return { host, port: this.port(first, port) };
  }

  placeFront(
    name: string,
    haproxies: readonly Process[],
    pki: Pki,
    { parent, dependsOn }: FrontOptions,
  ): Front | undefined {
    const { hosts, loadBalancer: settings } = this.settings;
    if (settings.kind !== "haproxy" || this.endpoint === undefined) return undefined;
    const addresses = new Map(hosts.map(({ name, login }) => [name, login.address]));
    const args = { settings, addresses, haproxies, preflight: this.preflight, placement: this, pki, dependsOn };
    return { url: this.endpoint, ready: new HostsLoadBalancer(name, args, { parent }).ready };
  }

  text(process: Process, text: Text): string {
    return filled(text, (ref) => this.resolve(process, ref));
  }

  executable(program: ToolchainProgram, process: Process): pulumi.Output<string> {
    return this.programs.path(this.hostName(process.name), program);
  }

  hostName(process: string): string {
    return this.layout.hostOf(process).name;
  }

  hostOf(process: Process): pulumi.Output<HostAddress> {
    return this.addressOf(this.hostName(process.name));
  }

  place(
    process: Process,
    files: FileContents,
    opts: pulumi.CustomResourceOptions,
    follows?: pulumi.Output<string>,
  ): PlacedProcess {
    const { version, dependsOn, ...declared } = this.inputsOf(process, files);
    const resource = new HostProcess(
      `${this.name}-${process.name}`,
      {
        ...declared,
        ...(follows !== undefined && { follows }),
        probe: hostsProbe(process, (port) => this.port(process.name, port)),
        startSeconds: seconds(process.startDeadline),
      },
      pulumi.mergeOptions(opts, { dependsOn }),
    );
    return { resource, version };
  }

  prepare(process: Process, files: FileContents, opts: pulumi.CustomResourceOptions): PreparedProcess {
    const { version, dependsOn, ...declared } = this.inputsOf(process, files);
    const resource = new HostPreparedProcess(
      `${this.name}-${process.name}`,
      declared,
      pulumi.mergeOptions(opts, { dependsOn }),
    );
    return { resource, version, revision: resource.revision };
  }

  etcdRuntime(): pulumi.Output<EtcdRuntimeAddress> {
    return hostsRuntime(this.layout, this.addresses);
  }

  restoreRuntime(): pulumi.Output<EtcdRuntimeAddress> {
    return withLeft(this.name, hostsRuntime(this.layout, this.addresses), this.preflight);
  }

  /** What is of this stack has its port numbers before what serves teams, whose members come and go by themselves. */
  private lookAtAll(names: readonly string[]): HostPreflight {
    for (const host of this.settings.hosts) for (const process of this.layout.processesOn(host)) this.ports.of(process);
    const wanted = this.settings.hosts.map((host) => [
      host.name,
      { address: this.addressOf(host.name), ...wantedOf(host, this.settings, this.layout, this.ports, names) },
    ]);
    return new HostPreflight(
      `${this.name}-preflight`,
      { deployment: this.name, hosts: pulumi.output(Object.fromEntries(wanted)), left: {} },
      { parent: this },
    );
  }

  private inputsOf(process: Process, contents: FileContents) {
    const { name, component, limits, rereads } = process;
    const { name: host, etcdDirectory } = this.layout.hostOf(name);
    const { dependsOn, args, settings, ...program } = this.programs.run(host, process);
    return {
      host: this.addressOf(host),
      name,
      deployment: this.name,
      component,
      ...program,
      args: [...args, ...process.args.map((arg) => this.text(process, arg))],
      env: { ...limitVariables(limits), ...environmentOf(this, process) },
      contents,
      ...(rereads !== undefined && { rereads }),
      ...unitOf(process, this.settings.etcdIo, settings),
      ...(component === "etcd" && etcdDirectory !== undefined && { dataDirectory: etcdDirectory }),
      dependsOn: [this.preflight, ...dependsOn],
    };
  }

  private resolve(process: Process, ref: Ref): string {
    const paths = hostProcessPaths(process.name);
    switch (ref.ref) {
      case "file":
        return paths.file(ref.file);
      case "data":
        return paths.data + (ref.path === undefined ? "" : `/${ref.path}`);
      case "bind":
        return "0.0.0.0";
      case "loopback":
        return loopbackAddress;
      case "host":
        return this.host(ref.process ?? process.name);
      case "front":
        return this.endpoint
          ? new URL(this.endpoint).host
          : `${this.host(ref.process)}:${this.port(ref.process, ref.port)}`;
      case "urls": {
        const beside = this.layout.etcdProxyBeside(process.name, ref.processes);
        if (beside === undefined) return urlsOf(this, ref);
        return `https://${loopbackAddress}:${this.port(beside.name, beside.port)}`;
      }
      case "port":
        return String(this.port(ref.process ?? process.name, ref.port));
    }
  }

  private addressOf(host: string): pulumi.Output<HostAddress> {
    const address = this.addresses.get(host);
    if (address === undefined) throw new Error(`there is no host ${host}`);
    return address;
  }
}

const loopbackAddress = "127.0.0.1";
