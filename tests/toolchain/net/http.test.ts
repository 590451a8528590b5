import "reflect-metadata";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer as createSecure } from "node:https";
import { connect, createServer as createSilent, type AddressInfo, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import * as x509 from "@peculiar/x509";
import { HttpClient, Unreachable } from "../../../toolchain/net/http.ts";
import {
  behindLogin,
  bytes,
  redirect,
  silent,
  startWeb,
  trickle,
  truncated,
  truncatedOnce,
  type Web,
} from "../support/web.ts";
import { startConnectProxy } from "../../support/connect-proxy.ts";
import { makeSandbox, script, sha256, type Sandbox } from "../support/sandbox.ts";

const program = script("demo v1.2.3");
let sandbox: Sandbox;
const servers: Server[] = [];
beforeAll(async () => (sandbox = await makeSandbox()));
afterAll(async () => {
  for (const server of servers) server.close();
  await sandbox.remove();
});

const listen = async (server: Server): Promise<number> => {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
};

test("an HTTPS publisher is reached through the proxy of the environment", async () => {
  const { key, cert } = await certificateOf("publisher.test");
  const files: Record<string, string | Buffer> = { "/demo": program, "/sum": sha256(program) };
  const publisher = createSecure({ key, cert }, (request, response) => response.end(files[request.url ?? ""]));
  const publisherPort = await listen(publisher);
  const proxy = await startConnectProxy(publisherPort);
  servers.push(proxy.server);
  const env = {
    ...process.env,
    HTTPS_PROXY: proxy.address,
    NODE_EXTRA_CA_CERTS: await sandbox.file("ca.pem", cert),
  };
  const runInstall = join(import.meta.dirname, "../support/run-install.ts");
  const args = [runInstall, sandbox.store, "https://publisher.test"];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  expect(stdout).toMatch(/\/demo\n$/);
  expect(proxy.asked).toEqual(["publisher.test:443", "publisher.test:443"]);
});

test("of a proxy that refuses, what it answers is said", async () => {
  const { address, server } = await startConnectProxy("407 Proxy Authentication Required");
  servers.push(server);
  const env = { ...process.env, HTTPS_PROXY: address, https_proxy: "", no_proxy: "", NO_PROXY: "" };
  const runInstall = join(import.meta.dirname, "../support/run-install.ts");
  const args = [runInstall, `${sandbox.store}-refused`, "https://publisher.test"];
  const run = promisify(execFile)(process.execPath, args, { env });
  await expect(run).rejects.toMatchObject({
    stderr: expect.stringContaining(
      `publisher.test cannot be reached via the proxy ${address} of HTTPS_PROXY (HTTP 407)`,
    ) as string,
  });
});

test("a host that drops packets is given up after the connect deadline, and then not tried again", async () => {
  const host = await startDropping();
  try {
    const client = new HttpClient({ connectSeconds: 1 });
    const address = `http://127.0.0.1:${host.port}/demo`;
    const refusal = `127.0.0.1:${host.port} cannot be reached (no connection within 1s)`;
    const timed = async () => {
      const started = performance.now();
      const error = await client.get(address).catch((error: unknown) => error);
      return { error, seconds: (performance.now() - started) / 1000 };
    };
    const both = await Promise.all([timed(), timed()]);
    for (const { error, seconds } of both) {
      expect(error).toEqual(new Unreachable(`127.0.0.1:${host.port}`, "no connection within 1s"));
      expect((error as Error).message).toBe(refusal);
      expect(seconds).toBeGreaterThan(0.95);
      expect(seconds).toBeLessThan(1.9);
    }
    expect((await timed()).seconds).toBeLessThan(0.1);
  } finally {
    host.stop();
  }
});

test("a host that never finishes its TLS handshake is given up after the connect deadline", async () => {
  const port = await listen(createSilent(() => undefined));
  const client = new HttpClient({ connectSeconds: 0.5 });
  await expect(client.get(`https://127.0.0.1:${port}/`)).rejects.toThrow(
    `127.0.0.1:${port} cannot be reached (no connection within 0.5s)`,
  );
});

describe("the login of an address", () => {
  let web: Web;
  let other: Web;
  beforeEach(async () => ([web, other] = await Promise.all([startWeb(), startWeb()])));
  afterEach(() => Promise.all([web.close(), other.close()]));
  const login = "ci:t0ken";
  const withLogin = (path: string) => `${web.base.replace("http://", `http://${login}@`)}${path}`;

  test("goes along where the host redirects to itself, and not where to another one", async () => {
    const client = new HttpClient();
    const headers = { authorization: `Basic ${Buffer.from(login).toString("base64")}` };
    web.answers.set("/whole", behindLogin(login, bytes("whole")));
    other.answers.set("/whole", (request, response) => response.end(request.headers.authorization ?? "nobody"));
    for (const location of ["/whole", `${web.base}/whole`, `${other.base}/whole`]) {
      web.answers.set("/", behindLogin(login, redirect(location)));
      const want = location.startsWith(other.base) ? "nobody" : "whole";
      expect([location, await client.text(withLogin("/"))]).toEqual([location, want]);
      expect([location, await client.text(`${web.base}/`, { headers })]).toEqual([location, want]);
    }
  });

  test("is not in what is said of a host that sends round in circles, or is silent", async () => {
    web.answers.set("/", redirect(withLogin("/")));
    await expect(new HttpClient().get(withLogin("/"))).rejects.toThrow(
      /^http:\/\/127\.0\.0\.1:\d+\/: redirected too often$/,
    );
    web.answers.set("/", silent);
    await expect(new HttpClient({ idleSeconds: 0.2 }).get(withLogin("/"))).rejects.toThrow(
      /^http:\/\/127\.0\.0\.1:\d+\/: no answer within 0\.2s$/,
    );
  });
});

describe("a short text", () => {
  let web: Web;
  beforeEach(async () => (web = await startWeb()));
  afterEach(() => web.close());
  const whole = Buffer.from(`${sha256(program)}  demo\n`);

  test("that breaks off is asked for again", async () => {
    web.answers.set("/sums", truncatedOnce(whole, bytes(whole)));
    expect(await new HttpClient().text(`${web.base}/sums`)).toBe(whole.toString());
    expect(web.requests).toHaveLength(2);
  });

  test("that breaks off each time is an error with the address and how far it came", async () => {
    web.answers.set("/sums", truncated(whole));
    await expect(new HttpClient().text(`${web.base}/sums`)).rejects.toThrow(
      `${web.base}/sums: the connection broke after ${Math.floor(whole.length / 2)} bytes`,
    );
    expect(web.requests).toHaveLength(3);
  });

  test("is asked for again where the server has no time, and not where there is none", async () => {
    let busy = 2;
    web.answers.set("/sums", (request, response) => {
      if (busy-- > 0) response.writeHead(503).end("busy");
      else bytes(whole)(request, response);
    });
    expect(await new HttpClient().text(`${web.base}/sums`)).toBe(whole.toString());
    await expect(new HttpClient().text(`${web.base}/none`)).rejects.toThrow(`${web.base}/none: HTTP 404`);
    expect(web.requests).toEqual(["GET /sums", "GET /sums", "GET /sums", "GET /none"]);
  });

  test("that trickles is given up once its time is over", async () => {
    web.answers.set("/sums", trickle);
    const started = performance.now();
    await expect(new HttpClient({ textSeconds: 0.5 }).text(`${web.base}/sums`)).rejects.toThrow(
      `${web.base}/sums: not whole within 0.5s`,
    );
    expect(performance.now() - started).toBeLessThan(1500);
    expect(web.requests).toHaveLength(1);
  });
});

/** A listening process that is stopped, its queue of connections full: the kernel drops every further SYN. */
async function startDropping(): Promise<{ port: number; stop(): void }> {
  const program = `const server = require("net").createServer().listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
    console.log(server.address().port);
    process.kill(process.pid, "SIGSTOP");
  })`;
  const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const port = Number(line.toString());
  const sockets: Socket[] = [];
  for (let dropped = false; !dropped;) {
    const socket = connect(port, "127.0.0.1").on("error", () => undefined);
    sockets.push(socket);
    dropped = await Promise.race([once(socket, "connect").then(() => false), sleep(300, true)]);
  }
  return {
    port,
    stop() {
      for (const socket of sockets) socket.destroy();
      child.kill("SIGKILL");
    },
  };
}

async function certificateOf(name: string): Promise<{ key: string; cert: string }> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    signingAlgorithm: algorithm,
    notAfter: new Date(Date.now() + 86_400_000),
    extensions: [
      new x509.BasicConstraintsExtension(true),
      new x509.SubjectAlternativeNameExtension([{ type: "dns", value: name }]),
    ],
  });
  const key = x509.PemConverter.encode(await crypto.subtle.exportKey("pkcs8", keys.privateKey), "PRIVATE KEY");
  return { key, cert: certificate.toString("pem") };
}
