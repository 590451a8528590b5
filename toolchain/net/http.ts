import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";

export interface HttpOptions {
  /** How long a connection may take, TLS included, before the host counts as unreachable. @default 4 */
  readonly connectSeconds?: number;
  /** How long a server may be silent while it is to answer. @default 30 */
  readonly idleSeconds?: number;
}

export interface GetOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** A host that cannot be reached at all; the rest of the run does not try it again. */
export class Unreachable extends Error {
  /** Name or address, and port. */
  readonly host: string;
  constructor(host: string, reason: string, options?: ErrorOptions) {
    super(`${host} cannot be reached (${reason})`, options);
    this.host = host;
  }
}

/** GET with redirects, deadlines, and a memory of hosts that cannot be reached. HTTPS_PROXY and NO_PROXY count. */
export class HttpClient {
  readonly idleSeconds: number;
  readonly #connectSeconds: number;
  readonly #unreachable = new Map<string, Unreachable>();
  /** Settled once the first connection to a host is made or has failed; the others wait for it. */
  readonly #tried = new Map<string, Promise<void>>();
  readonly #agents: Record<string, HttpAgent>;

  constructor({ connectSeconds = 4, idleSeconds = 30 }: HttpOptions = {}) {
    this.#connectSeconds = connectSeconds;
    this.idleSeconds = idleSeconds;
    // proxyEnv: Node 24 and later; earlier ones ignore it.
    const options = { keepAlive: false, proxyEnv: process.env };
    this.#agents = { "http:": new HttpAgent(options), "https:": new HttpsAgent(options) };
  }

  /**
   * The response to a GET, whatever its status; the caller reads or destroys it.
   * @throws Unreachable when the host is
   */
  async get(address: string, options: GetOptions = {}, redirects = 5): Promise<IncomingMessage> {
    const url = new URL(address);
    const response = await this.#reach(url, options);
    const { location } = response.headers;
    if (!location || ![301, 302, 303, 307, 308].includes(response.statusCode ?? 0)) return response;
    response.destroy();
    if (redirects === 0) throw new Error(`${address}: redirected too often`);
    const next = new URL(location, url);
    const headers: Record<string, string> = { ...options.headers };
    // A registry's token is not for the storage it redirects to.
    if (next.host !== url.host) delete headers.authorization;
    return this.get(next.href, { ...options, headers }, redirects - 1);
  }

  /**
   * The body of a GET that must succeed.
   * @throws when the status is not 200, or the body is larger than 32 MiB
   */
  async text(address: string, options: GetOptions = {}): Promise<string> {
    const response = await this.get(address, options);
    if (response.statusCode !== 200) {
      response.destroy();
      throw new Error(`${address}: HTTP ${response.statusCode}`);
    }
    return readText(response, address);
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

  #request(url: URL, { headers = {}, signal }: GetOptions, onTried?: () => void): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const make = url.protocol === "http:" ? httpRequest : httpsRequest;
      const request = make(url, {
        agent: this.#agents[url.protocol],
        headers: { "user-agent": "karmada-pulumi-toolchain", ...headers },
        ...(signal ? { signal } : {}),
      });
      let connected = false;
      const unreachable = (reason: string, cause?: Error) => {
        const error = new Unreachable(url.host, reason, cause ? { cause } : {});
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
        reject(early ? unreachable(error.code ?? error.message, error) : error);
        onTried?.();
      });
      request.end();
    });
  }
}

/** Whether TLS is set up already, as it is when a proxy's tunnel is handed over. */
const isSecure = (socket: Socket): boolean =>
  socket instanceof TLSSocket && !socket.connecting && /^TLS/.test(socket.getProtocol() ?? "");

/** The whole of a response's body as text, at most 32 MiB. */
export async function readText(response: IncomingMessage, address: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > 32 << 20) throw new Error(`${address}: more than 32 MiB where a short text was expected`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
