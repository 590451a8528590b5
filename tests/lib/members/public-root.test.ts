import https from "node:https";
import type { AddressInfo } from "node:net";
import tls from "node:tls";
import { parseKubeconfig } from "../../../lib/kube/kubeconfig.ts";
import { probeEndpoint } from "../../../lib/members/endpoint.ts";
import { createAuthority } from "../../support/certificates.ts";
import { startConnectProxy } from "../../support/connect-proxy.ts";

const [everybodys, members] = await Promise.all([createAuthority("everybodys"), createAuthority("members")]);
const { certificate: cert, key } = await everybodys.issue({ commonName: "member", hosts: ["127.0.0.1", "api.test"] });
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
const connection = (at = url) =>
  parseKubeconfig(
    JSON.stringify({
      "current-context": "c",
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      clusters: [{ name: "c", cluster: { server: at } }],
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

test("both are found out through the environment's proxy where that leads to the member", async () => {
  tls.setDefaultCACertificates([...usual, everybodys.certificate]);
  const proxy = await startConnectProxy(Number(new URL(url).port));
  const before = process.env["https_proxy"];
  process.env["https_proxy"] = proxy.address;
  try {
    const { caBundle, proxyURL } = await probeEndpoint(connection("https://api.test:6443"), { token: "t", ca: "" });
    expect(caBundle.replace(/\s/g, "")).toBe(everybodys.certificate.replace(/\s/g, ""));
    // What Karmada goes by is said by the kubeconfig or the member.
    expect(proxyURL).toBeUndefined();
    expect(proxy.asked).toEqual(["api.test:6443", "api.test:6443"]);
  } finally {
    if (before === undefined) delete process.env["https_proxy"];
    else process.env["https_proxy"] = before;
    proxy.close();
  }
});
