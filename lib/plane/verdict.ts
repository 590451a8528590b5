/** What was found of a program. */
export interface Verdict {
  /** `Unknown`: what would show it could not be read. `Unobserved`: nothing in the API shows it. */
  readonly state: "Running" | "Failing" | "Unknown" | "Unobserved";
  /** One word for it, for instance `LeaseExpired`. */
  readonly reason: string;
  /** Why it does not run, or why that is not known; else empty. */
  readonly message: string;
  /** Which of its replicas works, if one does at a time, as its lease has it: the host or pod, `_` and a random ID. */
  readonly leader?: string;
}

export const running = (reason: string, more: Pick<Verdict, "leader"> = {}): Verdict => ({
  state: "Running",
  reason,
  message: "",
  ...more,
});

export const failing = (reason: string, message: string): Verdict => ({ state: "Failing", reason, message });
