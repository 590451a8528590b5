import * as pulumi from "@pulumi/pulumi";
import { SimulatedNodes } from "../providers/simulated-nodes.ts";
import { address, type Ground, place } from "./placed.ts";
import type { Process } from "./process.ts";
import {
  memberAdmin,
  memberApi,
  memberAuthority,
  type SimulatedMemberProcesses,
} from "./processes/simulated-member.ts";

/** The nodes of a simulated cluster, all alike. */
export interface SimulatedNodesSettings {
  readonly nodes: number;
  /** Cores of each node, as Kubernetes writes them. */
  readonly cpu: string;
  readonly memory: string;
  /** How many pods a node takes. */
  readonly pods: number;
}

/**
 * A simulated Kubernetes cluster, to join as a member: its programs, then its nodes. Deleting it deletes everything in
 * it.
 */
export class SimulatedCluster extends pulumi.ComponentResource {
  /** Kubeconfig of the cluster's administrator. Secret. */
  readonly kubeconfig: pulumi.Output<string>;
  /**
   * What to depend on to join it: its API and its service-account tokens; and its nodes, since pods are deleted only
   * while there are nodes, which must outlive its membership.
   */
  readonly joinable: readonly pulumi.Resource[];
  /** What to depend on to run something in it. */
  readonly usable: readonly pulumi.Resource[];
  /** Version of each process, as the program reports it. */
  readonly versions: Record<string, pulumi.Output<string>> = {};

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
    const run = (process: Process, ...needs: readonly pulumi.Resource[]) => {
      const { resource, version } = place(ground, process, this, needs);
      this.versions[process.name] = version;
      return resource;
    };
    this.kubeconfig = ground.pki.kubeconfig(
      memberAdmin(cluster).name,
      memberAuthority(cluster),
      address(ground.placement, memberApi(cluster).url),
    );

    const apiserver = run(processes.apiserver, args.etcd);
    const controllerManager = run(processes.controllerManager, apiserver);
    const scheduler = run(processes.scheduler, apiserver);
    const kwok = run(processes.kwok, apiserver);
    const nodes = new SimulatedNodes(
      `${name}-nodes`,
      {
        kubeconfig: this.kubeconfig,
        cluster,
        count: args.nodes.nodes,
        cpu: args.nodes.cpu,
        memory: args.nodes.memory,
        pods: String(args.nodes.pods),
        timeoutSeconds: 60,
      },
      { parent: this, dependsOn: [apiserver, kwok], deletedWith: this },
    );
    this.joinable = [controllerManager, nodes];
    this.usable = [scheduler];
    this.registerOutputs({});
  }
}
