import type http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { UnreachableError } from "./error.ts";

/** Milliseconds after which a server that has no time now wants to be asked again; undefined when it does not say. */
export function retryAfter({
  statusCode = 0,
  headers: { "retry-after": seconds },
}: http.IncomingMessage): number | undefined {
  const isBusy = statusCode === 429 || statusCode >= 500;
  return isBusy && seconds !== undefined && /^\d+$/.test(seconds) ? Math.max(100, Number(seconds) * 1000) : undefined;
}

/**
 * Milliseconds after which is asked again where a connection was cut: what changes nothing, as client-go does ten times
 * (rest/request.go, `IsProbableEOF` and `IsConnectionReset`), and what was never sent. Undefined where it is not.
 */
export function afterCut(method: string, error: Error, tries: number): number | undefined {
  const isCut = error instanceof UnreachableError && (error.code === "ECONNRESET" || error.code === "EPIPE");
  return isCut && tries <= 5 && (method === "GET" || wasNeverSent(error)) ? 1000 : undefined;
}

/** As Node.js says it (lib/_tls_wrap.js, `onConnectEnd`). */
const wasNeverSent = ({ cause }: Error): boolean =>
  String(cause).includes("before secure TLS connection was established");

/**
 * Waits until it is time to ask again.
 *
 * @param pause milliseconds; undefined where it is not to be asked again
 * @param end of the call's time, by `performance.now()`
 * @throws the failure where it is not to be asked, has no time, or is not wanted any more
 */
export async function beforeNext(
  pause: number | undefined,
  end: number,
  failure: Error,
  signal?: AbortSignal,
): Promise<void> {
  if (pause === undefined || performance.now() + pause > end) throw failure;
  await sleep(pause, undefined, signal && { signal }).catch(() => {
    throw failure;
  });
}
