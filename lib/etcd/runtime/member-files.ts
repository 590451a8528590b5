import type { RestoreMarker } from "./marker.ts";

/** What a restore does with the files of one member, where they lie. Every method may be interrupted and called again. */
export interface MemberFiles {
  /** What the files show, without asking etcd. */
  evidence(): Promise<MemberEvidence>;
  /** Makes data from a snapshot and notes that in the marker; existing data stay. Nothing is started or stopped. */
  restore(work: MemberRestore): Promise<RestoreMarker>;
  /**
   * Notes in the marker that etcd is about to be started with the restored data, or that it was found to serve them.
   */
  note(step: "startedAt" | "finishedAt"): Promise<void>;
  /** Copies the database of the data that ran last to a file on the machine that asks. For a member that does not run. */
  copyDatabase(to: string): Promise<void>;
}

export interface MemberEvidence {
  /** There are data of an incarnation that etcd was started with. */
  readonly data: boolean;
  /** The cluster they belong to, hexadecimal; absent when that cannot be read. */
  readonly clusterId?: string;
  /** The last restore, finished or only prepared. */
  readonly restored?: RestoreMarker;
}

/** What one member's data are made of. */
export interface MemberRestore {
  readonly member: string;
  /** `https://10.0.0.7:2380`. */
  readonly peerUrl: string;
  /** Path of that program on the machine that asks, of the minor version of the etcd that will run on them. */
  readonly etcdutl: string;
  /** The snapshot, on the machine that asks. */
  readonly file: string;
  /** A database file of a stopped member: it carries no digest to check. */
  readonly bare: boolean;
  readonly generation: number;
  /** As in the marker. */
  readonly source: string;
  readonly sha256: string;
  /** Data do not count as made before this has resolved. */
  readonly proved: Promise<void>;
  readonly token: string;
  readonly initialCluster: string;
  readonly bumpRevision: bigint;
  /** The cluster it replaces; `none` when there is none. */
  readonly replaces: string;
}
