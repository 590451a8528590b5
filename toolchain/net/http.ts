import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { TLSSocket } from "node:tls";
import { splitLogin } from "./login.ts";
import { proxyFor, type Proxy } from "./proxy.ts";

export interface HttpOptions {
  /** How long a connection may take, TLS included, before the host counts as unreachable. @default 4 */
  readonly connectSeconds?: number;
  /** How long a server may be silent while it is to answer. @default 30 */
  readonly idleSeconds?: number;
  /** How long it may take until a short text is there as a whole, further attempts included. @default 60 */
  readonly textSeconds?: number;
}

export interface GetOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** A short answer, whole. */
export interface TextAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A host that cannot be reached at all; the rest of the run does not try it again. */
export class Unreachable extends Error {
  /** Name or address, and port. */
  readonly host: string;
  /** @param via the proxy that was to lead there */
  constructor(host: string, reason: string, options?: ErrorOptions, via?: Proxy) {
    super(`${host} cannot be reached${via ? ` via ${via.title}` : ""} (${reason})`, options);
    this.host = host;
  }
}

/** GET with redirects, deadlines, and a memory of hosts that cannot be reached. HTTPS_PROXY and NO_PROXY count. */
export class HttpClient {
  readonly idleSeconds: number;
  readonly #connectSeconds: number;
  readonly #textSeconds: number;
  readonly #unreachable = new Map<string, Unreachable>();
  /** Settled once the first connection to a host is made or has failed; the others wait for it. */
  readonly #tried = new Map<string, Promise<void>>();
  /** By scheme and proxy. */
  readonly #agents = new Map<string, HttpAgent>();

  constructor({ connectSeconds = 4, idleSeconds = 30, textSeconds = 60 }: HttpOptions = {}) {
    this.#connectSeconds = connectSeconds;
    this.#textSeconds = textSeconds;
    this.idleSeconds = idleSeconds;
  }

  /**
   * The response to a GET, whatever its status; the caller reads or destroys it. Where it is redirected to another
   * scheme, host or port, neither a login nor a token goes along.
   * @throws Unreachable when the host is
   */
  async get(written: string, options: GetOptions = {}, redirects = 5): Promise<IncomingMessage> {
    const { address, headers: login } = splitLogin(written);
    const url = new URL(address);
    const headers: Record<string, string> = { ...login, ...options.headers };
    const response = await this.#reach(url, { ...options, headers });
    const { location } = response.headers;
    if (!location || ![301, 302, 303, 307, 308].includes(response.statusCode ?? 0)) return response;
    response.destroy();
    if (redirects === 0) throw new Error(`${address}: redirected too often`);
    const next = new URL(location, url);
    // A registry's token is not for the storage it redirects to.
    if (next.origin !== url.origin) delete headers.authorization;
    return this.get(next.href, { ...options, headers }, redirects - 1);
  }

  /**
   * The body of a GET that must succeed.
   * @throws when the status is not 200, and whenever `answer` does
   */
  async text(address: string, options: GetOptions = {}): Promise<string> {
    const { status, text } = await this.answer(address, options);
    if (status !== 200) throw new Error(`${address}: HTTP ${status}`);
    return text;
  }

  /**
   * The whole answer to a GET of something short, whatever its status. One that breaks off, or that the server had no time
   * for, is asked for again.
   * @throws when it breaks off each time, is larger than 32 MiB, or is not there in time
   */
  async answer(address: string, options: GetOptions = {}): Promise<TextAnswer> {
    const end = performance.now() + this.#textSeconds * 1000;
    for (let attempt = 1; ; attempt++) {
      try {
        const response = await this.get(address, options);
        const deadline = setTimeout(
          () => response.destroy(new NoShortText(`${address}: not whole within ${this.#textSeconds}s`)),
          Math.max(0, end - performance.now()),
        );
        const text = await readText(response, address).finally(() => clearTimeout(deadline));
        const { statusCode: status = 0, headers } = response;
        if (attempt === textAttempts || !(status === 429 || status >= 500)) return { status, headers, text };
      } catch (error) {
        options.signal?.throwIfAborted();
        if (attempt === textAttempts || !(error instanceof BrokenOff) || performance.now() > end) throw error;
      }
      await sleep(200 * attempt, undefined, options.signal && { signal: options.signal });
    }
  }

