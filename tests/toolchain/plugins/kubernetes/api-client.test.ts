import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { jest } from "@jest/globals";
import { ApiClient } from "../../../../toolchain/plugins/kubernetes/api-client.ts";
import { Session } from "../../../../toolchain/plugins/kubernetes/session.ts";
import { parseSettings } from "../../../../toolchain/plugins/kubernetes/settings.ts";
import { Throttle } from "../../../../toolchain/plugins/kubernetes/throttle.ts";
import { createAuthority } from "../../../support/certificates.ts";
import { startConnectProxy } from "../../../support/connect-proxy.ts";
import { startWeb, type Answer, type Web } from "../../support/web.ts";

const clients: ApiClient[] = [];
afterEach(() => clients.splice(0).forEach((client) => client.close()));

function clientOf(server: string): ApiClient {
  const access = { server, tls: {}, proxy: undefined, headers: async () => ({}) };
  const client = new ApiClient(access, { throttle: new Throttle({ perSecond: -1, burst: 0 }) });
  clients.push(client);
  return client;
}

test("a server is asked through a proxy, with its own name", async () => {
  const authority = await createAuthority("one");
  const { key, certificate: cert } = await authority.issue({ commonName: "server", hosts: ["api.test"] });
  const server = https.createServer({ key, cert }, (_, response) => response.end('{"kind":"ConfigMap"}'));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy = await startConnectProxy((server.address() as AddressInfo).port);
  const tls = { ca: authority.certificate };
  const access = { server: "https://api.test:6443", tls, proxy: proxy.address, headers: async () => ({}) };
  const client = new ApiClient(access, { throttle: new Throttle({ perSecond: -1, burst: 0 }) });
  try {
    expect(await client.request("/api")).toEqual({ kind: "ConfigMap" });
    expect(proxy.asked).toEqual(["api.test:6443"]);
  } finally {
    client.close();
    proxy.close();
    server.close();
  }
});

