import { type ClientHttp2Session, connect } from "node:http2";
import { checkServerIdentity, EtcdClient, EtcdError, unanswered, type EtcdConnection } from "../client.ts";
import { beginCall, outcomeOf, prefixBytes } from "./call.ts";
import { decodeMessage, encodeMessage } from "./codec.ts";
import { methods, type Method } from "./messages.ts";

/**
 * Asks members at their JSON gateway like {@link EtcdClient}, but by gRPC, as an API server does, if the gateway is of
 * no use: it is off or elsewhere, or etcd's authentication is on, where a gateway does not take the common name of a
 * client's certificate for the user. https://etcd.io/docs/v3.6/op-guide/authentication/rbac/#using-tls-common-name
 */
export class DirectEtcdClient extends EtcdClient {
  readonly #connection: EtcdConnection;
  /** By endpoint, where the gateway is of no use. */
  readonly #sessions = new Map<string, ClientHttp2Session>();

  constructor(connection: EtcdConnection) {
    super(connection);
    this.#connection = connection;
  }

  override async call<T>(endpoint: string, method: string, body: object, timeout = 3000): Promise<T> {
    const known = methods[method];
    if (known === undefined) return super.call<T>(endpoint, method, body, timeout);
    try {
      if (this.#sessions.has(endpoint))
        return await ask<T>(this.#session(endpoint), endpoint, method, known, body, timeout);
      return await super.call<T>(endpoint, method, body, timeout);
    } catch (error) {
      if (!(error instanceof EtcdError)) throw error;
      if (error.gatewayUseless) {
        this.#session(endpoint);
        return this.call<T>(endpoint, method, body, timeout);
      }
      throw error;
    }
  }

  override close(): void {
    for (const session of this.#sessions.values()) session.destroy();
    super.close();
  }

  /** The connection to a member; another one when it has ended. */
  #session(endpoint: string): ClientHttp2Session {
    const open = this.#sessions.get(endpoint);
    if (open !== undefined && !open.closed && !open.destroyed) return open;
    const { ca, key, certificate: cert } = this.#connection;
    const session = connect(endpoint, { ca, key, cert, checkServerIdentity, settings: { enablePush: false } });
    session.on("error", () => {}); // the call has it too
    this.#sessions.set(endpoint, session);
    return session;
  }
}

async function ask<T>(
  session: ClientHttp2Session,
  endpoint: string,
  name: string,
  { path, request, response }: Method,
  body: object,
  timeout: number,
): Promise<T> {
  const call = beginCall(session, path, encodeMessage(request, body));
  const late = setTimeout(() => call.destroy(new Error("no answer in time")), timeout);
  const ended = outcomeOf(call);
  const pieces: Buffer[] = [];
  try {
    for await (const piece of call) pieces.push(piece as Buffer);
  } catch (error) {
    // If the connection was never made, the call itself only reports that it was cancelled.
    throw unanswered(endpoint, (error as Error).cause ?? error);
  } finally {
    clearTimeout(late);
  }
  const { status, said } = await ended;
  if (status === undefined) throw new Error(`${endpoint}: ${said ?? "it broke off"}`);
  if (status !== "0") throw EtcdError.ofCall(endpoint, name, status, said);
  return decodeMessage(response, Buffer.concat(pieces).subarray(prefixBytes)) as T;
}
