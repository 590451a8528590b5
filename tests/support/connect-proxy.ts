import { createServer, type Server } from "node:http";
import { connect, type AddressInfo } from "node:net";

/** A real HTTP proxy on this machine. */
export interface ConnectProxy {
  readonly address: string;
  /** What it was asked to connect to, `host:port`, in order. */
  readonly asked: readonly string[];
  readonly server: Server;
  close(): void;
}

/**
 * Starts a proxy that leads every host name to one port of this machine: names that nobody else knows show that it was gone
 * through.
 * @param to the port; a status line is what it refuses with, such as `403 Forbidden`
 */
export async function startConnectProxy(to: number | string): Promise<ConnectProxy> {
  const asked: string[] = [];
  const server = createServer();
  server.on("connect", (request, client) => {
    asked.push(request.url ?? "");
    if (typeof to === "string") return void client.end(`HTTP/1.1 ${to}\r\n\r\n`);
    const upstream = connect(to, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on("error", () => client.destroy());
    client.on("error", () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}`, asked, server, close: () => void server.close() };
}
