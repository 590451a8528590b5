import type { Duplex } from "node:stream";
import ssh2 from "ssh2";
import type { AnyAuthMethod, Client } from "ssh2";
import { Authentication } from "./authentication.ts";
import type { Methods } from "./authentication.ts";
import type { Endpoint } from "./connection.ts";
import { parseHostKey } from "./host-key.ts";
import type { HostKey } from "./host-key.ts";

/** The official plugin has no limit here; a server that says nothing must not hold a deployment for ever. */
const DEADLINE_MS = 120_000;

/** What is known of an endpoint before it is called. */
export interface Login {
  readonly endpoint: Endpoint;
  readonly methods: Methods;
  readonly hostKey: HostKey | undefined;
}

/** @throws Error when the host key cannot be read */
export function login(endpoint: Endpoint, methods: Methods): Login {
  return { endpoint, methods, hostKey: endpoint.hostKey === undefined ? undefined : parseHostKey(endpoint.hostKey) };
}

/** An SSH connection over a stream; failures are told in Go's words. */
export function handshake({ endpoint, methods, hostKey }: Login, sock: Duplex): Promise<Client> {
  const authentication = new Authentication(endpoint.user, methods);
  let isOther = false;
  return new Promise((resolve, reject) => {
    const client = new ssh2.Client();
    const fail = (error: Error & { level?: string }) => {
      sock.destroy();
      reject(new Error(`ssh: handshake failed: ${reason(error)}`));
    };
    const reason = (error: Error & { level?: string }): string => {
      if (isOther) return "ssh: host key mismatch";
      if (error.level !== "client-authentication") return error.message;
      return `ssh: unable to authenticate, attempted methods [${authentication.tried}], no supported methods remain`;
    };
    client.once("error", fail);
    client.once("ready", () => {
      client.off("error", fail);
      client.on("error", () => {}); // what is under way then fails by itself
      resolve(client);
    });
    client.connect({
      sock,
      username: endpoint.user,
      readyTimeout: DEADLINE_MS,
      // false, to say that nothing is left, is missing in the types
      authHandler: (accepted, _partial, next) => next(authentication.next(accepted) as AnyAuthMethod),
      hostVerifier: (shown: Buffer) => !(isOther = hostKey !== undefined && !hostKey.matches(shown)),
      ...(hostKey && { algorithms: { serverHostKey: hostKey.algorithms } }),
    });
  });
}
