import { request as httpRequest } from "node:http";
import type { Duplex } from "node:stream";
import { connect as tlsConnect } from "node:tls";
import { goodAnswer } from "../probe.ts";
import type { Host } from "./host.ts";

/** A question to a program on its own host's loopback address, whose good answer means that it serves. */
export type HostProbe =
  | {
      readonly kind: "http";
      readonly scheme: "http" | "https";
      readonly port: number;
      /** For instance `/readyz`. */
      readonly path: string;
      /** Keys of files of the process: what to verify an https server with, the client certificate to send and its key. @default not verified, none sent */
      readonly ca?: string;
      readonly certificate?: string;
      readonly key?: string;
      /** How long an answer may take. @default 5 */
      readonly answerSeconds?: number;
    }
  | { readonly kind: "tcp"; readonly port: number }
  /** Nothing to ask: it serves when systemd reports it as active. */
  | { readonly kind: "active" };

const usualSeconds = 5;

/**
 * Asks through the connection to the host: this reaches loopback listeners too, and no firewall is in the way.
 *
 * @param content content of a file of the process, by its key
 * @throws with what was answered when the answer is not good, or does not come in time
 */
export async function probeHost(host: Host, probe: HostProbe, content: (key: string) => string): Promise<void> {
  if (probe.kind === "active") return;
  const stream = await host.open(probe.port);
  // The user of the stream reports what went wrong.
  stream.on("error", () => undefined);
  try {
    if (probe.kind === "http") await probeHttp(probe, stream, content);
  } finally {
    stream.destroy();
  }
}

/** What is asked, in words. */
export function describeHostProbe(probe: HostProbe): string {
  switch (probe.kind) {
    case "http":
      return `${probe.scheme}://localhost:${probe.port}${probe.path}`;
    case "tcp":
      return `port ${probe.port}`;
    case "active":
      return "it to be active";
  }
}

async function probeHttp(
  { scheme, path, answerSeconds = usualSeconds, ...files }: Extract<HostProbe, { kind: "http" }>,
  stream: Duplex,
  content: (key: string) => string,
): Promise<void> {
  const connection = scheme === "http" ? stream : secured(stream, files, content);
  const signal = AbortSignal.timeout(answerSeconds * 1000);
  const request = httpRequest({ host: "localhost", path, signal, createConnection: () => connection });
  const answered = goodAnswer(request);
  request.end();
  try {
    await answered;
  } catch (error) {
    throw signal.aborted ? new Error(`no answer within ${answerSeconds}s`) : error;
  }
}

type Files = Pick<Extract<HostProbe, { kind: "http" }>, "ca" | "certificate" | "key">;

function secured(socket: Duplex, { ca, certificate, key }: Files, content: (key: string) => string): Duplex {
  const connection = tlsConnect({
    socket,
    servername: "localhost",
    rejectUnauthorized: ca !== undefined,
    ...(ca !== undefined && { ca: content(ca) }),
    ...(certificate !== undefined && key !== undefined && { cert: content(certificate), key: content(key) }),
  });
  // The request reports it too, unless it has ended by then.
  connection.on("error", () => undefined);
  return connection;
}
