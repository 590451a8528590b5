import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A real HTTP server on loopback: what each path answers, and which requests came. */
export interface Web {
  readonly base: string;
  readonly requests: string[];
  readonly answers: Map<string, Answer>;
  close(): Promise<void>;
}

/**
 * Answers 404 to every path without an answer; Range requests of `bytes` answers are honoured.
 * @param tls makes it HTTPS; PEM
 */
export async function startWeb(tls?: { readonly certificate: string; readonly key: string }): Promise<Web> {
  const answers = new Map<string, Answer>();
  const requests: string[] = [];
  const respond: Answer = (request, response) => {
    requests.push(`${request.method} ${request.url}${request.headers.range ? ` ${request.headers.range}` : ""}`);
    const answer = answers.get(new URL(request.url ?? "", "http://x").pathname);
    if (answer) answer(request, response);
    else response.writeHead(404).end("no such thing");
  };
  const server = tls ? createSecureServer({ cert: tls.certificate, key: tls.key }, respond) : createServer(respond);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    base: `http${tls ? "s" : ""}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answers,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** The whole of it, or from where a Range header says. */
export const bytes =
  (content: string | Buffer): Answer =>
  (request, response) => {
    const all = Buffer.from(content);
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
    const rest = all.subarray(start);
    response.writeHead(start > 0 ? 206 : 200, { "content-length": rest.length }).end(rest);
  };

/** Promises the whole, sends a part and cuts the connection; the next requests are answered by `then`. */
export const truncatedOnce = (content: Buffer, then: Answer): Answer => {
  let first = true;
  return (request, response) => {
    if (!first) return then(request, response);
    first = false;
    truncated(content)(request, response);
  };
};

/** Promises the whole, sends half of it and cuts the connection. */
export const truncated =
  (content: Buffer): Answer =>
  (_request, response) => {
    response.writeHead(200, { "content-length": content.length });
    response.write(content.subarray(0, content.length / 2), () => setTimeout(() => response.destroy(), 50));
  };

/** Sends a byte now and then, for ever. */
export const trickle: Answer = (_request, response) => {
  response.writeHead(200, { "content-length": 1_000_000 });
  const timer = setInterval(() => response.write("x"), 100);
  response.on("close", () => clearInterval(timer));
};

/** Takes the request and never answers. */
export const silent: Answer = () => undefined;

/** Answers who logs in (`user:password`), and 401 to everybody else. */
export const behindLogin =
  (login: string, answer: Answer): Answer =>
  (request, response) => {
    if (request.headers.authorization === `Basic ${Buffer.from(login).toString("base64")}`) answer(request, response);
    else response.writeHead(401, { "www-authenticate": "Basic" }).end();
  };

export const redirect =
  (location: string): Answer =>
  (_request, response) =>
    void response.writeHead(302, { location }).end();

/** A body whose second half comes later. */
export const slowly =
  (body: Buffer): Answer =>
  (_request, response) => {
    response.writeHead(200, { "content-length": body.length }).write(body.subarray(0, body.length / 2));
    setTimeout(() => response.end(body.subarray(body.length / 2)), 300);
  };
