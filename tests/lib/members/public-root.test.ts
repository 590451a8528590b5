import https from "node:https";
import type { AddressInfo } from "node:net";
import tls from "node:tls";
import { parseKubeconfig } from "../../../lib/kube/kubeconfig.ts";
import { probeEndpoint } from "../../../lib/members/endpoint.ts";
import { createAuthority } from "../../support/certificates.ts";

const [everybodys, members] = await Promise.all([createAuthority("everybodys"), createAuthority("members")]);
const { certificate: cert, key } = await everybodys.issue({ commonName: "member", hosts: ["127.0.0.1"] });
const server = https.createServer({ cert, key }, (_, answer) => void answer.end("ok"));
const usual = tls.getCACertificates("default");
let url = "";

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  tls.setDefaultCACertificates(usual);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** A kubeconfig without an authority. */
const connection = () =>
  parseKubeconfig(
    JSON.stringify({
      "current-context": "c",
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      clusters: [{ name: "c", cluster: { server: url } }],
      users: [{ name: "u", user: { token: "x" } }],
    }),
  );

test("a member whose certificate everybody trusts is told to Karmada with the root of that", async () => {
  tls.setDefaultCACertificates([...usual, everybodys.certificate]);
  const { caBundle } = await probeEndpoint(connection(), { token: "t", ca: members.certificate });
  expect(caBundle.replace(/\s/g, "")).toBe(everybodys.certificate.replace(/\s/g, ""));
});

test("one that only its own authority verifies is told with that", async () => {
  const { caBundle } = await probeEndpoint(connection(), { token: "t", ca: everybodys.certificate });
  expect(caBundle).toBe(everybodys.certificate);
});
