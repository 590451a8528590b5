import { type ComponentName, componentNames, memberProgramNames } from "../../spec/control-plane/component-names.ts";
import { kmsOf, socketOf } from "../../spec/control-plane/encryption-kms.ts";
import type { Deployment, HostsPlacement } from "../../spec/deployment.ts";
import { hostsOfOverride } from "../../spec/etcd/hosts.ts";
import {
  allMembersIn,
  firstKind,
  mostMembers,
  overrideMembers,
  overrideOf,
  overridesIn,
} from "../../spec/etcd/overrides.ts";
import { chosenHost } from "../../spec/placement/chosen-host.ts";
import { hostsOf } from "../../spec/placement/hosts.ts";
import { estimatedOfTeams } from "../fleet.ts";
import { apiserverName } from "../processes/control-plane.ts";
import { etcdBackupName } from "../processes/etcd-backup.ts";
import { etcdProxyName } from "../processes/etcd-proxy.ts";
import { haproxyName } from "../processes/haproxy.ts";
import { agentName } from "../processes/karmada-agent.ts";
import { estimatorName } from "../processes/karmada-scheduler-estimator.ts";
import { keepalivedName } from "../processes/keepalived.ts";
import { withoutNumber } from "./hosts-ports.ts";

/** What the layout of a deployment depends on; an etcd by itself has neither a control plane nor what serves members. */
export type LaidOut<Secret = unknown> = Pick<Deployment<Secret>, "name" | "etcd" | "snapshots"> &
  (Pick<Deployment<Secret>, "controlPlane" | "members" | "teamMembers"> | { readonly controlPlane?: never }) & {
    readonly placement: HostsPlacement<Secret>;
  };

type Host = HostsPlacement<unknown>["hosts"][number];

/** An etcd that proxies lead to. */
export interface ProxiedEtcd {
  /** Name of the proxies' port. */
  readonly port: string;
  readonly members: readonly string[];
}

/**
 * Which process is on which host, by its name alone: each member of an etcd where its operator wants it; the replicas
 * of a component on its hosts in turn, in the order of the list; programs that serve a cluster on one of them, chosen
 * by the cluster's name; the backup program beside the first member of etcd; the load balancer's programs and etcd
 * proxies on the host in their name.
 */
export class HostsLayout {
  private readonly hosts: readonly Host[];
  private readonly deployment: LaidOut;

  constructor(deployment: LaidOut) {
    this.deployment = deployment;
    this.hosts = deployment.placement.hosts;
  }

  hostOf(process: string): Host {
    const host =
      this.hosts.find((host) => host.etcd === process || ofHost(host).includes(process)) ??
      this.ofOverride(process) ??
      this.named(process);
    if (host === undefined) throw new Error(`${process}: no host is meant for it`);
    return host;
  }

  /**
   * The proxy on a process's host for all members of an etcd, and its port: a program that connected to them itself
   * would miss everything it watches for up to 40 s at a member whose host has lost power.
   */
  etcdProxyBeside(process: string, members: readonly string[]): { name: string; port: string } | undefined {
    const name = etcdProxyName(this.hostOf(process).name);
    const port = this.proxiedEtcds().find((each) => each.members.join() === members.join())?.port;
    return port !== undefined && this.etcdProxies().includes(name) ? { name, port } : undefined;
  }

  /** The haproxy for servers behind the API servers on the first client's host, if every client has one beside it. */
  leadingBesideAll(clients: readonly string[]): string | undefined {
    const { loadBalancer } = this.deployment.placement;
    const hosts = clients.map((client) => this.hostOf(client).name);
    const leads = loadBalancer.kind === "haproxy" && hosts.every((host) => loadBalancer.hosts.includes(host));
    return leads && hosts[0] !== undefined ? haproxyName(hosts[0]) : undefined;
  }

  /** The etcds with more than one member, and the port of the proxies for them. */
  proxiedEtcds(): ProxiedEtcd[] {
    const { etcd } = this.deployment;
    if (etcd.kind !== "managed") return [];
    const parts = overridesIn(etcd).map((each) => ({ port: firstKind(each), members: overrideMembers(each) }));
    return [{ port: "etcd", members: etcd.members }, ...parts].filter(({ members }) => members.length > 1);
  }

  /** On each host with haproxy and a program that keeps connections to several members. */
  etcdProxies(): string[] {
    const { loadBalancer } = this.deployment.placement;
    if (this.proxiedEtcds().length === 0 || loadBalancer.kind !== "haproxy") return [];
    const clients = this.replicas().filter((process) => keepingConnections.has(componentOf(process)));
    const hosts = new Set(clients.map((process) => this.hostOf(process).name));
    return loadBalancer.hosts.filter((host) => hosts.has(host)).map(etcdProxyName);
  }

  /** The components of the control plane that run. */
  components(): ComponentName[] {
    const { controlPlane } = this.deployment;
    if (controlPlane === undefined) return [];
    return componentNames.filter((component) => {
      const settings = controlPlane[component];
      return !("enabled" in settings) || settings.enabled;
    });
  }

