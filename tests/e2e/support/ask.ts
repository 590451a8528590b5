import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";

/** What is shown and trusted. */
export interface Tls {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  readonly minVersion: "TLSv1.3";
  /** The name that the certificate has to have. @default that of the URL */
  readonly servername?: string;
}

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** One request. */
export function ask(url: string, tls?: Tls): Promise<Answer> {
  const options = { ...tls, timeout: 20_000, agent: false } as const;
  return new Promise((done, failed) => {
    const request = (url.startsWith("https:") ? requestHttps : requestHttp)(url, options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (more: string) => (text += more));
      response.on("error", failed).on("end", () => {
        done({ status: response.statusCode ?? 0, type: response.headers["content-type"] ?? "", text });
      });
    });
    request.on("timeout", () => request.destroy(new Error(`${url}: no answer within 20 s`)));
    request.on("error", failed).end();
  });
}
