import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer as createTcpServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeProbe, probe } from "../../lib/probe.ts";
import { createAuthority } from "../support/certificates.ts";

const port = 31620;
const url = `http://127.0.0.1:${port}/readyz`;
const secureUrl = `https://127.0.0.1:${port}/readyz`;

let server: Server | undefined;
afterEach(async () => {
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  server = undefined;
});

function listen(made: Server): Promise<void> {
  server = made;
  return new Promise((resolve) => made.listen(port, "127.0.0.1", resolve));
}

const answer =
  (status: number, body: string): RequestListener =>
  (_request, response) =>
    void response.writeHead(status).end(body);

it("an answer from 200 to 299 is good", async () => {
  await listen(createServer(answer(204, "")));
  await expect(probe({ kind: "http", url })).resolves.toBeUndefined();
});

it("another answer is named by its status and by the checks that failed", async () => {
  await listen(
    createServer(
      answer(500, "[+]ping ok\n[-]etcd failed: reason withheld\n[-]informer-sync failed\nreadyz check failed"),
    ),
  );
  await expect(probe({ kind: "http", url })).rejects.toThrow(
    "answered 500: [-]etcd failed: reason withheld, [-]informer-sync failed",
  );
});

it("an answer that does not come in its time is an error", async () => {
  await listen(createServer(() => undefined));
  const began = performance.now();
  await expect(probe({ kind: "http", url, answerSeconds: 1 })).rejects.toThrow("no answer within 1s");
  // Without a time of its own, 5 s are given.
  expect(performance.now() - began).toBeLessThan(4000);
});

it("a redirect is no good answer: it says nothing of the server's health", async () => {
  await listen(createServer(answer(307, "moved")));
  await expect(probe({ kind: "http", url })).rejects.toThrow("answered 307: moved");
});

it("a probe of an address where nothing listens is an error", async () => {
  await expect(probe({ kind: "http", url })).rejects.toThrow(`connect ECONNREFUSED 127.0.0.1:${port}`);
  await expect(probe({ kind: "tcp", host: "127.0.0.1", port })).rejects.toThrow("ECONNREFUSED");
});

it("a port that takes connections is good", async () => {
  await listen(createTcpServer());
  await expect(probe({ kind: "tcp", host: "127.0.0.1", port })).resolves.toBeUndefined();
});

describe("an https server", () => {
  const directory = mkdtempSync(join(tmpdir(), "probe-"));
  const file = (name: string, content: string) => {
    writeFileSync(join(directory, name), content);
    return join(directory, name);
  };
  afterAll(() => rmSync(directory, { recursive: true }));

  it("is verified with the authority it is asked with, and sees the client's certificate", async () => {
    const authority = await createAuthority("ours");
    const stranger = await createAuthority("theirs");
    const leaf = await authority.issue({ commonName: "server", hosts: ["127.0.0.1"] });
    const client = await authority.issue({ commonName: "client" });
    const options = { cert: leaf.certificate, key: leaf.key, ca: authority.certificate, requestCert: true };
    await listen(createHttpsServer({ ...options, rejectUnauthorized: true }, answer(200, "ok")));

    const caFile = file("ca.crt", authority.certificate);
    const certFile = file("tls.crt", client.certificate);
    const keyFile = file("tls.key", client.key);
    await expect(probe({ kind: "http", url: secureUrl, caFile, certFile, keyFile })).resolves.toBeUndefined();
    await expect(probe({ kind: "http", url: secureUrl, certFile, keyFile })).resolves.toBeUndefined();
    await expect(probe({ kind: "http", url: secureUrl, caFile })).rejects.toThrow(
      /certificate required|ECONNRESET|socket hang up/,
    );
    const other = file("other.crt", stranger.certificate);
    await expect(probe({ kind: "http", url: secureUrl, caFile: other, certFile, keyFile })).rejects.toThrow(
      "self-signed certificate in certificate chain",
    );
  });
});

it("says what it asks", () => {
  expect(describeProbe({ kind: "http", url })).toBe(url);
  expect(describeProbe({ kind: "tcp", host: "127.0.0.1", port: 1 })).toBe("a connection to 127.0.0.1:1");
});
