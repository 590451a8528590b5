import { connect, createServer, type Server, type Socket } from "node:net";

/** A port of this machine that leads to another one, until it is closed. */
export class Lead {
  readonly #server: Server;
  readonly #address: string;
  readonly #port: number;
  readonly #sockets = new Set<Socket>();

  constructor(address: string, port: number, to: { readonly host?: string; readonly port: number }) {
    this.#address = address;
    this.#port = port;
    this.#server = createServer((client) => {
      const upstream = connect({ host: "127.0.0.1", ...to });
      client.pipe(upstream).pipe(client);
      client.on("error", () => upstream.destroy()).on("close", () => upstream.destroy());
      upstream.on("error", () => client.destroy()).on("close", () => client.destroy());
      this.#sockets.add(client.once("close", () => this.#sockets.delete(client)));
    });
  }

  async open(): Promise<this> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject).listen(this.#port, this.#address, resolve);
    });
    return this;
  }

  /** Nobody listens there any more, and who came through it has lost the connection. It can be opened again. */
  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
