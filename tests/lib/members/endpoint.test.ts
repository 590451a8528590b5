import https from "node:https";
import type { AddressInfo } from "node:net";
import { parseKubeconfig } from "../../../lib/kube/kubeconfig.ts";
import { probeEndpoint } from "../../../lib/members/endpoint.ts";
import { createAuthority } from "../../support/certificates.ts";

test("a way that knows logins of its own only, as a proxy before the member has, is told as such", async () => {
  const authority = await createAuthority("proxy");
  const { certificate: cert, key } = await authority.issue({ commonName: "proxy", hosts: ["127.0.0.1"] });
  const proxy = https.createServer({ cert, key }, ({ headers }, answer) => {
    answer.statusCode = headers.authorization === "Bearer its-own" ? 200 : 401;
    answer.end('{"type":"error","status":"401","message":"must authenticate"}');
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const server = `https://127.0.0.1:${(proxy.address() as AddressInfo).port}/k8s/clusters/c-m-1`;
  const kubeconfig = {
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    clusters: [{ name: "c", cluster: { server, "certificate-authority-data": btoa(authority.certificate) } }],
    users: [{ name: "u", user: { token: "its-own" } }],
  };
  const probing = probeEndpoint(parseKubeconfig(JSON.stringify(kubeconfig)), { token: "m", ca: authority.certificate });
  await expect(probing).rejects.toThrow(
    "the member does not answer to Karmada's own token: GET /readyz: 401 must authenticate\n" +
      `what listens at ${server} does not know the member's accounts, as a proxy with logins of its own (such as Rancher's); ` +
      "give a kubeconfig that leads to the member's API server itself; where the member has got another key of service accounts since, " +
      "delete the Secrets of Karmada's tokens in its namespace karmada-cluster, and the next up makes new ones",
  );
  proxy.closeAllConnections();
  proxy.close();
});
