/** What is deleted in a Karmada, or a host cluster, that is gone for good. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { ensureCredentials } from "../../lib/members/credentials.ts";
import { deadlineIn } from "../../lib/wait.ts";
import { provider as agentCertificate } from "../../providers/agent-certificate-impl.ts";
import { provider as agentHome } from "../../providers/agent-home-impl.ts";
import { provider as clusterRegistration } from "../../providers/cluster-registration-impl.ts";
import { provider as ownedNamespace } from "../../providers/owned-namespace-impl.ts";
import { provider as pulledMember } from "../../providers/pulled-member-impl.ts";
import { provider as rebalancing } from "../../providers/rebalancing-impl.ts";
import { startCluster, type Cluster } from "../support/cluster.ts";
import { startEtcd } from "../support/etcd.ts";
import { Programs } from "../support/running.ts";

const port = 31865;
const variable = "PULUMI_K8S_DELETE_UNREACHABLE";
const programs = new Programs(mkdtempSync(join(tmpdir(), "gone-plane-")));
let member: Cluster;
let gone: string;

jest.setTimeout(120_000);

beforeAll(async () => {
  member = await startCluster(programs, await startEtcd(programs, port + 4), { name: "member", port });
  gone = member.kubeconfig.replace(`:${port}`, `:${port + 9}`);
}, 240_000);
afterAll(() => programs.remove());

let warn: jest.SpiedFunction<typeof console.warn>;
beforeEach(() => (warn = jest.spyOn(console, "warn").mockImplementation(() => {})));
afterEach(() => {
  delete process.env[variable];
  warn.mockRestore();
});

const registered = (memberKubeconfig: string) => ({
  cluster: "m1",
  karmadaKubeconfig: gone,
  memberKubeconfig,
  syncMode: "Push",
  declaredBy: "karmada/test",
  timeoutSeconds: 3,
});
const loggingInBy = (command: string) =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "a",
    contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
    clusters: [{ name: "a", cluster: { server: "https://127.0.0.1:1" } }],
    users: [{ name: "a", user: { exec: { apiVersion: "client.authentication.k8s.io/v1", command } } }],
  });
const why = `waited \\d+s for the (Karmada|host cluster) to answer: https://127\\.0\\.0\\.1:${port + 9}: connection refused, nothing listens there`;
const inPlane = { cluster: "m1", karmadaKubeconfig: "", timeoutSeconds: 3 };

test("a registration fails with the way out, and with it takes back what Karmada has in the member, and says what stays", async () => {
  await ensureCredentials(member.client, "m1", deadlineIn(30));
  const find = () => member.client.find("/api/v1/namespaces/karmada-cluster/serviceaccounts/karmada-m1");
  const state = registered(member.kubeconfig);
  await expect(clusterRegistration.delete("m1", state)).rejects.toThrow(
    new RegExp(
      `^m1: ${why}\nif the Karmada is gone for good: the same again with ${variable}=true in the environment gives up what would be deleted there$`,
    ),
  );
  expect(await find()).toBeDefined();
  process.env[variable] = "true";
  await clusterRegistration.delete("m1", { ...state, timeoutSeconds: 60 });
  expect(await find()).toBeUndefined();
  expect(warn.mock.calls.join()).toMatch(
    new RegExp(`^m1: its Karmada is given up: ${why}\nleft there: objects labelled karmada.io/managed=true$`),
  );
});

test("a registration whose member is gone too is let go of", async () => {
  process.env[variable] = "true";
  await clusterRegistration.delete("m1", registered(gone));
  expect(warn.mock.calls.join()).toMatch(
    new RegExp(
      `^m1: its Karmada is given up: ${why}, and the member was not cleaned: .*\nleft there: namespace karmada-cluster with .*; objects labelled karmada.io/managed=true$`,
    ),
  );
});

test("a member to which nobody can log in any more is let go of as one that does not answer, and so is its agent", async () => {
  process.env[variable] = "true";
  const memberKubeconfig = loggingInBy("false");
  const silence = "https://127.0.0.1:1: cannot log in by false, as its kubeconfig says: it ended with exit code 1";
  await clusterRegistration.delete("m1", registered(memberKubeconfig));
  const [[ofRegistration]] = warn.mock.calls as [[string]];
  expect(ofRegistration).toContain(`, and the member was not cleaned: ${silence}\nleft there: `);
  warn.mockClear();
  const home = { namespace: "karmada-agent", deployment: "d", pods: { nodeSelector: {}, tolerations: [] }, uid: "u" };
  await agentHome.delete("m1", { ...registered(memberKubeconfig), ...home, member: "u" });
  const [[ofAgent]] = warn.mock.calls as [[string]];
  expect(ofAgent).toContain(`m1: its agent was not taken away: ${silence}\nleft there: `);
});

test.each([
  [
    "what an agent has propagated",
    () => pulledMember.delete("m1", { ...inPlane, karmadaKubeconfig: gone, registered: "uid" }),
    "m1: its Karmada is given up: ",
  ],
  [
    "the tokens of an agent",
    () => agentCertificate.delete("m1", { ...inPlane, karmadaKubeconfig: gone }),
    "m1: tokens of its agent are not looked for: its Karmada is given up: ",
  ],
  [
    "a WorkloadRebalancer",
    () => rebalancing.delete("again", { name: "again", workloads: [], karmadaKubeconfig: gone, timeoutSeconds: 3 }),
    "WorkloadRebalancer again: given up with its Karmada: ",
  ],
  [
    "a namespace of a host cluster",
    () =>
      ownedNamespace.delete("fleet", { namespace: "fleet", deployment: "dev", kubeconfig: gone, timeoutSeconds: 3 }),
    "fleet: given up with all in it: ",
  ],
])("%s fails with the way out, and is given up with it", async (_, remove, warning) => {
  await expect(remove()).rejects.toThrow(new RegExp(`${why}\nif the .* is gone for good: .*${variable}=true`));
  process.env[variable] = "true";
  await remove();
  expect(warn.mock.calls.join()).toMatch(
    new RegExp(`^${warning}${why}(\nleft there: objects labelled karmada.io/managed=true)?$`),
  );
});

test("a Karmada that answers is not given up, whatever the environment says", async () => {
  process.env[variable] = "true";
  await expect(
    rebalancing.delete("again", {
      name: "again",
      workloads: [],
      karmadaKubeconfig: await member.kubeconfigFor("nobody"),
      timeoutSeconds: 3,
    }),
  ).rejects.toThrow(/403/);
  expect(warn).not.toHaveBeenCalled();
});
