import https from "node:https";
import tls from "node:tls";
import { jsonOf } from "../../spec/values/json-of.ts";
import { messageOf } from "../wait.ts";

/** How to reach an etcd cluster. Everything PEM. */
export interface EtcdConnection {
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

/**
 * A member's JSON gateway (etcd's documentation, "gRPC gateway"). It writes 64-bit numbers as decimal strings, and
 * omits whatever has its default value. The gateway itself dials the member with the member's server certificate, which
 * must therefore be valid for client use too.
 */
export class EtcdClient {
  readonly #agent: https.Agent;

  constructor({ ca, certificate: cert, key }: EtcdConnection) {
    this.#agent = new https.Agent({ keepAlive: true, ca, cert, key, checkServerIdentity });
  }

  /** Calls one member: `call(endpoint, "maintenance/status", {})`. Milliseconds until it counts as unanswered. */
  async call<T>(endpoint: string, method: string, body: object, timeout = 3000): Promise<T> {
    const { status, text } = await this.#send(endpoint, "POST", `/v3/${method}`, JSON.stringify(body), timeout);
    const answer = jsonOf(text);
    if (status === 200 && answer !== undefined) return answer as T;
    throw new EtcdError(endpoint, method, status, answer, text);
  }

  /** A plain page of a member, for instance `/version`. */
  async page(endpoint: string, path: string, timeout = 3000): Promise<string> {
    const { status, text } = await this.#send(endpoint, "GET", path, undefined, timeout);
    if (status !== 200) throw new EtcdError(endpoint, path, status, undefined, text);
    return text;
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(endpoint: string, method: string, path: string, body: string | undefined, timeout: number) {
    const headers = { "content-type": "application/json" };
    const options = { method, agent: this.#agent, headers, signal: AbortSignal.timeout(timeout) };
    return new Promise<{ status: number; text: string }>((resolve, reject) => {
      https
        .request(`${endpoint.replace(/\/+$/, "")}${path}`, options, (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.once("error", reject);
          response.once("end", () =>
            resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
          );
        })
        .once("error", reject)
        .end(body);
    }).catch((error: unknown) => {
      throw unanswered(endpoint, error);
    });
  }
}

/** gRPC's PERMISSION_DENIED. */
export const permissionDenied = 7;

/** A member answered with an error. `code` is gRPC's status code. */
export class EtcdError extends Error {
  readonly code: number | undefined;
  /** The gateway itself refused, as it would any request: there is none, or it does not know who asks. */
  readonly gatewayUseless: boolean;

  constructor(endpoint: string, method: string, status: number, answer: unknown, text: string) {
    const { code, message, error } = (answer ?? {}) as { code?: number; message?: string; error?: string };
    super(`${endpoint}: ${method}: ${explained(status, code, message ?? error ?? text.trim().slice(0, 200))}`);
    this.code = code;
    this.gatewayUseless =
      (code === undefined && status === 404) || status === 415 || /^CommonName of client/.test(text);
  }

  /** From the status of a gRPC call. @param status in decimal */
  static ofCall(endpoint: string, method: string, status: string, said: string | undefined): EtcdError {
    const message = said ?? `gRPC status ${status}`;
    return new EtcdError(endpoint, method, 0, { code: Number(status), message }, message);
  }
}

/** A string as the gateway wants keys and values. */
export const encode = (text: string) => Buffer.from(text).toString("base64");

export const decode = (base64: string) => Buffer.from(base64, "base64").toString();

/** The end of the range of all keys that begin with `prefix`, for the gateway. */
export function endOfPrefix(prefix: string): string {
  const bytes = Buffer.from(prefix);
  for (let i = bytes.length - 1; i >= 0; i--) {
    const byte = bytes[i] ?? 0xff;
    if (byte === 0xff) continue;
    const end = Buffer.from(bytes.subarray(0, i + 1));
    end[i] = byte + 1;
    return end.toString("base64");
  }
  return Buffer.from([0]).toString("base64");
}

/**
 * Every loopback address is this machine. A member that is about to move to another address already shows its new
 * certificate, which it reads at every handshake.
 */
export function checkServerIdentity(host: string, certificate: tls.PeerCertificate): Error | undefined {
  const error = tls.checkServerIdentity(host, certificate);
  return error !== undefined && /^127\./.test(host) ? tls.checkServerIdentity("localhost", certificate) : error;
}

function explained(status: number, code: number | undefined, message: string): string {
  if (status === 415) return "answers gRPC only: its gateway is on another address (listen-client-http-urls)";
  if (status === 404 && code === undefined) return "has no JSON gateway (enable-grpc-gateway)";
  if (status === 503 && code === 14 && !/timed out|leader|unhealthy/.test(message)) {
    return `${message}; if it lasts, the member's certificate lacks client use (extended key usage clientAuth)`;
  }
  return message === "" ? `HTTP ${status}` : message;
}

/** Says why a member did not answer. */
export const unanswered = (endpoint: string, error: unknown): Error =>
  new Error(`${endpoint}: ${reasonOf(error)}`, { cause: error });

/**
 * Whether a member lets nobody in whose certificate is of today: it refuses ours, or shows one that has ended. It trusts
 * the authority that it read when it started.
 */
export const isRefusal = (error: unknown): boolean => {
  const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
  return code?.includes("ALERT") === true || code === "CERT_HAS_EXPIRED";
};

/** Whether a member was not even asked because the name in its URL does not resolve here, such as that of a Service. */
export const isUnknownName = (error: unknown): boolean =>
  ["ENOTFOUND", "EAI_AGAIN"].includes(((error as Error).cause as NodeJS.ErrnoException | undefined)?.code ?? "");

function reasonOf(error: unknown): string {
  const { code, name } = error as NodeJS.ErrnoException;
  if (name === "TimeoutError" || name === "AbortError") return "no answer in time";
  if (code === "ECONNREFUSED") return "connection refused, nothing listens there";
  if (code?.includes("ALERT") || code === "ECONNRESET") return `refuses our certificate or was cut off (${code})`;
  return messageOf(error);
}
