import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "../../../lib/kube/client.ts";

/** A double of an API server. */
export interface Answering {
  readonly kubeconfig: string;
  /** What it was asked for, with the query. */
  readonly asked: string[];
  stop(): Promise<void>;
}

/** Starts one that answers each path with an object, or a text; with 404 to all others. */
export async function answering(answers: Readonly<Record<string, unknown>>): Promise<Answering> {
  const asked: string[] = [];
  const server = http.createServer(({ url = "" }, response) => {
    asked.push(url);
    const answer = answers[url] ?? answers[url.replace(/\?.*/, "")];
    response.statusCode = answer === undefined ? 404 : 200;
    if (typeof answer === "string") response.end(answer);
    else
      response
        .setHeader("content-type", "application/json")
        .end(JSON.stringify(answer ?? { message: "no such thing" }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const kubeconfig = JSON.stringify({
    "current-context": "a",
    contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
    clusters: [{ name: "a", cluster: { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } }],
    users: [{ name: "a", user: {} }],
  });
  return {
    kubeconfig,
    asked,
    stop: async () => {
      (await connect(kubeconfig)).close();
      server.closeAllConnections();
      server.close();
    },
  };
}
