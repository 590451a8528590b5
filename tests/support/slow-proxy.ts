import { connect, createServer, type Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A port of loopback that leads to another one, whose answers come late. */
export interface SlowProxy {
  readonly port: number;
  close(): void;
}

/** @param delay milliseconds by which everything the other side says is late; Infinity: it never comes */
export async function startSlowProxy(target: number, delay: number): Promise<SlowProxy> {
  const server = createServer((client) => {
    const upstream = connect(target, "127.0.0.1");
    const end = () => [client, upstream].forEach((socket) => socket.destroy());
    client.pipe(upstream);
    upstream.on("data", (chunk) => {
      if (delay !== Infinity) void sleep(delay).then(() => client.writable && client.write(chunk));
    });
    for (const socket of [client, upstream]) socket.on("error", end).on("close", end);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  return { port: portOf(server), close: () => server.close() };
}

const portOf = (server: Server): number => (server.address() as { port: number }).port;
