import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { S3Server } from "./s3.ts";

/** A request on its way to a server. */
export interface Asked {
  /** From 1. */
  readonly count: number;
  /** What part of an upload of data it is. */
  readonly upload: string | undefined;
  /** Whether it reads a manifest. */
  readonly manifest: boolean;
}

/**
 * `refused late` and `cut`: after some of what is sent has come. `no checksum`: the answer has none. `half an answer`: it
 * breaks off.
 */
type How = "open" | "refused" | "refused late" | "cut" | "no checksum" | "half an answer";

/** A way to the server on which the test says how each request goes. */
export async function wayToS3({ settings }: S3Server, choose: (asked: Asked) => How) {
  const all: (Asked & { how: How })[] = [];
  const refuse = (answer: ServerResponse) => {
    answer.writeHead(503, { "content-type": "application/xml" });
    answer.end("<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>");
  };
  const proxy = createServer();
  const take = (near: IncomingMessage, answer: ServerResponse) => {
    const asked = { count: all.length + 1, upload: uploadOf(near), manifest: readsManifest(near) };
    const how = choose(asked);
    all.push({ ...asked, how });
    if (how === "refused") {
      near.resume();
      return refuse(answer);
    }
    if (near.headers.expect !== undefined) answer.writeContinue();
    if (how === "refused late") return void near.once("data", () => refuse(answer)).resume();
    if (how === "cut") return void near.once("data", () => near.socket.destroy());
    const { method, url, headers } = near;
    const { expect: _, ...others } = headers;
    const far = request(settings.endpoint! + url!, { method, headers: others }, (response) => {
      if (how === "no checksum") delete response.headers["x-amz-checksum-crc32"];
      answer.writeHead(response.statusCode!, response.headers);
      if (how === "half an answer")
        return void response.once("data", (part: Buffer) =>
          answer.write(part.subarray(0, part.length / 2), () => near.socket.destroy()),
        );
      response.pipe(answer);
    });
    near.pipe(far);
  };
  proxy.on("request", take).on("checkContinue", take).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return {
    endpoint: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    asked: () => all,
    uploads: () => all.flatMap(({ upload }) => upload ?? []),
    close() {
      proxy.close();
      proxy.closeAllConnections();
    },
  };
}

/** Of data: of the manifest and the note that it is unfinished there is nothing to say. */
function uploadOf({ method, url = "" }: IncomingMessage): string | undefined {
  const { pathname, searchParams } = new URL(url, "http://s3");
  if (!/\.db(\.aes)?$/.test(pathname) || (method !== "PUT" && method !== "POST")) return undefined;
  if (searchParams.has("uploads")) return "begun";
  if (searchParams.has("partNumber")) return "part";
  return searchParams.has("uploadId") ? "ended" : "whole";
}

const readsManifest = ({ method, url = "" }: IncomingMessage): boolean =>
  method === "GET" && new URL(url, "http://s3").pathname.endsWith(".json");
