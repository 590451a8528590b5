import grpc from "@grpc/grpc-js";
import { isIP } from "node:net";
import type { PeerCertificate } from "node:tls";
import { checkServerIdentity, EtcdClient, EtcdError, type EtcdConnection } from "../client.ts";
import type { MemberList, Status } from "../questions.ts";
import { decodeMessage, encodeMessage } from "./codec.ts";
import { methods, type Method } from "./messages.ts";

/**
 * Asks members at their JSON gateway like {@link EtcdClient}, and by gRPC, as an API server does, those whose gateway is of
 * no use: it is off or elsewhere, or etcd's authentication is on, where a gateway does not take the common name of a client's
 * certificate for the user. https://etcd.io/docs/v3.6/op-guide/authentication/rbac/#using-tls-common-name
 */
export class DirectEtcdClient extends EtcdClient {
  readonly #connection: EtcdConnection;
  readonly #channels = new Map<string, grpc.Client>();

  constructor(connection: EtcdConnection) {
    super(connection);
    this.#connection = connection;
  }

  override async call<T>(endpoint: string, method: string, body: object, timeout = 3000): Promise<T> {
    const known = methods[method];
    if (known === undefined) return super.call<T>(endpoint, method, body, timeout);
    try {
      const channel = this.#channels.get(endpoint);
      if (channel !== undefined) return await ask<T>(channel, endpoint, method, known, body, timeout);
      return await super.call<T>(endpoint, method, body, timeout);
    } catch (error) {
      if (!(error instanceof EtcdError)) throw error;
      if (error.gatewayUseless) {
        this.#open(endpoint);
        return this.call<T>(endpoint, method, body, timeout);
      }
      if (method !== "maintenance/status" || error.code !== grpc.status.PERMISSION_DENIED) throw error;
      return (await this.#knownToAll(endpoint, timeout)) as T;
    }
  }

  override close(): void {
    for (const channel of this.#channels.values()) channel.close();
    super.close();
  }

  /** What a user who is no administrator may know of a member's state. */
  async #knownToAll(endpoint: string, timeout: number): Promise<Status> {
    const list = await this.call<MemberList>(endpoint, "cluster/member/list", {}, timeout).catch((error: Error) => {
      if (/not supported for learner/.test(error.message)) return undefined;
      throw error;
    });
    if (list === undefined) return { header: {}, isLearner: true };
    const { etcdserver: version } = JSON.parse(await this.page(endpoint, "/version", timeout)) as {
      etcdserver: string;
    };
    const hasLeader = await this.page(
      endpoint,
      "/health?serializable=true&exclude=NOSPACE&exclude=CORRUPT",
      timeout,
    ).then(
      () => true,
      () => false,
    );
    return { header: list.header, version, ...(hasLeader && { leader: "0" }) };
  }

  #open(endpoint: string): void {
    if (this.#channels.has(endpoint)) return; // by another call that was made meanwhile
    const { ca, key, certificate } = this.#connection;
    const { hostname, host } = new URL(endpoint);
    const name = hostname.replace(/^\[|\]$/g, "");
    const credentials = grpc.credentials.createSsl(Buffer.from(ca), Buffer.from(key), Buffer.from(certificate), {
      checkServerIdentity: (_: string, theirs: PeerCertificate) => checkServerIdentity(name, theirs),
    });
    const channel = new grpc.Client(host, credentials, {
      "grpc.enable_http_proxy": 0,
      // TLS knows names only; the certificate is held against the address all the same.
      ...(isIP(name) !== 0 && { "grpc.ssl_target_name_override": "localhost" }),
    });
    this.#channels.set(endpoint, channel);
  }
}

function ask<T>(
  channel: grpc.Client,
  endpoint: string,
  name: string,
  { path, request, response }: Method,
  body: object,
  timeout: number,
): Promise<T> {
  return new Promise((resolve, reject) =>
    channel.makeUnaryRequest(
      path,
      (value: object) => encodeMessage(request, value),
      (bytes: Buffer) => decodeMessage(response, bytes),
      body,
      { deadline: Date.now() + timeout },
      (error, value) => {
        if (error === null) resolve(value as T);
        else if (error.code === grpc.status.DEADLINE_EXCEEDED) reject(new Error(`${endpoint}: no answer in time`));
        else reject(new EtcdError(endpoint, name, 0, { code: error.code, message: error.details }, ""));
      },
    ),
  );
}
