/** A member as observed. */
export interface EtcdMember {
  /** Empty when it was added but never started. */
  readonly name: string;
  /** Hexadecimal, as etcdctl prints it. */
  readonly id: string;
  /** The URLs it advertises; empty until it served for the first time. */
  readonly clientUrls: string[];
  readonly peerUrls: string[];
  /** Not a voter yet. */
  readonly learner: boolean;
  /** Unknown when it does not answer, has no leader, or does not say which member that is. */
  readonly role: EtcdRole;
  /** It answers, knows a leader and reports no error. */
  readonly healthy: boolean;
  /** Why it is not healthy. */
  readonly problem?: string;
  /** The endpoint that turned out to be this member. */
  readonly endpoint?: string;
  /** For instance `3.6.6`; empty when it does not answer. */
  readonly version: string;
  /** Version of what is stored, for instance `3.6.0`; empty before etcd 3.6. */
  readonly storageVersion: string;
  readonly leader: boolean;
  /** Last entry of its log, last entry it has applied, and how far it is behind the most advanced member. */
  readonly raftIndex: number;
  readonly raftAppliedIndex: number;
  readonly lag: number;
  /** Size of the database file, in bytes. */
  readonly dbSize: number;
  /** Part of the database file that is in use, in bytes. */
  readonly dbSizeInUse: number;
  /** Size at which the database refuses writes, in bytes; 0 when it does not say, before etcd 3.6. */
  readonly dbSizeQuota: number;
  /** Part of the file that is not in use, 0 to 1. */
  readonly fragmentation: number;
  /** For instance `NOSPACE`, `CORRUPT`. */
  readonly alarms: string[];
}

export type EtcdRole = "leader" | "follower" | "learner" | "unknown";
