import * as pulumi from "@pulumi/pulumi";
import { SimulatedNodes } from "../providers/simulated-nodes.ts";
import type { Ground } from "./placed.ts";
import { address, place } from "./placed.ts";
import { memberAdmin, memberApi, memberAuthority } from "./processes/simulated-member.ts";
import type { SimulatedMemberProcesses } from "./processes/simulated-member.ts";

/** The nodes of a simulated cluster, all alike. */
export interface SimulatedNodesSettings {
  readonly nodes: number;
  /** Of each node, as Kubernetes writes it. */
  readonly cpu: string;
  readonly memory: string;
  /** How many pods a node takes. */
  readonly pods: number;
}

/**
 * A Kubernetes cluster on this side of the fence, to join as a member: its programs, then its nodes. Deleting it
 * deletes everything in it.
 */
export class SimulatedCluster extends pulumi.ComponentResource {
  /** Of its administrator, once its nodes are there. Secret. */
  readonly kubeconfig: pulumi.Output<string>;
  readonly versions: Readonly<Record<string, pulumi.Output<string>>>;

  constructor(
    name: string,
    args: {
      readonly ground: Ground;
      readonly cluster: string;
      readonly processes: SimulatedMemberProcesses;
      readonly nodes: SimulatedNodesSettings;
      readonly etcd: pulumi.Resource;
    },
    opts: pulumi.ComponentResourceOptions,
  ) {
    super("karmada:simulated:SimulatedCluster", name, {}, opts);
    const { ground, cluster, processes } = args;
    const apiserver = place(ground, processes.apiserver, this, [args.etcd]);
    const rest = [processes.controllerManager, processes.scheduler, processes.kwok].map((process) => ({
      process,
      ...place(ground, process, this, [apiserver.resource]),
    }));
    const nodes = new SimulatedNodes(
      `${name}-nodes`,
      {
        kubeconfig: ground.pki.kubeconfig(
          memberAdmin(cluster).name,
          memberAuthority(cluster),
          address(ground.placement, memberApi(cluster).url),
        ),
        nodes: args.nodes.nodes,
        cpu: args.nodes.cpu,
        memory: args.nodes.memory,
        pods: args.nodes.pods,
      },
      { parent: this, dependsOn: [apiserver, ...rest].map(({ resource }) => resource), deletedWith: this },
    );
    this.kubeconfig = nodes.kubeconfig;
    this.versions = Object.fromEntries([
      [processes.apiserver.name, apiserver.version],
      ...rest.map(({ process, version }) => [process.name, version]),
    ]);
    this.registerOutputs({});
  }
}
