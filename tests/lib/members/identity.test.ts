import http from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "../../../lib/kube/client.ts";
import { identify, uidOf } from "../../../lib/members/identity.ts";
import { tokenKubeconfig } from "../../../lib/members/token-kubeconfig.ts";
import { deadlineIn } from "../../../lib/wait.ts";
import { startSlowProxy } from "../../support/slow-proxy.ts";

/** An API server that has a UID, and Clusters. */
async function startApi(uid: string, clusters: readonly object[]) {
  const server = http.createServer((request, response) => {
    const answer = request.url?.endsWith("/clusters") ? { items: clusters } : { metadata: { uid } };
    response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const endpoint = { apiEndpoint: url, caBundle: "", insecureSkipTLSVerification: false };
  return { server, url, kubeconfig: tokenKubeconfig("any", endpoint, "any") };
}

test.each([
  ["of this stack is", "members/maps", "\nto rename it, take paris out of the list in an up of its own first"],
  ["of another stack is", "members/games", ""],
  ["of karmadactl is", undefined, ""],
])("a cluster that a member %s joins once, and under another name after that has left", async (_, by, toDo) => {
  const paris = { metadata: { name: "paris", annotations: { "karmada-pulumi/declared-by": by } }, spec: { id: "one" } };
  const [plane, member] = await Promise.all([startApi("plane", [paris]), startApi("one", [])]);
  const joining = { cluster: "lyon", declaredBy: "members/maps" as const };
  const ways = { karmadaKubeconfig: plane.kubeconfig, memberKubeconfig: member.kubeconfig };
  const error = await identify({ ...joining, ...ways }, deadlineIn(10)).catch((thrown: unknown) => thrown as Error);
  expect((error as Error).message).toBe(`${member.url} is registered already, as paris; a cluster joins once${toDo}`);
  for (const { server } of [plane, member]) {
    server.closeAllConnections();
    server.close();
  }
});

test("a server that says nothing holds up whoever asks for who it is no longer than it was given", async () => {
  const silent = await startSlowProxy(1, Infinity);
  const endpoint = { apiEndpoint: `https://127.0.0.1:${silent.port}`, caBundle: "", insecureSkipTLSVerification: true };
  const client = await connect(tokenKubeconfig("paris", endpoint, "any"));
  const started = performance.now();
  // A call has five seconds; the second ends with the six that are given to all.
  await expect(uidOf(client, "the member", deadlineIn(6))).rejects.toThrow(
    `waited 6s for the member: ${endpoint.apiEndpoint}: no answer in time`,
  );
  expect(performance.now() - started).toBeLessThan(6500);
  client.close();
  silent.close();
}, 30_000);
