import { connect } from "node:net";

const EVERY_MS = 2000;

/**
 * Calls `end` once the engine that started this process is gone, however it ended: its process is this one's parent no
 * more, or its address takes no connection. That of a shell that started this one in turn stays its parent.
 *
 * @param args the command line; the engine's address is among them
 */
export function whenEngineGone(args: readonly string[], end: () => void): void {
  const parent = process.ppid;
  const [, host, port] = args.map((arg) => /^(127\.0\.0\.1|localhost):(\d+)$/.exec(arg)).find((match) => match) ?? [];
  const look = () => {
    if (process.ppid !== parent) end();
    else if (host !== undefined) whenRefused(host, Number(port), end);
  };
  look();
  setInterval(look, EVERY_MS).unref();
}

/** Lets go of a connection at once: an engine that ends waits for those it has. */
function whenRefused(host: string, port: number, refused: () => void): void {
  const socket = connect({ host, port, timeout: EVERY_MS });
  socket.once("connect", () => socket.destroy());
  socket.once("timeout", () => socket.destroy());
  socket.once("error", (error: NodeJS.ErrnoException) => error.code === "ECONNREFUSED" && refused());
  socket.unref();
}
