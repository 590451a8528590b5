import type { HostAddress } from "../../hosts/address.ts";
import type { MemberFiles } from "./member-files.ts";

/**
 * What a reconciler may do with the programs of an etcd cluster, whatever runs them. A placement prepares a member (its
 * program, arguments and files are written down, nothing is started); it is started and stopped only through this
 * interface. All methods may be interrupted and called again.
 */
export interface EtcdRuntime {
  /** What exists of a member, without asking etcd. */
  observe(member: string): Promise<MemberRun>;
  /** Starts it as it is prepared now, or restarts it if it runs. Returns when the program runs, not when it serves. */
  start(member: string, bootstrap: Bootstrap): Promise<void>;
  /** Stops it and returns once it has ended. It stays stopped, also when the machine reboots. */
  stop(member: string): Promise<void>;
  /**
   * Moves the data of an incarnation out of the way; nothing is deleted. @returns where they are now, undefined when
   * there were none
   */
  retire(member: string, incarnation: number): Promise<string | undefined>;
  /**
   * Notes that it serves, and so has data: from now on it is not started without them. @default {@link start} does that
   * already
   */
  settle?(member: string): Promise<void>;
  /** The last lines of its log, to say why. */
  log(member: string): Promise<string>;
  /** Its files, for a restore. */
  files(member: string): MemberFiles;
  /**
   * Members of these names of which something exists, except `declared` ones where the other methods find them: for a
   * restore, former members.
   */
  former(names: readonly string[], declared: readonly string[]): Promise<FormerMembers>;
  /**
   * Stops other programs of the deployment, by name: they remember what etcd held. They stay stopped until the resource
   * that manages them is updated. One that does not exist is no error.
   */
  halt(programs: readonly string[]): Promise<void>;
  /**
   * Starts what was halted and has not been started since, in this order: for a caller after which those resources are
   * not updated.
   */
  resume(programs: readonly string[]): Promise<void>;
}

/** What a runtime has found besides the declared members. */
export interface FormerMembers {
  readonly members: readonly FormerMember[];
  /** Where nobody could look: `host2 (10.0.0.12)`. */
  readonly unseen: readonly string[];
}

export interface FormerMember {
  readonly name: string;
  /** Its name in messages, with its host when another one has the same name. */
  readonly label: string;
  /** Where it is found, by its name. */
  readonly at: Pick<EtcdRuntime, "observe" | "stop" | "files">;
}

/** A member's program as found. */
export interface MemberRun {
  readonly running: boolean;
  /** Revision that runs; a revision is a digest of program, arguments and files. Absent too when somebody has edited it. */
  readonly revision?: string;
  /** The prepared revision; absent when there is none. */
  readonly prepared?: string;
  /** What it was last started with. */
  readonly bootstrap?: Bootstrap;
  /** Where this program reaches it as it was last started; absent when unknown. */
  readonly clientUrl?: string;
  /** Incarnations whose data lie there, oldest first. */
  readonly incarnations: readonly number[];
}

/** What a member needs beyond its arguments to find its cluster the first time; it gets it as environment variables. */
export interface Bootstrap {
  /** `ETCD_INITIAL_CLUSTER_TOKEN`. */
  readonly token: string;
  /** `ETCD_INITIAL_CLUSTER_STATE`: `new` for a fresh or restored cluster, `existing` to join one. */
  readonly state: "new" | "existing";
  /** `ETCD_INITIAL_CLUSTER`: `name=peer URL` of every member, its own included. */
  readonly initialCluster: string;
  /** Number of the data directory, `ETCD_DATA_DIR=<data>/<incarnation>`: 1 at first, higher with every replacement and restore. A directory is never used twice. */
  readonly incarnation: number;
}

/** The part of a runtime needed to bring a cluster to what is declared. */
export type MemberRuntime = Pick<EtcdRuntime, "observe" | "start" | "stop" | "retire" | "settle" | "log">;

/** How to reach a runtime, as a dynamic resource keeps it in its state. One arm per placement. */
export type EtcdRuntimeAddress = LocalRuntimeAddress | HostsRuntimeAddress | KubernetesRuntimeAddress;

export interface LocalRuntimeAddress {
  readonly kind: "local";
  /** The deployment's directory. */
  readonly directory: string;
}

export interface HostsRuntimeAddress {
  readonly kind: "hosts";
  /** The host of each member, by the member's name; future and former members included. */
  readonly members: Readonly<Record<string, HostAddress>>;
  /** All hosts of the deployment. */
  readonly hosts: readonly HostAddress[];
  /** Its former hosts: earlier members may still be there, for a restore. @default none */
  readonly left?: LeftHosts;
}

export interface LeftHosts {
  /** Name of the deployment: once another one has the host, nothing there is ours. */
  readonly deployment: string;
  readonly hosts: readonly HostAddress[];
}

export interface KubernetesRuntimeAddress {
  readonly kind: "kubernetes";
  /** Kubeconfig of the host cluster. */
  readonly kubeconfig: string;
  readonly namespace: string;
}
