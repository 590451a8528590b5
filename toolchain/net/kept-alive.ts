/** Requests over connections that were used before, which the server may close at any moment. */
import type { ClientRequest } from "node:http";

/**
 * Sends a request. Over a kept-alive connection it waits for the second turn of the event loop, before which Node has certainly asked
 * the system what came by it: where the server closed it while it was idle, the request fails with nothing of it sent, as in Go's
 * net/http, which reads idle connections all the time. That costs microseconds; a new connection for each write were a TLS handshake.
 */
export function sendWhenOpen(request: ClientRequest, body: Buffer | undefined): void {
  const send = () => {
    if (!request.destroyed) request.end(body);
  };
  request.once("socket", () => (request.reusedSocket ? setImmediate(setImmediate, send) : send()));
}

/**
 * Whether a request that failed is to be sent again at once, by another connection: none of it was sent, or twice comes to the same.
 * That it is cut does not tell one that came too late from one that was carried out by a server that was killed before it answered,
 * and twice a POST is refused as already there, twice a DELETE may take what was made in between.
 */
export function goesAgain(request: ClientRequest, { code }: NodeJS.ErrnoException): boolean {
  const isApply = request.getHeader("content-type") === "application/apply-patch+yaml";
  const isRepeatable = request.method === "GET" || isApply;
  return request.reusedSocket && code === "ECONNRESET" && (isRepeatable || !request.writableEnded);
}
