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
  /** Resolves once it has ended and all of its output has come; fails with LinkLost when its end is unknown. */
  readonly ended: Promise<Exit>;
  /** Kills it. */
  kill(): void;
  /** Lets this program exit while it runs. */
  unref(): void;
}

/** A way to a host. */
export interface Transport {
  /** Whether commands run as root. */
  readonly isRoot: boolean;
  /**
   * Runs a line in a shell on the host.
   *
   * @throws LinkLost when it is unknown whether it runs
   * @throws NoSession when it has to wait for another command to end
   */
  start(line: string): Promise<Session>;
  /** A connection to a port on the host's own loopback address. */
  open(port: number): Promise<Duplex>;
  /** Disconnects from the host; a later use connects again. */
  close(): void;
}

/** The host does not answer, or another machine does: nothing asked of it can succeed now. */
export class Unreachable extends Error {
  /** What came instead of an answer. */
  readonly reason: string;
  constructor(message: string, reason: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** The link broke while a command ran: it may have run completely, in part, or not at all. */
export class LinkLost extends Error {}

/**
 * This login already has as many sessions as the host allows (`MaxSessions` of its SSH server): the command did not
 * run.
 */
export class NoSession extends Error {}
