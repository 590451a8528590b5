import type { Duplex, Readable, Writable } from "node:stream";

/** What a command on a host gets on its standard input: a text, or data that can be read again from the start. */
export type Input = string | (() => Readable);

/** Where its standard output goes, from the start each time it is run. */
export type Sink = () => Writable;

/** How a command on a host ended. */
export interface Ended {
  /** Absent when a signal ended it. */
  readonly code?: number;
  readonly signal?: string;
  /** Empty when it went elsewhere. */
  readonly stdout: string;
  readonly stderr: string;
}

/** A way to a host. */
export interface Transport {
  /** Whether commands run as root. */
  readonly isRoot: boolean;
  /**
   * Runs a line in a shell on the host until it ends.
   *
   * @throws LinkLost when nobody can say how it ended
   * @throws NoSession when it has to wait for another command to end
   */
  execute(line: string, input: Input, signal: AbortSignal, sink?: Sink): Promise<Ended>;
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
