import http from "node:http";
import https from "node:https";
import { goesAgain, sendWhenOpen } from "../../toolchain/net/kept-alive.ts";
import { withoutLogin } from "../../toolchain/net/login.ts";
import { afterCut, beforeNext, retryAfter } from "./ask-again.ts";
import { withEnvironmentProxy } from "./environment-proxy.ts";
import { parseKubeconfig, type Connection } from "./kubeconfig.ts";
import { KubeError, unreachable } from "./error.ts";
import { librarySession } from "./library-session.ts";
import { ownSession } from "./own-session.ts";
import type { Credentials, Session } from "./session.ts";
import { sha256 } from "../sha256.ts";

/** An object of the Kubernetes API, as far as all of them are alike. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- spec, status and data differ per kind
export type KubeObject = Record<string, any> & {
  apiVersion?: string;
  kind?: string;
  metadata?: {
    name?: string;
    namespace?: string;
    uid?: string;
    resourceVersion?: string;
    generation?: number;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    finalizers?: string[];
    deletionTimestamp?: string;
    ownerReferences?: KubeObject[];
    managedFields?: readonly { readonly manager?: string }[];
  };
};

/** One call. */
export interface Call {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
  /** Milliseconds until it counts as unanswered. @default 10000 */
  readonly timeout?: number;
}

const usualTimeout = 10_000;

/** How our changes are marked for server-side apply. */
export const fieldManager = "karmada-pulumi";

/** A server and the right to talk to it. Paths are those of the API, for instance `/api/v1/namespaces/default`. */
export class KubeClient {
  readonly server: string;
  /** The server, for people: with the proxy that leads there. */
  readonly #way: string;
  readonly #session: Session;

  constructor(connection: Connection, session: Session) {
    this.server = connection.server;
    this.#way = wayTo(connection);
    this.#session = session;
  }