  async #reach(url: URL, options: GetOptions): Promise<IncomingMessage> {
    const tried = this.#tried.get(url.host);
    if (!tried) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#tried.set(url.host, promise);
      return this.#request(url, options, resolve);
    }
    await tried;
    const known = this.#unreachable.get(url.host);
    if (known) throw known;
    return this.#request(url, options);
  }

  /** @throws Unreachable when the environment names none that leads there */
  #proxy(url: URL, onTried?: () => void): Proxy | undefined {
    try {
      return proxyFor(url, process.env);
    } catch (cause) {
      const error = new Unreachable(url.host, (cause as Error).message, { cause });
      this.#unreachable.set(url.host, error);
      onTried?.();
      throw error;
    }
  }

  #agent({ protocol }: URL, proxy: Proxy | undefined): HttpAgent {
    const key = `${protocol} ${proxy?.address ?? ""}`;
    // proxyEnv: Node 24 and later; earlier ones ignore it.
    const proxyEnv = proxy && { HTTP_PROXY: proxy.address, HTTPS_PROXY: proxy.address };
    const options = { keepAlive: false, ...(proxyEnv && { proxyEnv }) };
    const agent = this.#agents.get(key) ?? (protocol === "http:" ? new HttpAgent(options) : new HttpsAgent(options));
    this.#agents.set(key, agent);
    return agent;
  }

  #request(url: URL, { headers = {}, signal }: GetOptions, onTried?: () => void): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const proxy = this.#proxy(url, onTried);
      const make = url.protocol === "http:" ? httpRequest : httpsRequest;
      const request = make(url, {
        agent: this.#agent(url, proxy),
        headers: { "user-agent": "karmada-pulumi-toolchain", ...headers },
        ...(signal ? { signal } : {}),
      });
      let connected = false;
      const unreachable = (reason: string, cause?: Error) => {
        const error = new Unreachable(url.host, reason, cause && { cause }, proxy);
        this.#unreachable.set(url.host, error);
        return error;
      };
      const deadline = setTimeout(
        () => request.destroy(unreachable(`no connection within ${this.#connectSeconds}s`)),
        this.#connectSeconds * 1000,
      );
      const reached = () => {
        connected = true;
        clearTimeout(deadline);
        onTried?.();
      };
      request.on("socket", (socket) => {
        if (isSecure(socket)) reached();
        else socket.once(url.protocol === "http:" ? "connect" : "secureConnect", reached);
      });
      request.setTimeout(this.idleSeconds * 1000, () =>
        request.destroy(new Error(`${url.href}: no answer within ${this.idleSeconds}s`)),
      );
      request.on("response", resolve);
      request.on("error", (error: NodeJS.ErrnoException) => {
        clearTimeout(deadline);
        const early = !connected && !(error instanceof Unreachable) && !signal?.aborted;
        reject(early ? unreachable(reasonOf(error), error) : error);
        onTried?.();
      });
      request.end();
    });
  }
}

/** Of a proxy that refuses, what it answers. */
const reasonOf = (error: NodeJS.ErrnoException & { statusCode?: number }): string =>
  error.statusCode === undefined ? (error.code ?? error.message) : `HTTP ${error.statusCode}`;

/** Whether TLS is set up already, as it is when a proxy's tunnel is handed over. */
const isSecure = (socket: Socket): boolean =>
  socket instanceof TLSSocket && !socket.connecting && /^TLS/.test(socket.getProtocol() ?? "");

const textAttempts = 3;

/** Another attempt would end alike. */
class NoShortText extends Error {}
class BrokenOff extends Error {}

/** The whole of a response's body as text, at most 32 MiB. */
async function readText(response: IncomingMessage, address: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > 32 << 20) throw new NoShortText(`${address}: more than 32 MiB where a short text was expected`);
      chunks.push(chunk);
    }
  } catch (cause) {
    if (cause instanceof NoShortText) throw cause;
    throw new BrokenOff(`${address}: the connection broke after ${size} bytes`, { cause });
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** What an address answered, as JSON. @throws with the address when it is something else, such as the page of a login */
export function parseJson<T>(text: string, address: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    const begins = JSON.stringify(text.trimStart().slice(0, 40));
    const reason =
      text === "" ? "nothing" : `something else, which begins with ${begins}; is a proxy or a login in between?`;
    throw new Error(`${address}: want JSON, got ${reason}`, { cause });
  }
}
