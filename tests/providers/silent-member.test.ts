/** A member that this machine does not reach any more leaves a plane that may, played by a scripted Karmada. */
import http from "node:http";
import type { AddressInfo } from "node:net";
import { jest } from "@jest/globals";
import { tokenKubeconfig } from "../../lib/members/token-kubeconfig.ts";
import { provider as registration } from "../../providers/cluster-registration-impl.ts";
import { provider as pulledMember } from "../../providers/pulled-member-impl.ts";

const clusterPath = "/apis/cluster.karmada.io/v1alpha1/clusters/paris";
const workPath = "/apis/work.karmada.io/v1alpha1/namespaces/karmada-es-paris/works/web";
const marked = `PATCH ${workPath} {"spec":{"preserveResourcesOnDeletion":true}}`;
const givenUp = `PATCH ${workPath} {"metadata":{"finalizers":null}}`;
const grants =
  "namespace karmada-cluster with the service accounts karmada-paris and karmada-impersonator; " +
  "ClusterRole and ClusterRoleBinding karmada-controller-manager:karmada-paris (full rights) and karmada-impersonator";
const propagated = "objects labelled karmada.io/managed=true";
const nowhere = "http://127.0.0.1:1";

let server: http.Server;
/** Changes that were asked for. */
let changes: string[];
let warn: jest.SpiedFunction<typeof console.warn>;

/** @param reaches whether it does its work in the member */
async function startKarmada({ ready, reaches }: { ready: boolean; reaches: boolean }): Promise<string> {
  let isThere = true;
  let leaving: { deletionTimestamp?: string } = {};
  const finalizers = ["karmada.io/execution-controller"];
  let work: { metadata: object; spec: object } | undefined = { metadata: { name: "web", finalizers }, spec: {} };
  const status = { conditions: [{ type: "Ready", status: ready ? "True" : "False", reason: "R", message: "m" }] };
  const answer = (method: string, path: string, body: string): object | undefined => {
    if (method !== "GET") changes.push(`${method} ${path} ${body}`.trim());
    if (path === "/api/v1/namespaces/kube-system") return { metadata: { uid: "plane" } };
    if (path === "/api/v1/namespaces/karmada-es-paris")
      return isThere && (work !== undefined || leaving.deletionTimestamp === undefined)
        ? { metadata: leaving }
        : undefined;
    if (path.endsWith("/works")) return { items: work === undefined ? [] : [work] };
    if (path === workPath) {
      if (method === "DELETE" && reaches) setTimeout(() => (work = undefined), 200).unref();
      if (method === "DELETE") work = work && { ...work, metadata: { ...work.metadata, ...leaving } };
      if (body.includes("finalizers")) work = undefined;
      if (body.includes("preserve")) work = work && { ...work, spec: { preserveResourcesOnDeletion: true } };
      return {};
    }
    if (path === clusterPath) {
      if (method === "DELETE") leaving = { deletionTimestamp: "2026-11-27T00:00:00Z" };
      if (body.includes("touched")) isThere = false;
      return isThere ? { metadata: { name: "paris", uid: "1", ...leaving }, status } : undefined;
    }
    return method === "DELETE" ? {} : undefined;
  };
  server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const [path = ""] = (request.url ?? "").split("?");
      const found = answer(request.method ?? "", path, Buffer.concat(chunks).toString());
      response.setHeader("content-type", "application/json").statusCode = found === undefined ? 404 : 200;
      response.end(JSON.stringify(found ?? {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return kubeconfig(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

const kubeconfig = (apiEndpoint: string) =>
  tokenKubeconfig("any", { apiEndpoint, caBundle: "", insecureSkipTLSVerification: false }, "any");

beforeEach(() => {
  changes = [];
  warn = jest.spyOn(console, "warn").mockImplementation(() => {});
});
afterEach(() => {
  warn.mockRestore();
  server.closeAllConnections();
  server.close();
});

async function leave(karmadaKubeconfig: string, more: object = {}): Promise<void> {
  const state = { cluster: "paris", syncMode: "Push", declaredBy: "karmada/test", timeoutSeconds: 6 };
  await registration.delete("paris", {
    ...state,
    karmadaKubeconfig,
    memberKubeconfig: kubeconfig(nowhere),
    ...more,
  });
}

const said = (stays: string) => [
  "paris: left Karmada, but not cleaned: waited 3s for the member: " +
    `${nowhere}: connection refused, nothing listens there\nleft there: ${stays}`,
];

test("what is to stay in a member that only Karmada reaches is marked so before the Cluster goes", async () => {
  await leave(await startKarmada({ ready: true, reaches: true }), { preserveWorkloads: true });
  const [first, second] = changes;
  expect([first, second?.split(" ", 2).join(" ")]).toEqual([marked, `DELETE ${clusterPath}`]);
  expect(changes).not.toContain(givenUp);
  expect(warn.mock.calls.flat()).toEqual(said(grants));
});

test("out of a member that only Karmada reaches it takes what it put there, and its accounts are said to stay", async () => {
  await leave(await startKarmada({ ready: true, reaches: true }));
  expect(changes).not.toContain(marked);
  expect(changes).not.toContain(givenUp);
  expect(warn.mock.calls.flat()).toEqual(said(grants));
});

test.each([
  ["that nobody reaches", false],
  ["of which Karmada does not know yet that it has died", true],
])("what is in a member %s is given up, and said to stay", async (_, ready) => {
  await leave(await startKarmada({ ready, reaches: false }));
  expect(changes).toContain(givenUp);
  expect(warn.mock.calls.flat()).toEqual(said(`${grants}; ${propagated}`));
});

test("what is to stay in a member whose agent does not answer is marked so before the Cluster goes", async () => {
  const karmadaKubeconfig = await startKarmada({ ready: false, reaches: false });
  await pulledMember.delete("paris", {
    cluster: "paris",
    registered: "1",
    declaredBy: "karmada/test",
    karmadaKubeconfig,
    memberKubeconfig: kubeconfig(nowhere),
    timeoutSeconds: 6,
  });
  const [first, second] = changes;
  expect([first, second?.split(" ", 2).join(" ")]).toEqual([marked, `DELETE ${clusterPath}`]);
  expect(warn.mock.calls.flat()).toEqual([`paris: its agent does not answer\nleft there: ${propagated}`]);
});
