import type { Duplex, Readable, Writable } from "node:stream";

/** How a command on a host ended. */
export interface Exit {
  /** Absent when a signal ended it. */
  readonly code?: number;
  readonly signal?: string;
}

/** A command that runs on a host. */
export interface Session {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Once it has ended, and all of what it wrote has come; fails with LinkLost when nobody can say how. */
  readonly ended: Promise<Exit>;
  /** Ends it at once. */
  kill(): void;
  /** Lets this program end while it runs. */
  unref(): void;
}

/** A way to a host. */
export interface Transport {
  /** Whether commands run as root. */
  readonly isRoot: boolean;
  /**
   * Runs a line in a shell on the host.
   *
   * @throws LinkLost when nobody can say whether it runs
   * @throws NoSession when it has to wait for another command to end
   */
  start(line: string): Promise<Session>;
  /** A connection to a port on the host's own loopback address. */
  open(port: number): Promise<Duplex>;
  /** Lets go of the host; what comes later takes hold of it again. */
  close(): void;
}

/** Nobody answers there, or somebody else does: nothing that is asked of this host comes to anything now. */
export class Unreachable extends Error {
  /** What came instead of an answer. */
  readonly reason: string;
  constructor(message: string, reason: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** The link broke while a command ran: it may have run to its end, in part, or not at all. */
export class LinkLost extends Error {}

/** The host has as many sessions of this login as it allows at a time (`MaxSessions` of its SSH server): the command did not run. */
export class NoSession extends Error {}
