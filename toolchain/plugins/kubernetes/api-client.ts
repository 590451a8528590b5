/** Requests to an API server over kept-alive connections. */
import type http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { goesAgain, sendWhenOpen } from "../../net/kept-alive.ts";
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
  /** How long the whole answer may take, in milliseconds, unless the settings say how long. @default 75 s */
  readonly timeoutMs?: number;
}

export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: KubeObject;
}

// `import http from "node:http"` would load all that the module has lazily, fetch too: 14 MB and a tenth of a second
const [plain, secure] = [process.getBuiltinModule("node:http"), process.getBuiltinModule("node:https")];
const USER_AGENT = "pulumi-kubernetes/4.32.0";
/** Of a server that has no time, that cuts the connection (client-go's rest/request.go), or that restarts. */
const RETRIES = 10;
const AWAY_PAUSE_MS = 1000;
/** API servers end what takes longer than 60 s themselves (--request-timeout), but not when they hang. */
const ANSWER_DEADLINE_MS = 75_000;
/** A server that has let a read wait for so long, and in vain, hangs, as one does without its etcd... */
const HANGS_MS = 30_000;
/** ...and the next read waits only this long, so that a refresh does not wait a minute or more for each object. */
const HUNG_DEADLINE_MS = 10_000;

export class ApiClient {
  readonly #access: Access;
  readonly #agent: http.Agent;
  readonly #throttle: Throttle;
  readonly #timeoutMs: number | undefined;
  #hasAnswered = false;
  #hangs = false;

  /** @param timeoutMs for every request. @default what the request says */
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
    const what = `${request.method ?? "GET"} ${path}`;
    const timeoutMs = this.#timeoutMs ?? request.timeoutMs ?? ANSWER_DEADLINE_MS;
    for (let attempt = 0; ; attempt++) {
      const response = await this.#send(path, request, { timeoutMs }).catch((error: Sent) => {
        if (attempt >= RETRIES || !(this.#isCut(request, error) || this.#restarts(error))) throw error;
      });
      if (response === undefined) {
        await sleep(AWAY_PAUSE_MS, undefined, request.signal && { signal: request.signal });
        continue;
      }
      const text = await textOf(response, what);
      const status = response.statusCode!;
      if (status < 300) return JSON.parse(text) as KubeObject;
      const seconds = attempt < RETRIES ? retryAfter(status, response.headers["retry-after"]) : undefined;
      if (seconds === undefined) throw new ApiError(status, text, what);
      await sleep(seconds * 1000, undefined, request.signal && { signal: request.signal });
    }
  }

  /** The changes of the selected objects, until the server ends the watch or the signal is aborted. */
  async *watch(path: string, request: Request & { signal: AbortSignal }): AsyncGenerator<WatchEvent> {
    const query = { ...request.query, watch: true, allowWatchBookmarks: true };
    const limit = { timeoutMs: this.#timeoutMs ?? ANSWER_DEADLINE_MS, isWatch: true };
    const response = await this.#send(path, { ...request, query }, limit);
    const what = `GET ${path}`;
    if (response.statusCode! >= 300) throw new ApiError(response.statusCode!, await textOf(response, what), what);
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

  /**
   * Whether a server that answered before takes no connections, as one of a single replica does while it restarts: nothing was
   * sent, so that a write may be asked again too. More than client-go does, which fails.
   */
  #restarts({ code }: Sent): boolean {
    return this.#hasAnswered && code === "ECONNREFUSED";
  }

  async #send(path: string, request: Request, limit: Limit): Promise<http.IncomingMessage> {
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
    const isRead = method === "GET" && !limit.isWatch;
    const send = () => (isRead ? this.#read : sendOnce)(url, options, body, limit);
    const response = await send().catch((error: Sent) => {
      if (error.goesAgain && !(isRead && this.#hangs)) return send();
      throw error;
    });
    this.#hasAnswered = true;
    return response;
  }

  /** Of a server that hangs, an answer is not waited for as long as of another. */
  readonly #read: typeof sendOnce = async (url, options, body, { timeoutMs: usualMs }) => {
    const timeoutMs = this.#hangs ? Math.min(usualMs, HUNG_DEADLINE_MS) : usualMs;
    let hangs = false;
    const alarm = setTimeout(() => (hangs = true), Math.min(timeoutMs, HANGS_MS));
    try {
      const response = await sendOnce(url, options, body, { timeoutMs });
      if (response.statusCode! < 500) hangs = false;
      return response;
    } finally {
      clearTimeout(alarm);
      this.#hangs = hangs;
    }
  };

  /** Whether client-go asks again where a connection was cut: it does for what changes nothing. A server that hangs is not. */
  #isCut({ method = "GET" }: Request, { code }: Sent): boolean {
    return method === "GET" && !this.#hangs && (code === "ECONNRESET" || code === "EPIPE");
  }
}

type Sent = Error & { goesAgain?: boolean; code?: string };

interface Limit {
  readonly timeoutMs: number;
  /** What comes after the headers may take any time. @default false */
  readonly isWatch?: boolean;
}

function sendOnce(
  url: URL,
  options: http.RequestOptions,
  body: Buffer | undefined,
  { timeoutMs, isWatch = false }: Limit,
): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { request: send } = url.protocol === "https:" ? secure : plain;
    let response: http.IncomingMessage | undefined;
    const deadline = setTimeout(
      () => (response ?? request).destroy(new Error(`no answer within ${timeoutMs / 1000}s`)),
      timeoutMs,
    );
    const request = send(url, options, (answer) => {
      response = answer;
      if (isWatch) clearTimeout(deadline);
      resolve(answer);
    });
    request.once("close", () => clearTimeout(deadline));
    request.once("error", (cause: Sent) => {
      const error = connectionError(`${options.method} ${url.origin}${url.pathname}`, cause) as Sent;
      error.goesAgain = goesAgain(request, cause);
      reject(error);
    });
    sendWhenOpen(request, body);
  });
}

async function textOf(response: http.IncomingMessage, what: string): Promise<string> {
  let text = "";
  try {
    for await (const chunk of response.setEncoding("utf8")) text += chunk as string;
  } catch (error) {
    throw connectionError(what, error as Error);
  }
  return text;
}

/**
 * The seconds after which a server that has no time wants to be asked again, as client-go's checkWait reads them;
 * `undefined` when it does not say, or something else is wrong.
 */
function retryAfter(status: number, header: string | undefined): number | undefined {
  const isBusy = status === 429 || status >= 500;
  return isBusy && header !== undefined && /^\d+$/.test(header) ? Number(header) : undefined;
}
