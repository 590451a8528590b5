import { connect } from "node:net";

/**
 * Calls `end` once the engine that started this process is gone, however it ended: its process is this one's parent no
 * more, or, when it was killed while this process was starting, its address takes no connection.
 *
 * @param args the command line; the engine's address is among them
 */
export function whenEngineGone(args: readonly string[], end: () => void): void {
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || end(), 2000).unref();
  const [, host, port] = args.map((arg) => /^(127\.0\.0\.1|localhost):(\d+)$/.exec(arg)).find((match) => match) ?? [];
  if (host === undefined) return;
  const socket = connect({ host, port: Number(port) });
  socket.once("connect", () => socket.destroy());
  socket.once("error", (error: NodeJS.ErrnoException) => error.code === "ECONNREFUSED" && end());
  socket.unref();
}
