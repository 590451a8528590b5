import { readFileSync } from "node:fs";
import { request as httpRequest, type ClientRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";

/** A request to a server whose good answer means that it serves. */
export type Probe =
  | {
      readonly kind: "http";
      /** Any answer from 200 to 299 is good. */
      readonly url: string;
      /** File with the CA certificates to verify an https server. @default not verified */
      readonly caFile?: string;
      /** Files with a client certificate to send and its key. @default none */
      readonly certFile?: string;
      readonly keyFile?: string;
      /** How long an answer may take. @default 5 */
      readonly answerSeconds?: number;
    }
  | { readonly kind: "tcp"; readonly host: string; readonly port: number };

const usualSeconds = 5;

/** @throws with what was answered when the answer is not good, or does not come in time. */
export function probe(probe: Probe): Promise<void> {
  return probe.kind === "http" ? probeHttp(probe) : probeTcp(probe);
}

/** What is asked, in words. */
export function describeProbe(probe: Probe): string {
  return probe.kind === "http" ? probe.url : `a connection to ${probe.host}:${probe.port}`;
}

function probeHttp({
  url,
  caFile,
  certFile,
  keyFile,
  answerSeconds = usualSeconds,
}: Extract<Probe, { kind: "http" }>): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = {
      agent: false,
      timeout: answerSeconds * 1000,
      rejectUnauthorized: caFile !== undefined,
      ...(caFile !== undefined && { ca: readFileSync(caFile) }),
      ...(certFile !== undefined &&
        keyFile !== undefined && { cert: readFileSync(certFile), key: readFileSync(keyFile) }),
    };
    const request = url.startsWith("https:") ? httpsRequest(url, options) : httpRequest(url, options);
    request.on("timeout", () => request.destroy(new Error(`no answer within ${answerSeconds}s`)));
    goodAnswer(request).then(resolve, reject);
    request.end();
  });
}

/** @throws with what was answered when it is not from 200 to 299 */
export function goodAnswer(request: ClientRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    request.on("error", reject);
    request.on("response", (response) => {
      const status = response.statusCode ?? 0;
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => (body += body.length < 300 ? part : ""));
      response.on("error", reject);
      response.on("end", () => {
        if (status >= 200 && status < 300) resolve();
        else reject(new Error(`answered ${status}: ${failures(body)}`));
      });
    });
  });
}

const failures = (body: string): string => (failedChecks(body) || body.trim()).slice(0, 200);

/** Kubernetes lists each check of a `/readyz`; those that failed begin with `[-]`. */
export const failedChecks = (body: string): string =>
  body
    .split("\n")
    .filter((line) => line.startsWith("[-]"))
    .join(", ");

function probeTcp({ host, port }: Extract<Probe, { kind: "tcp" }>): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: usualSeconds * 1000 });
    socket.on("timeout", () => socket.destroy(new Error(`no answer within ${usualSeconds}s`)));
    socket.on("error", reject);
    socket.on("connect", () => {
      socket.destroy();
      resolve();
    });
  });
}