  /** The processes on a host, except those of simulated clusters and those for members of teams. */
  processesOn(host: Host): string[] {
    const { loadBalancer } = this.deployment.placement;
    const isBalancer = loadBalancer.kind === "haproxy" && loadBalancer.hosts.includes(host.name);
    const members = allMembersIn(this.deployment.etcd);
    const all = [...members, ...this.replicas(), ...this.fleet(), ...this.backups(), ...this.etcdProxies()];
    return [...all, ...(isBalancer ? balancing(host) : [])].filter((process) => this.hostOf(process) === host);
  }

  /** The estimators on a host for members of teams. */
  forTeamsOn(host: Host): string[] {
    const { deployment } = this;
    return (deployment.controlPlane === undefined ? [] : estimatedOfTeams(deployment))
      .map(estimatorName)
      .filter((process) => this.hostOf(process) === host);
  }

  /** Unix sockets on a host of programs that are not of the deployment: of what encrypts for its API server. */
  socketsOn(host: Host): string[] {
    const { controlPlane } = this.deployment;
    const kms = controlPlane && kmsOf(controlPlane.encryption);
    const isAsked = this.processesOn(host).some((process) => withoutNumber(process) === apiserverName);
    return kms !== undefined && isAsked ? [socketOf(kms)] : [];
  }

  /** Members of etcd on a host. */
  membersOn(host: Host): string[] {
    return allMembersIn(this.deployment.etcd).filter((member) => this.hostOf(member) === host);
  }

  /** Name of the host of every present or possible member of etcd. */
  homes(): Record<string, string> {
    const { etcd, placement } = this.deployment;
    const first = this.hosts.map(({ name, etcd }) => [etcd, name] as const);
    const others = overridesIn(etcd).flatMap(({ name }) => {
      const all = { name, members: mostMembers };
      const homes = hostsOfOverride(all, placement);
      return overrideMembers(all).map((member, i) => [member, homes[i]] as const);
    });
    const known = [...first, ...others].filter((each): each is [string, string] => !each.includes(undefined));
    return Object.fromEntries(known);
  }

  private ofOverride(process: string): Host | undefined {
    const { etcd, placement } = this.deployment;
    const found = overrideOf(process, overridesIn(etcd));
    return found && this.host(hostsOfOverride(found.override, placement)[found.number]);
  }

  private replicas(): string[] {
    const { controlPlane } = this.deployment;
    if (controlPlane === undefined) return [];
    return this.components().flatMap((component) => {
      const name = component === "kube-apiserver" ? apiserverName : component;
      const { replicas } = controlPlane[component];
      return Array.from({ length: replicas }, (_, i) => (i === 0 ? name : `${name}-${i}`));
    });
  }

  private fleet(): string[] {
    const { deployment } = this;
    if (deployment.controlPlane === undefined) return [];
    const { members, controlPlane } = deployment;
    const estimated = controlPlane["karmada-scheduler-estimator"].enabled;
    return members.flatMap(({ name, syncMode, agent }) => [
      ...(syncMode === "Pull" && agent.kind === "beside" ? [agentName(name)] : []),
      ...(estimated ? [estimatorName(name)] : []),
    ]);
  }

  private backups(): string[] {
    return this.deployment.snapshots.schedule === undefined ? [] : [etcdBackupName];
  }

  private named(process: string): Host | undefined {
    const { placement, etcd } = this.deployment;
    const serving = memberProgramNames.find((component) => process.endsWith(`-${component}`));
    if (serving !== undefined) return this.host(chosenHost(process, hostsOf(placement, serving)));
    if (process === etcdBackupName && !(etcdBackupName in placement.components)) {
      const first = etcd.kind === "managed" ? etcd.members[0] : undefined;
      return this.hosts.find((host) => first !== undefined && host.etcd === first) ?? this.host(hostsOf(placement)[0]);
    }
    return this.host(hostsOf(placement, componentOf(process))[replicaOf(process)]);
  }

  private host(name: string | undefined): Host | undefined {
    return this.hosts.find((host) => host.name === name);
  }
}

/** The load balancer's programs, if there is one on the host. */
const balancing = ({ name }: Host): string[] => [haproxyName(name), keepalivedName(name)];

/** Processes named after their host. */
const ofHost = (host: Host): string[] => [...balancing(host), etcdProxyName(host.name)];

/** They store what they serve in etcd. */
const keepingConnections = new Set<string>(["kube-apiserver", "karmada-aggregated-apiserver", "karmada-search"]);

const replicated = new Set<string>([...componentNames, apiserverName]);

/** 0 for what there is only one of. */
function replicaOf(process: string): number {
  const name = withoutNumber(process);
  return process !== name && replicated.has(name) ? Number(process.slice(name.length + 1)) : 0;
}

function componentOf(process: string): string {
  const name = withoutNumber(process);
  return name === apiserverName ? "kube-apiserver" : replicated.has(name) ? name : process;
}
