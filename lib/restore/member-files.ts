import type { RestoreMarker } from "./marker.ts";

/** What a restore does with the files of one member, where they lie. Every method may be interrupted and called again. */
export interface MemberFiles {
  /** What the files tell without asking etcd. */
  evidence(): Promise<MemberEvidence>;
  /** Makes data of a snapshot and notes it in the marker; what was there stays. Nothing is started or stopped. */
  restore(work: MemberRestore): Promise<RestoreMarker>;
  /** Notes in the marker that etcd is given the restored data from now on, or that it was found to serve them. */
  note(step: "startedAt" | "finishedAt"): Promise<void>;
  /** Copies the database of the data that ran last to a file on the machine that asks. For a member that does not run. */
  copyDatabase(to: string): Promise<void>;
}

export interface MemberEvidence {
  /** There are data of an incarnation that etcd was given. */
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
  /** A database file of a member that did not run: it carries no digest to check. */
  readonly bare: boolean;
  readonly generation: number;
  readonly sha256: string;
  /** No data count as made before this is done. */
  readonly proved: Promise<void>;
  readonly token: string;
  readonly initialCluster: string;
  readonly bumpRevision: bigint;
  /** The cluster whose place it takes; `none` when there is none. */
  readonly replaces: string;
}
