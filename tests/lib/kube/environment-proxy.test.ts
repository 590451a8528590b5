import https from "node:https";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { connectAlone } from "../../../lib/kube/client.ts";
import { withEnvironmentProxy } from "../../../lib/kube/environment-proxy.ts";
import { parseKubeconfig } from "../../../lib/kube/kubeconfig.ts";
import { streamsTo } from "../../../lib/kube/stream.ts";
import { createAuthority, type Authority } from "../../support/certificates.ts";
import { kubeconfigOf } from "../../support/cluster.ts";
import { startConnectProxy, type ConnectProxy } from "../../support/connect-proxy.ts";

const { WebSocketServer } = createRequire(import.meta.url)("ws") as {
  WebSocketServer: new (options: object) => unknown;
};
const variables = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY", "no_proxy", "NO_PROXY"];
const before = variables.map((name) => [name, process.env[name]] as const);
const proxies: ConnectProxy[] = [];
let authority: Authority;
let server: https.Server;
/** Of a server whose name only the proxy knows. */
let kubeconfig: string;

beforeAll(async () => {
  authority = await createAuthority("one");
  const leaf = await authority.issue({ commonName: "server", hosts: ["api.test"] });
  server = https.createServer({ cert: leaf.certificate, key: leaf.key, requestCert: true, ca: authority.certificate });
  server.on("request", (request: { socket: object }, response: { end: (text: string) => void }) => {
    const peer = request.socket as { getPeerCertificate: () => { subject: { CN: string } } };
    response.end(peer.getPeerCertificate().subject.CN);
  });
  new WebSocketServer({ server, handleProtocols: () => "v4.channel.k8s.io" });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  kubeconfig = kubeconfigOf(
    "https://api.test:6443",
    authority.certificate,
    await authority.issue({ commonName: "ann" }),
  );
});
beforeEach(() => variables.forEach((name) => delete process.env[name]));
afterAll(() => {
  for (const [name, value] of before) if (value !== undefined) process.env[name] = value;
  for (const proxy of proxies) proxy.close();
  server.closeAllConnections();
  server.close();
});

async function proxyTo(to: number | string): Promise<ConnectProxy> {
  const proxy = await startConnectProxy(to);
  proxies.push(proxy);
  return proxy;
}
const withProxy = (url: string) => kubeconfig.replace('"server":', `"proxy-url":"${url}","server":`);
const portOfServer = () => (server.address() as AddressInfo).port;

test("a server is asked through the environment's proxy, by who the kubeconfig says", async () => {
  const proxy = await proxyTo(portOfServer());
  process.env["HTTPS_PROXY"] = proxy.address;
  const client = await connectAlone(kubeconfig);
  expect(await client.request("GET", "/whoami")).toBe("ann");
  expect(proxy.asked).toEqual(["api.test:6443"]);
  expect(client.server).toBe("https://api.test:6443");
  client.close();
});

test("so is a stream, as of a command in a pod", async () => {
  const proxy = await proxyTo(portOfServer());
  process.env["https_proxy"] = proxy.address;
  const stream = await (await streamsTo(kubeconfig, 10))("/exec", () => true);
  stream.terminate();
  expect(proxy.asked).toEqual(["api.test:6443"]);
});

test.each([
  ["403 Forbidden", "the proxy answered 403"],
  ["407 Proxy Authentication Required", "the proxy answered 407"],
])("a proxy that answers %s is named, without its login", async (status, words) => {
  const { address } = await proxyTo(status);
  process.env["HTTPS_PROXY"] = address.replace("//", "//me:s3cret@");
  const client = await connectAlone(kubeconfig);
  await expect(client.get("/api")).rejects.toThrow(`https://api.test:6443 via the proxy ${address}: ${words}`);
  client.close();
});

test("one that is not there is named, where a kubeconfig says it too", async () => {
  const proxy = await proxyTo("403 Forbidden");
  proxy.close();
  const own = withProxy(proxy.address);
  expect(parseKubeconfig(own).proxyUrl).toBe(proxy.address);
  const client = await connectAlone(own);
  await expect(client.get("/api")).rejects.toThrow(
    `https://api.test:6443 via the proxy ${proxy.address}: connection refused, nothing listens there`,
  );
  client.close();
});

test.each([
  ["none is named", "https://api.test:6443", {}],
  ["NO_PROXY excludes the server", "https://api.test:6443", { HTTPS_PROXY: "http://p:1", NO_PROXY: ".test" }],
  ["the server is on this machine", "https://127.0.0.1:6443", { HTTPS_PROXY: "http://p:1" }],
  ["the server is on this machine, by name", "https://localhost:6443", { https_proxy: "http://p:1" }],
  ["the server is on this machine, by IPv6", "https://[::1]:6443", { https_proxy: "http://p:1" }],
])("the kubeconfig stays as it is where %s", (_, address, env) => {
  const given = kubeconfig.replace("https://api.test:6443", address);
  expect(withEnvironmentProxy(given, env)).toBe(given);
});

test("a kubeconfig's own proxy comes before the environment's", () => {
  const own = withProxy("http://own:1");
  expect(withEnvironmentProxy(own, { HTTPS_PROXY: "http://p:1" })).toBe(own);
});

test("a SOCKS proxy of the environment serves too; what is no proxy is refused by its variable", () => {
  const through = withEnvironmentProxy(kubeconfig, { HTTPS_PROXY: "socks5://p:1080" });
  expect(parseKubeconfig(through)).toEqual({ ...parseKubeconfig(kubeconfig), proxyUrl: "socks5://p:1080" });
  expect(() => withEnvironmentProxy(kubeconfig, { HTTPS_PROXY: "ftp://p" })).toThrow("HTTPS_PROXY: got ftp://p");
});
