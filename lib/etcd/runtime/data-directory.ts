import type { MemberRestore } from "./member-files.ts";

/** The directory that holds a member's data, wherever it is: `1`, `2` and so on for its incarnations, the marker beside them. */
export interface DataDirectory {
  /** How messages name it. */
  readonly label: string;
  /** What lies there now. */
  look(): Promise<FoundData>;
  /**
   * Makes the data of an incarnation with etcdutl, in a place where they are not taken for the member's data: a
   * numbered directory is complete, and made from verified content.
   *
   * @returns the cluster ID in the data, hexadecimal
   */
  make(work: MemberRestore, incarnation: number): Promise<string>;
  /**
   * Gives what was made its number. The marker comes first, or with it: numbered data that are in no marker are taken
   * for data that etcd was started with. What has its number already keeps it.
   */
  place(incarnation: number, marker: string): Promise<void>;
  /** Replaces the marker atomically. */
  writeMarker(text: string): Promise<void>;
  /** Copies the database of an incarnation to a file on the machine that asks. */
  copyDatabase(incarnation: number, to: string): Promise<void>;
}

export interface FoundData {
  /** Text of the marker; absent when there is none. */
  readonly marker?: string;
  /** Oldest first. */
  readonly incarnations: readonly {
    readonly number: number;
    /** Hexadecimal; absent when it cannot be read. */
    readonly clusterId?: string;
    /** Out of the way: its number is taken, but it is no evidence. @default false */
    readonly retired?: boolean;
  }[];
}

/** Arguments of etcdutl to make data from a snapshot. */
export function restoreArguments(work: MemberRestore, file: string, directory: string): string[] {
  return [
    "snapshot",
    "restore",
    file,
    `--name=${work.member}`,
    `--initial-cluster=${work.initialCluster}`,
    `--initial-advertise-peer-urls=${work.peerUrl}`,
    `--initial-cluster-token=${work.token}`,
    `--data-dir=${directory}`,
    `--bump-revision=${work.bumpRevision}`,
    "--mark-compacted",
    ...(work.bare ? ["--skip-hash-check"] : []),
  ];
}

/** The directory in which data are made, and the error for data that came out wrong. */
export const making = ".restoring";
export const namesNoCluster = ({ member }: MemberRestore): Error =>
  new Error(`${member}: the data that etcdutl made name no cluster`);

/** 1 GB takes 2 s on a plain machine. */
export const restoreSeconds = 1800;
