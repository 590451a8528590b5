/** What is deleted by servers that fail at each request once, as one does whose etcd has just lost a member. */
import http from "node:http";
import type { AddressInfo } from "node:net";
import { jest } from "@jest/globals";
import { provider as agentCertificate } from "../../providers/agent-certificate-impl.ts";
import { provider as memberAccess } from "../../providers/member-access-impl.ts";
import { provider as pulledMember } from "../../providers/pulled-member-impl.ts";

let server: http.Server;
let kubeconfig: string;
/** What was asked, in full. */
let asked: string[];
let warn: jest.SpiedFunction<typeof console.warn>;

beforeEach(async () => {
  asked = [];
  warn = jest.spyOn(console, "warn").mockImplementation(() => {});
  server = http.createServer(({ method, url }, response) => {
    const call = `${method} ${url?.split("?")[0]}`;
    if (!asked.includes(call)) response.writeHead(503).end();
    else if (call.endsWith("/secrets")) response.setHeader("content-type", "application/json").end('{"items":[]}');
    else response.writeHead(404).end();
    asked.push(call);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  kubeconfig = JSON.stringify({
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    clusters: [{ name: "c", cluster: { server: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } }],
    users: [{ name: "u", user: { token: "t" } }],
  });
});
afterEach(() => {
  warn.mockRestore();
  server.closeAllConnections();
  server.close();
});

const state = () => ({
  cluster: "paris",
  declaredBy: "karmada/test",
  karmadaKubeconfig: kubeconfig,
  memberKubeconfig: kubeconfig,
  timeoutSeconds: 10,
});

test("an estimator's account is deleted, and nothing of it is said to be left", async () => {
  await memberAccess.delete("paris-estimator", { ...state(), purpose: "estimator" });
  expect(warn).not.toHaveBeenCalled();
  const deleted = asked.filter((call) => /^DELETE .*\/serviceaccounts\/karmada-scheduler-estimator-paris$/.test(call));
  expect(deleted.length).toBeGreaterThan(1);
});

test("a member that its agent has emptied already is let go of", async () => {
  await pulledMember.delete("paris", { ...state(), registered: "1" });
  expect(asked.filter((call) => call.endsWith("/clusters/paris")).length).toBe(2);
});

test("nothing is left by which an agent asks for its certificate", async () => {
  await agentCertificate.delete("paris", state());
  const deleted = asked.filter((call) =>
    /^DELETE .*\/clusterrole(binding)?s\/system:karmada:paris:agent-bootstrap$/.test(call),
  );
  expect(new Set(deleted).size).toBe(2);
  expect(deleted.length).toBeGreaterThan(3);
});
