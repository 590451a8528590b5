import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { HttpClient } from "../../../toolchain/net/http.ts";
import { directToThisMachine, proxyFor } from "../../../toolchain/net/proxy.ts";

const github = new URL("https://github.com/karmada-io");
const proxy = { HTTPS_PROXY: "http://127.0.0.1:3128" };
const title = "the proxy http://127.0.0.1:3128 of HTTPS_PROXY";

test("an address without a scheme is one of http, as curl and Go take it", () => {
  expect(proxyFor(github, { HTTPS_PROXY: "127.0.0.1:3128" })).toEqual({ address: "http://127.0.0.1:3128/", title });
  expect(proxyFor(github, { HTTPS_PROXY: "proxy:3128" })?.address).toBe("http://proxy:3128/");
});

test("small letters come first, each scheme has a variable of its own, and an empty one names none", () => {
  expect(proxyFor(github, { https_proxy: "http://small:1", HTTPS_PROXY: "http://large:1" })).toEqual({
    address: "http://small:1/",
    title: "the proxy http://small:1 of https_proxy",
  });
  expect(proxyFor(github, { https_proxy: "", ...proxy })?.title).toBe(title);
  expect(proxyFor(github, { HTTP_PROXY: "http://plain:1", HTTPS_PROXY: "" })).toBeUndefined();
  expect(proxyFor(new URL("http://github.com"), { HTTP_PROXY: "http://plain:1" })?.address).toBe("http://plain:1/");
});

test("a login goes to the proxy and into no text", () => {
  expect(proxyFor(github, { HTTPS_PROXY: "me:secret@127.0.0.1:3128" })).toEqual({
    address: "http://me:secret@127.0.0.1:3128/",
    title,
  });
  expect(() => proxyFor(github, { HTTPS_PROXY: "socks5://me:secret@127.0.0.1:1080" })).toThrow(
    "HTTPS_PROXY: got socks5://127.0.0.1:1080, want the address of an HTTP proxy, such as http://proxy.example.org:3128",
  );
  expect(() => proxyFor(github, { HTTPS_PROXY: "http://me:sec#ret@" })).toThrow(
    "HTTPS_PROXY: what it says is no address, want the address of an HTTP proxy, such as http://proxy.example.org:3128",
  );
});

test.each([
  ["github.com", true],
  ["GitHub.com", true],
  [".github.com", true],
  ["example.org, github.com:443", true],
  ["github.com:8443", false],
  ["hub.com", false],
  ["api.github.com", false],
  ["com", true],
  ["*", true],
])("NO_PROXY=%s excludes github.com: %s", (list, excluded) => {
  expect(proxyFor(github, { ...proxy, NO_PROXY: list }) === undefined).toBe(excluded);
  expect(proxyFor(github, { ...proxy, no_proxy: list, NO_PROXY: "other" }) === undefined).toBe(excluded);
});

test.each([
  ["https://10.1.2.3:5000", "10.0.0.0/8", true],
  ["https://11.1.2.3:5000", "10.0.0.0/8", false],
  ["https://10.1.2.3:5000", "10.1.2.3", true],
  ["https://10.1.2.3:5000", "10.1.2.3:5000", true],
  ["https://10.1.2.3:5000", "2.3", false],
  ["https://[fd00::1]", "fd00::/8", true],
  ["https://[fd00::1]", "10.0.0.0/8,[fd00::1]:443", true],
  ["https://[fd00::1]", "fd00::2", false],
  ["https://10.1.2.3", "10.0.0.0/99", false],
  ["https://mirror.corp", "*.corp", true],
])("%s is excluded by NO_PROXY=%s: %s", (address, list, excluded) => {
  expect(proxyFor(new URL(address), { ...proxy, NO_PROXY: list }) === undefined).toBe(excluded);
});

test.each(["http://localhost:5000", "http://127.9.9.9", "https://[::1]:1", "https://LocalHost"])(
  "%s is this machine, which no proxy leads to",
  (address) => {
    expect(proxyFor(new URL(address), { HTTPS_PROXY: "http://p:1", HTTP_PROXY: "http://p:1" })).toBeUndefined();
  },
);

test.each([
  [{ HTTPS_PROXY: "http://p:1" }, {}],
  [{ https_proxy: "" }, {}],
  [{ https_proxy: "http://p:1" }, { no_proxy: "127.0.0.1,localhost,::1" }],
  [{ http_proxy: "http://p:1", NO_PROXY: "corp" }, { no_proxy: "127.0.0.1,localhost,::1,corp" }],
  [{ http_proxy: "http://p:1", NO_PROXY: "no", no_proxy: "a, b" }, { no_proxy: "127.0.0.1,localhost,::1,a, b" }],
  [
    { grpc_proxy: "http://p:1", no_grpc_proxy: "a" },
    { no_grpc_proxy: "127.0.0.1,localhost,::1,a", no_proxy: "127.0.0.1,localhost,::1" },
  ],
])("gRPC reaches this machine directly with %j by %j", (env, more) => {
  expect(directToThisMachine(env)).toEqual(more);
});

describe("a client", () => {
  const variables = ["http_proxy", "HTTP_PROXY", "no_proxy", "NO_PROXY"];
  const before = variables.map((name) => [name, process.env[name]] as const);
  beforeEach(() => variables.forEach((name) => delete process.env[name]));
  afterAll(() => before.forEach(([name, value]) => value !== undefined && (process.env[name] = value)));

  test("names the proxy that was to lead to a host that cannot be reached, but not its login", async () => {
    process.env["HTTP_PROXY"] = "me:secret@127.0.0.1:9";
    await expect(new HttpClient().get("http://publisher.test/demo")).rejects.toThrow(
      /^publisher\.test cannot be reached via the proxy http:\/\/127\.0\.0\.1:9 of HTTP_PROXY \(ECONNREFUSED\)$/,
    );
  });

  test("says of a proxy that HTTP does not go through that it is none, to each that asks", async () => {
    process.env["HTTP_PROXY"] = "socks5://127.0.0.1:1080";
    const client = new HttpClient();
    const refusal =
      "publisher.test cannot be reached (HTTP_PROXY: got socks5://127.0.0.1:1080, want the address of an HTTP proxy, " +
      "such as http://proxy.example.org:3128)";
    const asked = await Promise.allSettled([1, 2].map(() => client.get("http://publisher.test/demo")));
    expect(asked.map((each) => (each.status === "rejected" ? (each.reason as Error).message : ""))).toEqual([
      refusal,
      refusal,
    ]);
  });

  test("reaches a host that NO_PROXY excludes directly, and others through the proxy", async () => {
    const server = createServer((request, response) => response.end(request.url));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    process.env["HTTP_PROXY"] = `127.0.0.1:${port}`;
    process.env["NO_PROXY"] = "excluded.invalid";
    const client = new HttpClient();
    try {
      expect(await client.text(`http://127.0.0.1:${port}/demo`)).toBe("/demo");
      await expect(client.get("http://excluded.invalid/demo")).rejects.toThrow("excluded.invalid cannot be reached (");
      expect(await client.text("http://publisher.test/demo")).toBe("http://publisher.test/demo");
    } finally {
      server.close();
    }
  });
});