describe("a server that has no time", () => {
  let web: Web;
  beforeEach(async () => (web = await startWeb()));
  afterEach(() => web.close());

  const busy = (status: number, headers: Record<string, string>, times = Infinity): Answer => {
    let left = times;
    return (_, response) => {
      if (left-- > 0) response.writeHead(status, headers).end("busy");
      else response.writeHead(200).end('{"kind":"ConfigMap"}');
    };
  };

  test.each([429, 500, 503, 504])(
    "answers %i and when to ask again: it is asked again then, for a write too",
    async (status) => {
      web.answers.set("/api", busy(status, { "retry-after": "0" }, 3));
      expect(await clientOf(web.base).request("/api", { method: "POST", body: {} })).toEqual({ kind: "ConfigMap" });
      expect(web.requests).toHaveLength(4);
    },
  );

  test("and says each time to ask again is left alone after ten times", async () => {
    web.answers.set("/api", busy(503, { "retry-after": "0" }));
    await expect(clientOf(web.base).request("/api")).rejects.toThrow("GET /api: the server answered 503: busy");
    expect(web.requests).toHaveLength(11);
  });

  test.each([
    [503, {}],
    [409, { "retry-after": "0" }],
    [503, { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" }],
  ])("is not asked again where it answers %i with %j", async (status, headers: Record<string, string>) => {
    web.answers.set("/api", busy(status, headers));
    await expect(clientOf(web.base).request("/api")).rejects.toMatchObject({ code: status });
    expect(web.requests).toHaveLength(1);
  });

  test("cuts the connection: a read is asked again a second later, as by client-go, a write is not", async () => {
    let cuts = 1;
    web.answers.set("/api", (request, response) => {
      if (cuts-- > 0) request.socket.destroy();
      else response.writeHead(200).end('{"kind":"ConfigMap"}');
    });
    const started = performance.now();
    expect(await clientOf(web.base).request("/api")).toEqual({ kind: "ConfigMap" });
    expect(performance.now() - started).toBeGreaterThan(990);
    cuts = 1;
    await expect(clientOf(web.base).request("/api", { method: "POST", body: {} })).rejects.toThrow("POST");
    expect(web.requests).toEqual(["GET /api", "GET /api", "POST /api"]);
  });

  test("is not waited for any longer when the deployment is cancelled", async () => {
    web.answers.set("/api", busy(503, { "retry-after": "60" }));
    const cancelled = new AbortController();
    const answer = clientOf(web.base).request("/api", { signal: cancelled.signal });
    setTimeout(() => cancelled.abort(), 300);
    await expect(answer).rejects.toMatchObject({ name: "AbortError" });
  });
});

describe("a connection that was used before", () => {
  const came: string[] = [];
  const connections: Socket[] = [];
  const server = http.createServer((request, response) => {
    request.resume().once("end", () => {
      if (came.push(`${request.method} ${request.url}`) === 1 && request.url === "/killed") request.socket.destroy();
      else response.end('{"kind":"ConfigMap"}');
    });
  });
  server.on("connection", (socket) => connections.push(socket));
  let client: ApiClient;
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
  beforeEach(async () => {
    client = clientOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await client.request("/first");
    came.length = 0;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  test("and that the server closed while it was idle is not an error for a write, which comes once", async () => {
    for (const connection of connections) connection.destroy();
    expect(await client.request("/second", { method: "POST", body: {} })).toEqual({ kind: "ConfigMap" });
    expect(came).toEqual(["POST /second"]);
  });

  test.each([
    ["GET", undefined],
    ["PATCH", "application/apply-patch+yaml"],
  ] as const)("and is cut once a %s has been taken: it is sent again, as twice comes to the same", async (...given) => {
    const [method, contentType] = given;
    const body = contentType && { body: {}, contentType };
    expect(await client.request("/killed", { method, ...body })).toEqual({ kind: "ConfigMap" });
    expect(came).toEqual([`${method} /killed`, `${method} /killed`]);
  });

  test.each([
    ["POST", "application/json"],
    ["PUT", "application/json"],
    ["PATCH", "application/json-patch+json"],
    ["DELETE", "application/json"],
  ] as const)("and is cut once a %s has been taken: it is not sent twice", async (method, contentType) => {
    const answer = client.request("/killed", { method, body: {}, contentType });
    await expect(answer).rejects.toThrow("socket hang up");
    expect(came).toEqual([`${method} /killed`]);
  });
});

describe("a server that takes no connections", () => {
  const listening = (port: number) =>
    new Promise<http.Server>((resolve) => {
      const server = http.createServer((_, response) => response.end('{"kind":"ConfigMap"}'));
      server.listen(port, "127.0.0.1", () => resolve(server));
    });
  const ended = (server: http.Server) =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });

  test("and did before is asked again until it is back, for a write too: it restarts", async () => {
    const first = await listening(0);
    const { port } = first.address() as AddressInfo;
    const client = clientOf(`http://127.0.0.1:${port}`);
    await client.request("/api");
    await ended(first);
    const answer = client.request("/api", { method: "POST", body: {} });
    await sleep(1500);
    const second = await listening(port);
    expect(await answer).toEqual({ kind: "ConfigMap" });
    await ended(second);
  });

  test("and never did is unreachable at once", async () => {
    const server = await listening(0);
    const { port } = server.address() as AddressInfo;
    await ended(server);
    const started = performance.now();
    await expect(clientOf(`http://127.0.0.1:${port}`).request("/api")).rejects.toThrow("ECONNREFUSED");
    expect(performance.now() - started).toBeLessThan(900);
  });
});

describe("a server that accepts connections and never answers", () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket));
  let url: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  beforeEach(() => jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask", "performance"] }));
  afterEach(() => void jest.useRealTimers());
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  /** How a promise stands after so much time since the request came. */
  async function after(seconds: number, promise: Promise<unknown>): Promise<unknown> {
    jest.advanceTimersByTime(seconds * 1000);
    return Promise.race([promise, sleep(200, "still waits")]);
  }

  test("counts as unreachable after 32 s, as for client-go", async () => {
    const kubeconfig = JSON.stringify({
      "current-context": "a",
      contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
      clusters: [{ name: "a", cluster: { server: url } }],
    });
    const connection = once(server, "connection");
    const opened = Session.open(parseSettings({ kubeconfig }, {})).then(({ unreachable }) => unreachable);
    await connection;
    expect(await after(31.9, opened)).toBe("still waits");
    expect(await after(0.2, opened)).toBe(
      `unable to load schema information from the API server: GET ${url}/version: no answer within 32s`,
    );
  });

  test("ends every other request after 75 s: it would have ended it itself after 60", async () => {
    const connection = once(server, "connection");
    const answer = clientOf(url)
      .request("/api/v1/namespaces", { method: "POST", body: {} })
      .catch((error: Error) => error.message);
    await connection;
    expect(await after(74.9, answer)).toBe("still waits");
    expect(await after(0.2, answer)).toBe(`POST ${url}/api/v1/namespaces: no answer within 75s`);
  });

  test("and let a read wait for long in vain gets ten seconds for the next, until one is answered; none is asked again", async () => {
    const client = clientOf(url);
    const read = async () => {
      const connection = once(server, "connection") as Promise<[Socket]>;
      const answer = client.request("/api/v1/namespaces").catch((error: Error) => error.message);
      return { answer, socket: (await connection)[0] };
    };
    const lost = (seconds: number) => `GET ${url}/api/v1/namespaces: no answer within ${seconds}s`;

    const first = await read();
    expect(await after(29.9, first.answer)).toBe("still waits");
    jest.advanceTimersByTime(200);
    first.socket.destroy();
    expect(await first.answer).toContain("socket hang up");
    const second = await read();
    expect(await after(9.9, second.answer)).toBe("still waits");
    expect(await after(0.2, second.answer)).toBe(lost(10));
    for (const seconds of [0, 31]) {
      const answered = await read();
      jest.advanceTimersByTime(seconds * 1000);
      answered.socket.write("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}");
      expect(await answered.answer).toEqual({});
    }
    const last = await read();
    expect(await after(74.9, last.answer)).toBe("still waits");
    expect(await after(0.2, last.answer)).toBe(lost(75));
  });
});
