/** A mirror of programs: a real server of this machine, whose files are laid out as an unpacked bundle. */
import { createReadStream, mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, type RequestListener, type Server } from "node:http";
import { createServer } from "node:https";
import { once } from "node:events";
import { dirname, join } from "node:path";
import type { Leaf } from "./certificates.ts";

export class MirrorServer {
  readonly url: string;
  /** What was asked for: `GET /content/...`. */
  readonly asked: string[] = [];
  /** Bytes a second, for who is to see it under way. @default as fast as it goes */
  pace?: number;
  readonly #directory: string;
  readonly #server: Server;

  private constructor(directory: string, url: string, leaf: Leaf | undefined) {
    this.#directory = directory;
    this.url = url;
    const listener: RequestListener = (request, response) => this.#serve(request, response);
    this.#server = leaf
      ? createServer({ cert: leaf.certificate, key: leaf.key }, listener)
      : createHttpServer(listener);
  }

  /** @param leaf for TLS. @default none */
  static async start(directory: string, address: string, port: number, leaf?: Leaf): Promise<MirrorServer> {
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, "manifest.json"), "{}\n");
    const scheme = leaf === undefined ? "http" : "https";
    const server = new MirrorServer(directory, `${scheme}://${address}:${port}/programs`, leaf);
    server.#server.listen(port, address);
    await once(server.#server, "listening");
    return server;
  }

  /** Gives it a file that is in the toolchain's store, or one that only lies as if it were. */
  put(file: string, place: string): void {
    const path = join(this.#directory, place);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(file, path);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #serve(...[request, response]: Parameters<RequestListener>): void {
    const { method, url = "" } = request;
    this.asked.push(`${method} ${url.replace("/programs", "")}`);
    const path = join(this.#directory, url.replace("/programs", ""));
    const size = statSync(path, { throwIfNoEntry: false })?.size;
    if (size === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { "content-length": size });
    if (method === "HEAD") return void response.end();
    const file = createReadStream(path, { highWaterMark: this.pace ?? 2 ** 18 });
    if (this.pace === undefined) return void file.pipe(response);
    file.on("data", (piece) => {
      response.write(piece);
      file.pause();
      setTimeout(() => file.resume(), 1000);
    });
    file.on("end", () => response.end());
  }
}
