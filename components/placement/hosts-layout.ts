import { componentNames } from "../../spec/component-names.ts";
import type { Deployment, HostsPlacement } from "../../spec/deployment.ts";
import { apiserverName } from "../processes/control-plane.ts";
import { haproxyName } from "../processes/haproxy.ts";
import { keepalivedName } from "../processes/keepalived.ts";
import { withoutNumber } from "./hosts-ports.ts";

/** What the layout of a deployment follows from. */
export type LaidOut = Pick<Deployment<unknown>, "name" | "etcd" | "controlPlane"> & {
  readonly placement: HostsPlacement<unknown>;
};

type Host = HostsPlacement<unknown>["hosts"][number];

/**
 * Which process is on which host, by its name alone: each member of etcd where its operator wants it, the replicas of a
 * program on one control-plane host after another, in the order of the list, what there is one of on the first, and the
 * load balancer's programs where their names say.
 */
export class HostsLayout {
  private readonly hosts: readonly Host[];
  private readonly controlPlane: readonly Host[];
  private readonly deployment: LaidOut;

  constructor(deployment: LaidOut) {
    this.deployment = deployment;
    this.hosts = deployment.placement.hosts;
    this.controlPlane = this.hosts.filter(({ controlPlane }) => controlPlane);
  }

  hostOf(process: string): Host {
    const host =
      this.hosts.find((host) => host.etcd === process || balancing(host).includes(process)) ??
      this.controlPlane[replicaOf(process)];
    if (host === undefined) throw new Error(`${process}: no host is meant for it`);
    return host;
  }

  /** The processes of etcd, of the control plane and of the load balancer that are on a host. */
  processesOn(host: Host): string[] {
    const { etcd, controlPlane, placement } = this.deployment;
    const members = etcd.kind === "managed" ? etcd.members : [];
    const replicas = componentNames.flatMap((component) => {
      const { replicas, ...choices } = controlPlane[component];
      if ("enabled" in choices && !choices.enabled) return [];
      const name = component === "kube-apiserver" ? apiserverName : component;
      return Array.from({ length: replicas }, (_, i) => (i === 0 ? name : `${name}-${i}`));
    });
    const { loadBalancer } = placement;
    const isBalancer = loadBalancer.kind === "haproxy" && loadBalancer.hosts.includes(host.name);
    return [...members, ...replicas, ...(isBalancer ? balancing(host) : [])].filter(
      (process) => this.hostOf(process) === host,
    );
  }
}

/** A load balancer's programs, should there be one on the host. */
const balancing = ({ name }: Host): string[] => [haproxyName(name), keepalivedName(name)];

const replicated = new Set<string>([...componentNames, apiserverName]);

/** 0 of what there is one of. */
function replicaOf(process: string): number {
  const name = withoutNumber(process);
  return process !== name && replicated.has(name) ? Number(process.slice(name.length + 1)) : 0;
}
