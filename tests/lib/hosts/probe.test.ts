import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { Host } from "../../../lib/hosts/host.ts";
import { probeHost } from "../../../lib/hosts/probe.ts";

/** Stands for a login: what matters here is what comes through it, and that is a real server's. */
const host = { open: async (port: number) => connect(port, "127.0.0.1") } as Pick<Host, "open"> as Host;

let server: Server;
afterEach(() => server.close());

async function ask(answer: (response: ServerResponse) => void, answerSeconds?: number): Promise<void> {
  server = createServer((_request: IncomingMessage, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const probe = {
    kind: "http",
    scheme: "http",
    port,
    path: "/readyz",
    ...(answerSeconds && { answerSeconds }),
  } as const;
  return probeHost(host, probe, () => "");
}

test("an answer has the time that is given for it, and no more", async () => {
  const began = performance.now();
  await expect(ask(() => undefined, 1)).rejects.toThrow("no answer within 1s");
  // Without a time of its own, 5 s are given.
  expect(performance.now() - began).toBeLessThan(4000);
});

test("an answer that comes late within its time is taken", async () => {
  await ask((response) => setTimeout(() => response.end("ok"), 5500), 15);
}, 20_000);
