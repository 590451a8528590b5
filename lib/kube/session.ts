import type http from "node:http";

/** What goes with each call to a server. */
export interface Credentials {
  readonly agent: http.Agent;
  readonly headers: http.OutgoingHttpHeaders;
  /** When they end, in milliseconds since 1970. @default when the server takes them no more */
  readonly end?: number | undefined;
}

/**
 * The credentials of a client, made anew when their time is over, and when the server takes them no more, as client-go does
 * (plugin/pkg/client/auth/exec/exec.go, `maybeRefreshCreds`). Calls at the same time share a login.
 */
export class Session {
  #now: Credentials;
  readonly #logIn: (() => Promise<Credentials>) | undefined;
  #since = performance.now();
  #end: number | undefined;
  #isTaken = false;
  #isRefused = false;
  #renewal: Promise<Credentials> | undefined;

  /** @param logIn makes others; without it these stay */
  constructor(credentials: Credentials, logIn?: () => Promise<Credentials>) {
    this.#now = credentials;
    this.#end = endOf(credentials);
    this.#logIn = logIn;
  }

  /** Those to go by now. @throws why nobody can log in any more */
  async credentials(): Promise<Credentials> {
    const isOver = this.#isRefused || (this.#end !== undefined && this.#end <= Date.now());
    if (!isOver || this.#logIn === undefined) return this.#now;
    this.#renewal ??= this.#renew(this.#logIn).finally(() => (this.#renewal = undefined));
    return this.#renewal;
  }

  /** Notes that the server knows who shows them. */
  taken(credentials: Credentials): void {
    if (credentials === this.#now) this.#isTaken = true;
  }

  /**
   * Notes that the server does not know who shows them (401).
   * @returns whether there are others to try. Not for a new login that it has never taken: each call would make another
   */
  refused(credentials: Credentials): boolean {
    if (this.#logIn === undefined) return false;
    if (credentials !== this.#now) return true;
    const isNew = !this.#isTaken && performance.now() - this.#since < milliseconds.new;
    if (!isNew) this.#isRefused = true;
    return !isNew;
  }

  /** Lets go of the connections. */
  close(): void {
    this.#now.agent.destroy();
  }

  async #renew(logIn: () => Promise<Credentials>): Promise<Credentials> {
    this.#now = await logIn();
    this.#end = endOf(this.#now);
    this.#since = performance.now();
    this.#isTaken = false;
    this.#isRefused = false;
    return this.#now;
  }
}

const milliseconds = { new: 10_000 };

/** Of a login that is over as it comes a clock is wrong, here or there: the server says whether it takes it. */
const endOf = ({ end }: Credentials): number | undefined => (end !== undefined && end > Date.now() ? end : undefined);
