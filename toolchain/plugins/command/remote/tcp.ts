import { connect } from "node:net";
import type { Socket } from "node:net";

/**
 * Connects; failures are told in Go's words.
 * @param seconds until it gives up; 0 for no limit
 */
export function connectTcp(host: string, port: number, seconds: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true });
    const timer = seconds > 0 ? setTimeout(() => socket.destroy(new Error("i/o timeout")), seconds * 1000) : undefined;
    socket.once("connect", () => {
      clearTimeout(timer);
      socket.removeAllListeners("error");
      resolve(socket);
    });
    socket.once("error", (error: NodeJS.ErrnoException & { address?: string }) => {
      clearTimeout(timer);
      reject(new Error(describe(first(error), host, port)));
    });
  });
}

/** Of a host with several addresses the failure of the first. */
function first(error: Error): NodeJS.ErrnoException & { address?: string } {
  return error instanceof AggregateError ? error.errors[0] : error;
}

function describe(error: NodeJS.ErrnoException & { address?: string }, host: string, port: number): string {
  if (error.code === "ENOTFOUND" || error.code === "EAI_AGAIN") return `dial tcp: lookup ${host}: no such host`;
  const address = error.address ?? host;
  const target = address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
  const reason = REASONS[error.code ?? ""];
  return `dial tcp ${target}: ${reason === undefined ? error.message : `connect: ${reason}`}`;
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "network is unreachable",
  ETIMEDOUT: "connection timed out",
};
