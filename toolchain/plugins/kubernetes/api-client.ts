/** Requests to an API server over kept-alive connections. */
import type http from "node:http";
import type { Access } from "./access.ts";
import { ApiError, connectionError } from "./api-error.ts";
import type { KubeObject } from "./object.ts";
import type { Throttle } from "./throttle.ts";

export interface Request {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly query?: Readonly<Record<string, string | boolean | undefined>>;
  readonly body?: unknown;
  /** @default application/json */
  readonly contentType?: string;
  readonly signal?: AbortSignal;
}

export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: KubeObject;
}

// `import http from "node:http"` would load all that the module has lazily, fetch too: 14 MB and a tenth of a second
const [plain, secure] = [process.getBuiltinModule("node:http"), process.getBuiltinModule("node:https")];
const USER_AGENT = "pulumi-kubernetes/4.32.0";
const BUSY_RETRIES = 10;

export class ApiClient {
  readonly #access: Access;
  readonly #agent: http.Agent;
  readonly #throttle: Throttle;
  readonly #timeoutMs: number | undefined;

  /** @param timeoutMs for one request. @default none */
  constructor(access: Access, { timeoutMs, throttle }: { timeoutMs?: number | undefined; throttle: Throttle }) {
    const { proxy } = access;
    const proxied = proxy !== undefined && { proxyEnv: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy } };
    const options = { keepAlive: true, maxSockets: 64, ...access.tls, ...proxied };
    this.#access = access;
    this.#agent = access.server.startsWith("https:") ? new secure.Agent(options) : new plain.Agent(options);
    this.#throttle = throttle;
    this.#timeoutMs = timeoutMs;
  }

  /** The answer's object. Throws ApiError for what the server refuses, and an Error when it cannot be reached. */
  async request(path: string, request: Request = {}): Promise<KubeObject> {
    for (let attempt = 0; ; attempt++) {
      const response = await this.#send(path, request, this.#timeoutMs);
      const text = await textOf(response);
      const busySeconds = Number(response.headers["retry-after"] ?? 0);
      if (response.statusCode! < 300) return JSON.parse(text) as KubeObject;
      if (response.statusCode !== 429 || !busySeconds || attempt >= BUSY_RETRIES) {
        throw new ApiError(response.statusCode!, text, `${request.method ?? "GET"} ${path}`);
      }
      await new Promise((resolve) => setTimeout(resolve, busySeconds * 1000));
      request.signal?.throwIfAborted();
    }
  }

  /** The changes of the selected objects, until the server ends the watch or the signal is aborted. */
  async *watch(path: string, request: Request & { signal: AbortSignal }): AsyncGenerator<WatchEvent> {
    const query = { ...request.query, watch: true, allowWatchBookmarks: true };
    const response = await this.#send(path, { ...request, query }, undefined);
    if (response.statusCode! >= 300) throw new ApiError(response.statusCode!, await textOf(response), `GET ${path}`);
    let rest = "";
    for await (const chunk of response.setEncoding("utf8")) {
      const lines = (rest + (chunk as string)).split("\n");
      rest = lines.pop()!;
      for (const line of lines) if (line) yield JSON.parse(line) as WatchEvent;
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  async #send(path: string, request: Request, timeoutMs: number | undefined): Promise<http.IncomingMessage> {
    await this.#throttle.take(request.signal);
    const authentication = await this.#access.headers();
    const body = request.body === undefined ? undefined : Buffer.from(JSON.stringify(request.body));
    const url = new URL(this.#access.server + path);
    for (const [key, value] of Object.entries(request.query ?? {})) {
      if (value !== undefined) url.searchParams.set(key, String(value));
    }
    const headers = {
      Accept: "application/json",
      "User-Agent": USER_AGENT,
      ...authentication,
      ...(body && { "Content-Type": request.contentType ?? "application/json", "Content-Length": String(body.length) }),
    };
    const method = request.method ?? "GET";
    const options = { method, headers, agent: this.#agent, ...(request.signal && { signal: request.signal }) };
    return sendOnce(url, options, body, timeoutMs).catch((error: Reused) => {
      // the server closed the idle connection just when it was used again: the request was not seen
      if (error.reusedSocket && error.code === "ECONNRESET") return sendOnce(url, options, body, timeoutMs);
      throw error;
    });
  }
}

type Reused = Error & { reusedSocket?: boolean; code?: string };

function sendOnce(
  url: URL,
  options: http.RequestOptions,
  body: Buffer | undefined,
  timeoutMs: number | undefined,
): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { request: send } = url.protocol === "https:" ? secure : plain;
    const request = send(url, options, resolve);
    request.once("error", (cause: Reused) => {
      const error = connectionError(`${options.method} ${url.origin}${url.pathname}`, cause) as Reused;
      error.reusedSocket = request.reusedSocket;
      reject(error);
    });
    if (timeoutMs) request.setTimeout(timeoutMs, () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)));
    request.end(body);
  });
}

async function textOf(response: http.IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk as string;
  return text;
}