  /**
   * The body of an answer, parsed when it is JSON. A {@link KubeError} for every status from 400 on. What changes nothing is
   * asked again where the body is cut, as where the connection is ({@link open}).
   */
  async request<T = KubeObject>(method: string, path: string, call: Call = {}): Promise<T> {
    const end = performance.now() + (call.timeout ?? usualTimeout);
    for (let tries = 1; ; tries++) {
      const timeout = Math.max(1, Math.ceil(end - performance.now()));
      const response = await this.open(method, path, { ...call, timeout });
      const body = await text(response).catch((error: unknown) => unreachable(this.#way, error));
      if (typeof body === "string") return parsed(response, body) as T;
      await beforeNext(afterCut(method, body, tries), end, body, call.signal);
    }
  }

  /**
   * The answer with its body still to be read; its status is below 400. A server that says when to ask again, as one does
   * that only just started, is asked again then, and where a connection was cut, what changes nothing or was never sent is
   * asked again a second later: a load balancer cuts what it is just connecting to a server that it gives up. Both as long as
   * the call has time. Credentials that the server takes no more are made anew and shown once; a login has time of its own.
   */
  async open(method: string, path: string, call: Call = {}): Promise<http.IncomingMessage> {
    const query = new URLSearchParams(call.query).toString();
    const url = `${this.server}${path}${query === "" ? "" : `?${query}`}`;
    let end = performance.now() + (call.timeout ?? usualTimeout);
    let isAnew = false;
    for (let tries = 1; ; tries++) {
      const begun = performance.now();
      const credentials = await this.#session.credentials();
      end += performance.now() - begun;
      const timeout = Math.max(1, Math.ceil(end - performance.now()));
      const answer = await this.#send(method, url, credentials, { ...call, timeout }).catch((error: unknown) =>
        unreachable(this.#way, error),
      );
      const isAnswer = answer instanceof http.IncomingMessage;
      if (isAnswer && answer.statusCode !== 401) this.#session.taken(credentials);
      if (isAnswer && (answer.statusCode ?? 0) < 400) return answer;
      const failure = isAnswer ? await this.#refusal(method, path, answer) : answer;
      if (isAnswer && answer.statusCode === 401 && !isAnew && this.#session.refused(credentials)) {
        isAnew = true;
        continue;
      }
      const pause = isAnswer ? retryAfter(answer) : afterCut(method, answer, tries);
      await beforeNext(pause, end, failure, call.signal);
    }
  }

  get<T = KubeObject>(path: string, call?: Call): Promise<T> {
    return this.request<T>("GET", path, call);
  }

  /** Like `get`, but what is not there is undefined. */
  async find<T = KubeObject>(path: string, call?: Call): Promise<T | undefined> {
    return orUndefined(this.get<T>(path, call));
  }

  create<T = KubeObject>(path: string, body: object, call?: Call): Promise<T> {
    return this.request<T>("POST", path, { ...call, body });
  }

  replace<T = KubeObject>(path: string, body: object, call?: Call): Promise<T> {
    return this.request<T>("PUT", path, { ...call, body });
  }

  /** Server-side apply: creates what is not there, and sets the named fields, taking them over from others. */
  apply<T = KubeObject>(path: string, body: object, call?: Call): Promise<T> {
    const query = { fieldManager, force: "true", ...call?.query };
    return this.request<T>("PATCH", path, { ...call, query, body, contentType: "application/apply-patch+yaml" });
  }

  /** JSON merge patch. */
  merge<T = KubeObject>(path: string, body: object, call?: Call): Promise<T> {
    return this.request<T>("PATCH", path, { ...call, body, contentType: "application/merge-patch+json" });
  }

  /** Deletes; what is not there is deleted already. */
  async delete(path: string, body?: object, call?: Call): Promise<void> {
    await orUndefined(this.request("DELETE", path, { ...call, ...(body && { body }) }));
  }

  /** Lets go of the connections. */
  close(): void {
    this.#session.close();
  }

  /** What an answer of 400 or more says; that there is none where it is cut. */
  #refusal(method: string, path: string, answer: http.IncomingMessage): Promise<Error> {
    return text(answer).then(
      (body) => new KubeError(method, path, answer.statusCode ?? 0, body),
      (error: unknown) => unreachable(this.#way, error),
    );
  }

  #send(method: string, url: string, { agent, headers }: Credentials, call: Call & { readonly timeout: number }) {
    const { body, contentType, signal, timeout } = call;
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const ours = AbortSignal.timeout(timeout);
    const options: https.RequestOptions = {
      method,
      agent,
      signal: signal === undefined ? ours : AbortSignal.any([signal, ours]),
      headers: {
        accept: "application/json",
        ...headers,
        ...(payload && { "content-type": contentType ?? "application/json", "content-length": payload.length }),
      },
    };
    const send = this.server.startsWith("http:") ? http.request : https.request;
    return new Promise<http.IncomingMessage>((resolve, reject) => {
      const begin = () => {
        const request = send(url, options, resolve);
        request.once("error", (error: NodeJS.ErrnoException) => {
          if (goesAgain(request, error)) begin();
          else reject(error);
        });
        sendWhenOpen(request, payload);
      };
      begin();
    });
  }
}

/**
 * A client for a kubeconfig's current context, by way of its proxy or the environment's. The same kubeconfig gives the same
 * client, and shares its connections.
 */
export async function connect(kubeconfig: string): Promise<KubeClient> {
  const key = sha256(kubeconfig);
  const known = clients.get(key) ?? connectAlone(kubeconfig);
  clients.set(key, known);
  known.catch(() => clients.delete(key));
  return known;
}

const clients = new Map<string, Promise<KubeClient>>();

/**
 * A client for a kubeconfig's current context, with connections of its own, for who wants to know what is found now; to
 * be closed.
 */
export async function connectAlone(given: string): Promise<KubeClient> {
  const kubeconfig = withEnvironmentProxy(given);
  const connection = parseKubeconfig(kubeconfig);
  const isLibrarys = connection.login || connection.proxyUrl !== undefined;
  return new KubeClient(connection, isLibrarys ? await librarySession(kubeconfig, connection) : ownSession(connection));
}

/** Without the proxy's login. */
function wayTo({ server, proxyUrl }: Connection): string {
  return proxyUrl === undefined ? server : `${server} via the proxy ${withoutLogin(proxyUrl).replace(/\/$/, "")}`;
}

async function orUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof KubeError && error.status === 404) return undefined;
    throw error;
  }
}

async function text(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function parsed(response: http.IncomingMessage, body: string): unknown {
  return (response.headers["content-type"] ?? "").startsWith("application/json") ? JSON.parse(body) : body;
}
