import type { Duplex } from "node:stream";
import type { Client, ConnectConfig } from "ssh2";

/** After how long a link on which nothing arrives is given up: so many questions, and one interval more. */
export interface Keepalive {
  /** Milliseconds between two questions. */
  readonly interval: number;
  readonly questions: number;
}

/** 20 seconds. */
export const usualKeepalive: Keepalive = { interval: 5000, questions: 3 };

/** As ssh2 has it. */
export const keepaliveOptions = ({ interval, questions }: Keepalive): ConnectConfig => ({
  keepaliveInterval: interval,
  keepaliveCountMax: questions,
});

/**
 * Has whatever arrives count as life. To ssh2 that is next to nothing but the answer to its question, which on a slow line
 * waits behind the megabytes that are being sent, while the host says all the time that it takes them. With a ssh2 that counts
 * otherwise it is as it was.
 *
 * @param client logged in
 * @param stream the one it is logged in by
 */
export function countArrivals(client: Client, stream: Duplex, { interval }: Keepalive): void {
  let counted = -Infinity;
  stream.on("data", () => {
    const { _resetKA: restart } = client as { _resetKA?: unknown };
    const now = performance.now();
    // Each one makes a timer anew.
    if (typeof restart !== "function" || now - counted < interval / 10) return;
    counted = now;
    restart();
  });
}
