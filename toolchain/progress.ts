/** One step of the work, as it goes on. */
export interface Progress {
  /** The set or program it is about, for instance `kubernetes-1.35.3`. */
  readonly subject: string;
  /** What is being done, for instance `build`; the same subject goes through several. */
  readonly step: string;
  /** How far it is, in `unit`s. @default nothing to count */
  readonly done?: number;
  readonly total?: number;
  readonly unit?: "bytes" | "packages" | "Go modules";
  /** Set when this is over: obtained, given up, or (`left`) nothing to be said of, as when a source had nothing or when it waits. */
  readonly finished?: "ok" | "failed" | "left";
}
