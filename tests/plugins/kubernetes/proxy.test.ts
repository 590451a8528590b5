import { createServer } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { startApiServer, type ApiServer } from "../../support/api-server.ts";
import { startPlugin } from "../support/plugin.ts";

const CONFIG_MAP = "kubernetes:core/v1:ConfigMap";
const inputs = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "proxied", namespace: "default" } };

let server: ApiServer;
beforeAll(async () => (server = await startApiServer()), 120_000);
afterAll(() => server?.stop());

/** The kubeconfig with another address of its server, which only the proxy knows. */
function through(proxy: string): string {
  const kubeconfig = JSON.parse(server.kubeconfig) as { clusters: { cluster: Record<string, string> }[] };
  const { cluster } = kubeconfig.clusters[0]!;
  Object.assign(cluster, {
    server: "https://cluster.invalid:6443",
    "tls-server-name": "127.0.0.1",
    "proxy-url": proxy,
  });
  return JSON.stringify(kubeconfig);
}

/** A proxy that lets everything through to the API server. */
async function startProxy() {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const proxy = createServer().on("connect", (request, client: Socket) => {
    asked.push(`${request.url} ${request.headers["proxy-authorization"] ?? ""}`.trim());
    const upstream = connect(Number(new URL(server.url).port), "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.pipe(client).pipe(upstream);
    });
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}

test("a kubeconfig's proxy is gone through, with the user it names", async () => {
  await using proxy = await startProxy();
  const kubeconfig = through(`http://user:word@${proxy.address}`);
  await using plugin = await startPlugin("kubernetes", { config: { kubeconfig } });
  const state = await plugin.up(CONFIG_MAP, inputs);
  expect(state.outputs).toMatchObject({ metadata: { uid: expect.any(String) } });
  expect(new Set(proxy.asked)).toEqual(new Set(["cluster.invalid:6443 Basic dXNlcjp3b3Jk"]));
});

test("a proxy that does not answer makes the cluster unreachable, and is named", async () => {
  await using plugin = await startPlugin("kubernetes", { config: { kubeconfig: through("http://127.0.0.1:1") } });
  await expect(plugin.create(CONFIG_MAP, inputs)).rejects.toThrow(
    /configured Kubernetes cluster is unreachable: .*127\.0\.0\.1:1/s,
  );
});

test("an address that is no proxy's is refused", async () => {
  await using plugin = await startPlugin("kubernetes", { config: { kubeconfig: through("ftp://127.0.0.1") } });
  await expect(plugin.create(CONFIG_MAP, inputs)).rejects.toThrow(/unreachable: .*ftp/s);
});
