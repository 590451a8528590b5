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
    const late = (then: () => void) => {
      if (delay !== Infinity) void sleep(delay, undefined, { ref: false }).then(then);
    };
    client.pipe(upstream);
    client.on("error", () => client.destroy()).on("close", () => upstream.destroy());
    upstream.on("data", (chunk) => late(() => client.writable && client.write(chunk)));
    upstream.on("error", () => upstream.destroy()).on("close", () => late(() => client.destroy()));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  return { port: portOf(server), close: () => server.close() };
}

const portOf = (server: Server): number => (server.address() as { port: number }).port;
