/** What a supervisor keeps running: everything needed to start the program again without anyone's help. */
export interface ProcessDescription {
  /** Unique below one supervisor; also the name of its files there. */
  readonly name: string;
  /** Absolute path of the executable. */
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the few variables a supervisor passes on (see `environment` in instance.ts). */
  readonly env: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  /** File that standard output and standard error are appended to. */
  readonly log: string;
  /** Ports it listens on: whoever looks whether they are free must not take it for a stranger. */
  readonly ports: readonly number[];
  /** Seconds between SIGTERM and SIGKILL. */
  readonly stopSeconds: number;
  /** Changes whenever the program must be restarted to take something up: its arguments, its files, its executable. */
  readonly revision: string;
  /** A directory without which it is not started: its disk may be gone, or not mounted yet. @default none */
  readonly needs?: string;
}

export interface LastExit {
  /** For instance `exit code 1`, `SIGKILL` or `cannot start: spawn /x ENOENT`. */
  readonly reason: string;
  /** ISO 8601. */
  readonly at: string;
  readonly ranForSeconds: number;
  /** The program could not even be executed; trying again does not help until something else changes. */
  readonly notStarted: boolean;
}

export interface ProcessStatus {
  readonly description: ProcessDescription;
  /** Present while it runs. */
  readonly running?: { readonly pid: number; readonly revision: string; readonly startedAt: string };
  /** Starts after exits nobody asked for, since this supervisor began. */
  readonly crashes: number;
  /** Exits in a row that came sooner than a program needs to settle; 0 once it ran that long. */
  readonly quickExits: number;
  readonly lastExit?: LastExit;
}

/** One question to a supervisor; the answer is a line of JSON. */
export type Request =
  | { readonly do: "list" }
  | { readonly do: "ensure"; readonly description: ProcessDescription }
  | { readonly do: "restart"; readonly name: string }
  /** `stopSeconds` instead of those of the description: who deletes data need not wait for it to be put in order. */
  | { readonly do: "remove"; readonly name: string; readonly stopSeconds: number }
  /** Ends the supervisor and leaves what it supervises running, for another one to adopt. */
  | { readonly do: "hand-over" };

export interface Answer {
  /**
   * Protocol of the supervisor: a client that meets another one than its own asks for a hand-over and starts its own.
   */
  readonly protocol: number;
  readonly pid: number;
  readonly processes: readonly ProcessStatus[];
  readonly error?: string;
  /** The supervisor is about to end: ask again, a new one. */
  readonly ending?: boolean;
}

/**
 * Raised with every change for which supervisors that run are to be replaced at the next change of a deployment: another
 * form of questions and answers, or a fault mended.
 */
export const protocol = 3;
