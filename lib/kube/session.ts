import type http from "node:http";

/** Sent with each call to a server. */
export interface Credentials {
  readonly agent: http.Agent;
  readonly headers: http.OutgoingHttpHeaders;
  /** When they expire, in milliseconds since 1970. @default when the server no longer accepts them */
  readonly end?: number | undefined;
}

/**
 * The credentials of a client, renewed when they expire, and when the server no longer accepts them, as client-go does
 * (plugin/pkg/client/auth/exec/exec.go, `maybeRefreshCreds`). Concurrent calls share a login.
 */
export class Session {
  #now: Credentials;
  readonly #logIn: (() => Promise<Credentials>) | undefined;
  #since = performance.now();
  #end: number | undefined;
  #isTaken = false;
  #isRefused = false;
  #renewal: Promise<Credentials> | undefined;

  /** @param logIn renews them; without it these stay */
  constructor(credentials: Credentials, logIn?: () => Promise<Credentials>) {
    this.#now = credentials;
    this.#end = endOf(credentials);
    this.#logIn = logIn;
  }

  /** The present ones. @throws why no login is possible any more */
  async credentials(): Promise<Credentials> {
    const isOver = this.#isRefused || (this.#end !== undefined && this.#end <= Date.now());
    if (!isOver || this.#logIn === undefined) return this.#now;
    this.#renewal ??= this.#renew(this.#logIn).finally(() => (this.#renewal = undefined));
    return this.#renewal;
  }

  /** Notes that the server accepted them. */
  taken(credentials: Credentials): void {
    if (credentials === this.#now) this.#isTaken = true;
  }

  /**
   * Notes that the server did not accept them (401).
   * @returns whether there are others to try. Not after a new login that was never accepted: each call would make
   * another
   */
  refused(credentials: Credentials): boolean {
    if (this.#logIn === undefined) return false;
    if (credentials !== this.#now) return true;
    const isNew = !this.#isTaken && performance.now() - this.#since < milliseconds.new;
    if (!isNew) this.#isRefused = true;
    return !isNew;
  }

  /** Closes the connections. */
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

/** If a new login has already expired, a clock is wrong, here or there: let the server decide whether it accepts it. */
const endOf = ({ end }: Credentials): number | undefined => (end !== undefined && end > Date.now() ? end : undefined);
