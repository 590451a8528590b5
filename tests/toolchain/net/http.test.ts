import "reflect-metadata";
import { execFile } from "node:child_process";
import { createServer as createPlain } from "node:http";
import { createServer as createSecure } from "node:https";
import { connect, type AddressInfo, type Server } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import * as x509 from "@peculiar/x509";
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
  const tunnels: string[] = [];
  const proxy = createPlain();
  proxy.on("connect", (request, client) => {
    tunnels.push(request.url ?? "");
    const upstream = connect(publisherPort, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on("error", () => client.destroy());
    client.on("error", () => upstream.destroy());
  });
  const env = {
    ...process.env,
    HTTPS_PROXY: `http://127.0.0.1:${await listen(proxy)}`,
    NODE_EXTRA_CA_CERTS: await sandbox.file("ca.pem", cert),
  };
  const runInstall = join(import.meta.dirname, "../support/run-install.ts");
  const args = [runInstall, sandbox.store, "https://publisher.test"];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  expect(stdout).toMatch(/\/demo\n$/);
  expect(tunnels).toEqual(["publisher.test:443", "publisher.test:443"]);
});

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
