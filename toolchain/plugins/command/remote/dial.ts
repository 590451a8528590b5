import type { Duplex } from "node:stream";
import type { Client } from "ssh2";
import type { Log } from "../../server/index.ts";
import { authenticationMethods } from "./authentication.ts";
import type { Connection } from "./connection.ts";
import { handshake, login } from "./handshake.ts";
import { retry } from "./retry.ts";
import { connectTcp } from "./tcp.ts";

interface Context {
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * Connects, through the proxy if there is one, uses the connection and closes it.
 * https://github.com/pulumi/pulumi-command/blob/v1.2.1/provider/pkg/provider/remote/connection.go
 */
export async function withConnection<T>(
  connection: Connection,
  context: Context,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const opened: Client[] = [];
  const close = () => opened.toReversed().forEach((client) => client.end());
  context.signal.addEventListener("abort", close, { once: true });
  try {
    return await use(await dial(connection, context, opened));
  } finally {
    context.signal.removeEventListener("abort", close);
    close();
  }
}

/** @param opened takes every client made */
async function dial(connection: Connection, context: Context, opened: Client[]): Promise<Client> {
  const { host, port, dialErrorLimit, perDialTimeout, proxy } = connection;
  const target = login(connection, await authenticationMethods(connection));
  if (proxy === undefined) {
    return keep(
      opened,
      await retry(
        "Dial",
        dialErrorLimit,
        async () => handshake(target, await connectTcp(host, port, perDialTimeout)),
        context,
      ),
    );
  }
  try {
    const bastion = login(proxy, await authenticationMethods(proxy));
    const dialProxy = async () => handshake(bastion, await connectTcp(proxy.host, proxy.port, proxy.perDialTimeout));
    const through = keep(opened, await retry("Dial proxy", proxy.dialErrorLimit, dialProxy, context));
    const forward = () => forwardTo(through, host, port);
    // the first forwarding counts attempts of its own; one for each further handshake is not retried
    const first = await retry("Dial from proxy", dialErrorLimit, forward, context);
    const streams = [first];
    return keep(
      opened,
      await retry("Dial", dialErrorLimit, async () => handshake(target, streams.pop() ?? (await forward())), context),
    );
  } catch (error) {
    throw new Error(`proxy: ${(error as Error).message}`);
  }
}

/** A connection from the proxy to the host. */
function forwardTo(client: Client, host: string, port: number): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    client.forwardOut("127.0.0.1", 0, host, port, (error, stream) => {
      if (!error) return resolve(stream);
      const { reason } = error as Error & { reason?: number };
      const description = error.message.replace(/^\(SSH\) Channel open failure: /, "");
      reject(
        new Error(reason === undefined ? description : `ssh: rejected: ${REASONS[reason] ?? reason} (${description})`),
      );
    });
  });
}

/** RFC 4254 section 5.1, in Go's words. */
const REASONS: Readonly<Record<number, string>> = {
  1: "administratively prohibited",
  2: "connect failed",
  3: "unknown channel type",
  4: "resource shortage",
};

function keep(opened: Client[], client: Client): Client {
  opened.push(client);
  return client;
}
