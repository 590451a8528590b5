import type { Duplex } from "node:stream";
import type { Client, ConnectConfig } from "ssh2";

/** When a silent link is given up: after that many unanswered questions, and one interval more. */
export interface Keepalive {
  /** Milliseconds between two questions. */
  readonly interval: number;
  readonly questions: number;
}

/** 20 seconds. */
export const usualKeepalive: Keepalive = { interval: 5000, questions: 3 };

/** As ssh2 takes it. */
export const keepaliveOptions = ({ interval, questions }: Keepalive): ConnectConfig => ({
  keepaliveInterval: interval,
  keepaliveCountMax: questions,
});

/**
 * Makes whatever arrives count as a sign of life. ssh2 counts hardly anything but the answer to its question, which on
 * a slow line waits behind the megabytes being sent, while the host keeps acknowledging them. With an ssh2 that counts
 * differently, nothing changes.
 *
 * @param client logged in
 * @param stream the one it is logged in by
 */
export function countArrivals(client: Client, stream: Duplex, { interval }: Keepalive): void {
  let counted = -Infinity;
  stream.on("data", () => {
    const { _resetKA: restart } = client as { _resetKA?: unknown };
    const now = performance.now();
    // Each call makes a new timer.
    if (typeof restart !== "function" || now - counted < interval / 10) return;
    counted = now;
    restart();
  });
}
