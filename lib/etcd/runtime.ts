import type { HostAddress } from "../hosts/address.ts";
import type { MemberFiles } from "../restore/member-files.ts";

/**
 * What a reconciler may do with the programs of an etcd cluster, whatever runs them. A placement prepares a member (its
 * program, arguments and files are written down, nothing is started); only what is said here starts and stops it.
 * All methods may be interrupted and called again.
 */
export interface EtcdRuntime {
  /** What there is of a member, without asking etcd. */
  observe(member: string): Promise<MemberRun>;
  /** Starts it as it is prepared now, or starts it again if it runs. Returns when the program runs, not when it serves. */
  start(member: string, bootstrap: Bootstrap): Promise<void>;
  /** Ends it and returns once it has ended. It stays ended, also when the machine starts again. */
  stop(member: string): Promise<void>;
  /** Takes the data of an incarnation out of the way; nothing is deleted. @returns where they are now, undefined when there were none */
  retire(member: string, incarnation: number): Promise<string | undefined>;
  /** Notes that it serves, so that its data are there: from now on it is not started without them. @default {@link start} has seen to it */
  settle?(member: string): Promise<void>;
  /** The last lines of its log, to say why. */
  log(member: string): Promise<string>;
  /** Its files, for a restore. */
  files(member: string): MemberFiles;
  /**
   * Members of these names that there is something of, but for `declared` ones where the other methods find them: those of
   * before that are none any more, for a restore.
   */
  former(names: readonly string[], declared: readonly string[]): Promise<FormerMembers>;
  /**
   * Ends other programs of the deployment, by name: they remember what etcd held. They stay ended until the resource that
   * keeps them is brought up to date again. One that is not there is no error.
   */
  halt(programs: readonly string[]): Promise<void>;
  /** Starts what was halted and nobody has started since, in this order: for who is not followed by those resources. */
  resume(programs: readonly string[]): Promise<void>;
}

/** What a runtime has found beside the members that are declared. */
export interface FormerMembers {
  readonly members: readonly FormerMember[];
  /** Where nobody could look: `host2 (10.0.0.12)`. */
  readonly unseen: readonly string[];
}

export interface FormerMember {
  readonly name: string;
  /** How messages name it: with its host when there is another one of its name. */
  readonly label: string;
  /** What finds it, by its name. */
  readonly at: Pick<EtcdRuntime, "observe" | "stop" | "files">;
}

/** A member's program as it is found. */
export interface MemberRun {
  readonly running: boolean;
  /** Revision that runs; a revision is a digest of program, arguments and files. Absent too when somebody has edited it. */
  readonly revision?: string;
  /** Revision that is prepared; absent when none is. */
  readonly prepared?: string;
  /** What it was last started with. */
  readonly bootstrap?: Bootstrap;
  /** Where this program comes to it as it was last started; absent when nothing says so. */
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

/** What is needed of a runtime to bring a cluster to what is declared. */
export type MemberRuntime = Pick<EtcdRuntime, "observe" | "start" | "stop" | "retire" | "settle" | "log">;

/** How to come to a runtime, as a dynamic resource keeps it in its state. One arm per placement. */
export type EtcdRuntimeAddress = LocalRuntimeAddress | HostsRuntimeAddress | KubernetesRuntimeAddress;

export interface LocalRuntimeAddress {
  readonly kind: "local";
  /** The deployment's directory. */
  readonly directory: string;
}

export interface HostsRuntimeAddress {
  readonly kind: "hosts";
  /** The host of each member, by the member's name; those of members that are none yet, or no more, too. */
  readonly members: Readonly<Record<string, HostAddress>>;
  /** All hosts of the deployment. */
  readonly hosts: readonly HostAddress[];
  /** Those that were its own and are not any more: members of before may still be there, for a restore. @default none */
  readonly left?: LeftHosts;
}

export interface LeftHosts {
  /** Name of the deployment: what is there once another one has the host is not ours. */
  readonly deployment: string;
  readonly hosts: readonly HostAddress[];
}

export interface KubernetesRuntimeAddress {
  readonly kind: "kubernetes";
  /** Of the host cluster. */
  readonly kubeconfig: string;
  readonly namespace: string;
}
