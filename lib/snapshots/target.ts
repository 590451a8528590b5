import type { Readable } from "node:stream";
import type { Manifest } from "./manifest.ts";

/**
 * Where snapshots of one deployment are kept: a directory, a mount, a bucket. A snapshot is two files, the data and its
 * manifest, always stored in this order and removed in reverse. All errors are {@link TargetError}s.
 */
export interface SnapshotTarget {
  /** `file:///backup/prod`, `s3://bucket/prefix/prod`: a file's URI is this, a slash, and its name. */
  readonly uri: string;
  /** What tells it from every other one: `s3://bucket/prefix/prod?endpoint=https://s3.example.org`, else its URI. */
  readonly name: string;
  /** Checks that it can be written to now (mounted, writable, credentials), and that that many bytes fit. */
  prepare(bytes: number): Promise<void>;
  /**
   * Stores data under a name: all of it, durably, or nothing. Errors of the stream are rethrown. A piece of it is no
   * longer used once the next one is requested. `bytes` is its total size.
   * @throws WantedAgain at most once, see {@link givenAgain}
   */
  put(file: string, content: AsyncIterable<Buffer>, bytes: number): Promise<void>;
  /** Makes the stored data a snapshot, or replaces its manifest. */
  commit(manifest: Manifest): Promise<void>;
  /** The stored data, from the beginning. */
  get(file: string): Promise<Readable>;
  /** Every snapshot, and everything that looks like one but is not; in no order. */
  list(): Promise<Listing>;
  /** One snapshot; undefined when nothing of it is there. */
  head(id: string): Promise<Stored | Damaged | undefined>;
  /** Manifest first. A missing snapshot is no error. */
  remove(id: string): Promise<void>;
  /** Path of stored data for programs that read files; undefined when the target is not in the file system. */
  path(file: string): string | undefined;
  close(): void;
}

export interface Listing {
  readonly snapshots: Manifest[];
  readonly damaged: Damaged[];
}

/** A snapshot whose manifest can be read and whose data have the right size. */
export interface Stored {
  readonly manifest: Manifest;
}

export interface Damaged {
  readonly id: string;
  /** For instance `data are missing`, `1024 bytes, want 2048`. */
  readonly problem: string;
}

/** Why a target cannot be used. */
export type TargetFault =
  /** No answer, or not in time. */
  | "unreachable"
  /** Not mounted, or another kind of mount. */
  | "not-mounted"
  /** No such directory, bucket or file. */
  | "missing"
  /** Wrong credentials or rights. */
  | "denied"
  | "full"
  /** It can never serve: inside etcd's data directory, for instance. */
  | "unfit"
  /** Anything else. */
  | "failed";

/** Subject is the target's URI: `s3://backup/prod: writing 1.db: ...`. */
export class TargetError extends Error {
  readonly fault: TargetFault;

  constructor(fault: TargetFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

/** Storing the data began but failed. Given again, they are stored in another way. */
export class WantedAgain extends TargetError {}

/** Does work that gives data to a target, and repeats it once if the target wants them again. */
export async function givenAgain<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof WantedAgain)) throw error;
    return work();
  }
}

/** Whether what was found is damaged. */
export const isDamaged = (found: Stored | Damaged): found is Damaged => "problem" in found;
