import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A port of loopback that leads to another one by a slow line. */
export interface SlowProxy {
  readonly port: number;
  close(): void;
}

/** @param delay milliseconds by which everything the other side says is late; Infinity: it never comes */
export async function startSlowProxy(target: number, delay: number): Promise<SlowProxy> {
  return listening((client) => {
    const upstream = connect(target, "127.0.0.1");
    const late = (then: () => void) => {
      if (delay !== Infinity) void sleep(delay, undefined, { ref: false }).then(then);
    };
    client.pipe(upstream);
    client.on("error", () => client.destroy()).on("close", () => upstream.destroy());
    upstream.on("data", (chunk) => late(() => client.writable && client.write(chunk)));
    upstream.on("error", () => upstream.destroy()).on("close", () => late(() => client.destroy()));
  });
}

/**
 * What is sent to the other side goes no faster than so; its answers come at once.
 * @param isCut says whether nothing comes through any more, either way
 */
export async function startNarrowProxy(
  target: { readonly host: string; readonly port: number },
  bytesPerSecond: number,
  isCut: () => boolean = () => false,
): Promise<SlowProxy> {
  return listening((client) => {
    const upstream = connect(target);
    client.on("error", () => client.destroy()).on("close", () => upstream.destroy());
    client.on("data", (chunk) => {
      if (!isCut()) upstream.write(chunk);
      client.pause();
      void sleep((chunk.length / bytesPerSecond) * 1000, undefined, { ref: false }).then(() => client.resume());
    });
    upstream.on("data", (chunk) => !isCut() && client.write(chunk));
    upstream.on("error", () => upstream.destroy()).on("close", () => client.destroy());
  });
}

async function listening(serve: (client: Socket) => void): Promise<SlowProxy> {
  const server = createServer(serve);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  return { port: portOf(server), close: () => server.close() };
}

const portOf = (server: Server): number => (server.address() as { port: number }).port;
