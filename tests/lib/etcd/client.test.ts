import { once } from "node:events";
import https from "node:https";
import fc from "fast-check";
import { encode, endOfPrefix, EtcdClient } from "../../../lib/etcd/client.ts";
import { createAuthority } from "../../support/certificates.ts";

const bytes = (base64: string) => Buffer.from(base64, "base64");

test("the end of a prefix is just behind every key that begins with it", () => {
  expect(bytes(endOfPrefix("/karmada/")).toString()).toBe("/karmada0");
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string(), (prefix, rest) => {
      expect(Buffer.compare(bytes(encode(prefix + rest)), bytes(endOfPrefix(prefix)))).toBe(-1);
      expect(Buffer.compare(bytes(encode(prefix)), bytes(endOfPrefix(prefix)))).toBe(-1);
    }),
  );
});

test.each([
  ["localhost", "127.0.0.2", "answered"],
  ["127.0.0.3", "127.0.0.2", "does not match certificate"],
  ["localhost", "[::1]", "does not match certificate"],
])("a certificate for %s is shown at %s: %s", async (name, host, outcome) => {
  const port = 22001;
  const authority = await createAuthority("etcd");
  const { certificate, key } = await authority.issue({ commonName: "etcd-0", hosts: [name] });
  const server = https.createServer({ cert: certificate, key }, (_, response) => response.end("answered"));
  server.listen(port, host.replace(/[[\]]/g, ""));
  await once(server, "listening");
  const client = new EtcdClient({ ca: authority.certificate, certificate, key });
  try {
    const page = client.page(`https://${host}:${port}`, "/version", 30_000).catch((error: Error) => error.message);
    expect(await page).toContain(outcome);
  } finally {
    client.close();
    server.closeAllConnections();
    server.close();
  }
});
