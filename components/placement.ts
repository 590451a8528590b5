import type * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { HostAddress } from "../lib/hosts/address.ts";
import type { EtcdRuntimeAddress } from "../lib/etcd/runtime/runtime.ts";
import type { ProgramPod } from "../lib/kube/pod-file.ts";
import type { MonitoredPods } from "../lib/monitoring/monitored.ts";
import type { Probe } from "../lib/probe.ts";
import type { phases } from "../spec/hooks.ts";
import type { Pki } from "./pki.ts";
import type { Process, Text, ToolchainProgram } from "./process.ts";

/** The content of a process's files, by the key they have in the Process. */
export type FileContents = Readonly<Record<string, pulumi.Input<string>>>;

/** What a placement made of a Process. */
export interface PlacedProcess {
  /** The resource to depend on: created once the probe has answered. */
  readonly resource: pulumi.Resource;
  /** The version that runs, as the program itself reports it. */
  readonly version: pulumi.Output<string>;
}

/** What a placement made of a Process that somebody else starts. */
export interface PreparedProcess extends PlacedProcess {
  /** The resource to depend on: created once everything is prepared. */
  readonly resource: pulumi.Resource;
  /** Changes with everything that requires a restart. */
  readonly revision: pulumi.Output<string>;
}

/**
 * Where clients on several hosts, all with the same address, reach one of several processes: one beside them if
 * possible.
 */
export interface Nearest {
  readonly host: string;
  readonly port: number;
}

/** What stands in front of the API servers. */
export interface Front {
  readonly url: string;
  /** What to wait for. */
  readonly ready: readonly pulumi.Resource[];
}

/** Options for the front. */
export interface FrontOptions {
  readonly parent: pulumi.Resource;
  /** What has to exist before it: on later runs what it leads to. */
  readonly dependsOn: readonly pulumi.Input<pulumi.Resource>[];
}

/** Before or after a phase of an `up`. */
export interface HookMoment {
  readonly when: "before" | "after";
  readonly phase: (typeof phases)[number];
}

/** A way to run processes. Values that are neither resources nor Outputs are known in the first preview. */
export interface Placement {
  /** Whether the replicas of a program are copies of one process under one name. @default false: a process each */
  readonly copies?: boolean;
  /** The name or address by which other processes reach a process. */
  host(process: string): string;
  /** The number a placement gives to a port. */
  port(process: string, port: string): number;
  /** How this program and people reach a process. @default like other processes */
  readonly outside?: Pick<Placement, "host" | "port">;
  /** Further names and addresses at which a process is reached, for the certificates it shows. @default none */
  outerNames?(process: string): readonly string[];
  /** Where each of the clients reaches one of these processes, replicas of one program, on one of their ports. */
  nearest(processes: readonly string[], port: string, clients: readonly string[]): Nearest;
  /** The URL of the API servers that people and members are given. @default that of the first API server */
  readonly endpoint?: string;
  /**
   * Puts the load balancer with the endpoint in front of the API servers.
   *
   * @param balancers the haproxies in front of the API servers
   * @returns undefined if that is not this program's task
   */
  placeFront?(name: string, balancers: readonly Process[], pki: Pki, opts: FrontOptions): Front | undefined;
  /** A text with `bind`, `host` and `port` references resolved; `file` and `data` refer to `process`. */
  text(process: Process, text: Text): string;
  /** Where a process finds a program that it runs itself. */
  executable(program: ToolchainProgram, process: Process): pulumi.Output<string>;
  /** The host that has a process and its files. @default this machine: its paths are those of this machine */
  hostOf?(process: Process): pulumi.Output<HostAddress>;
  /** The name of the host that has a process. @default all have this machine */
  hostName?(process: string): string;
  /** The pod that has a process and its files. @default as with `hostOf` */
  podOf?(process: Process): pulumi.Output<ProgramPod>;
  /** How this machine asks a process whether it serves. @default it runs elsewhere */
  probeFromHere?(process: Process): Probe;
  /**
   * Runs a process with these files, started once everything in `opts.dependsOn` is ready.
   *
   * @param follows changes when others may have stopped it: then it is looked at, and started if it does not run
   */
  place(
    process: Process,
    files: FileContents,
    opts: pulumi.CustomResourceOptions,
    follows?: pulumi.Output<string>,
  ): PlacedProcess;
  /**
   * What a replica waits for instead of the previous one, so that they change one after another.
   * @default the one before it
   */
  inTurn?(before: pulumi.Resource): pulumi.Input<pulumi.Resource>;
  /** Prepares a process with these files, and starts nothing: a reconciler does, as it is prepared by then. */
  prepare(process: Process, files: FileContents, opts: pulumi.CustomResourceOptions): PreparedProcess;
  /**
   * Runs the operator's hooks for a moment, once `opts.dependsOn` is done. @returns what to wait for @default nothing
   */
  hooks?(
    moment: HookMoment,
    opts: { readonly parent: pulumi.Resource; readonly dependsOn: readonly pulumi.Resource[] },
  ): readonly pulumi.Resource[];
  /** The cluster that has the pods, for objects of others. @default there is none */
  readonly hostCluster?: { readonly provider: k8s.Provider; readonly needs: readonly pulumi.Resource[] };
  /** Where a Prometheus finds the processes as pods. @default each has an address on its host */
  readonly monitoredPods?: MonitoredPods;
  /** Takes everything along when it is deleted: nothing has to be stopped first. @default there is none */
  readonly owner?: pulumi.Resource;
  /** Where the reconciler of an etcd cluster starts the prepared members. */
  etcdRuntime(): pulumi.Input<EtcdRuntimeAddress>;
  /**
   * Where a restore starts and stops members; it also looks for earlier ones where the deployment has been until now.
   * @default that of `etcdRuntime`
   */
  restoreRuntime?(): pulumi.Input<EtcdRuntimeAddress>;
}
