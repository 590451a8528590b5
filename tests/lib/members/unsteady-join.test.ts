/** Joining by servers that fail at each request once, as one does whose etcd has just lost a member. */
import type { KubeClient } from "../../../lib/kube/client.ts";
import { register } from "../../../lib/members/registration.ts";
import { ensureAccount, ensureNamespace } from "../../../lib/members/service-account.ts";
import { accountFor } from "../../../lib/members/accounts.ts";
import { deadlineIn, renewableDeadline } from "../../../lib/wait.ts";
import { Unsteady } from "../../support/unsteady.ts";

const named = { metadata: { uid: "u" } };
const registration = {
  cluster: "oslo",
  uid: "1",
  endpoint: { server: "https://10.0.0.1:6443", caBundle: "CA" },
  credentials: { token: "t", impersonatorToken: "i", ca: "CA", since: "2026-01-01T00:00:00Z" },
  syncMode: "Pull",
  declaredBy: { stack: "karmada/test" },
  description: {},
  before: {},
} as unknown as Parameters<typeof register>[1];

test("a member is registered, with what an agent needs", async () => {
  const plane = new Unsteady((verb) => (verb === "create" ? named : undefined));
  expect((await register(plane.client, registration, renewableDeadline(20))).object).toBe(named);
  const written = plane.done.filter((call) => !call.startsWith("find")).map((call) => call.split("/").at(-1));
  // The secrets once more for the Cluster to own them.
  expect(written.filter((name) => name?.startsWith("oslo"))).toEqual([
    ...["oslo", "oslo-impersonator"],
    ...["oslo", "oslo-impersonator"],
  ]);
  expect(written).toEqual(expect.arrayContaining(["karmada-es-oslo", "clusters"]));
});

describe("an earlier registration that leaves", () => {
  const seconds = 0.6;
  /**
   * Stands for a Karmada that deletes works as slowly as wanted: a real one deletes a few within no time.
   * @param deletes what it makes of so many works between two looks
   * @param syncMode of the registration that leaves
   */
  const registered = (deletes: (works: number) => number, syncMode = "Pull") => {
    let works = 6;
    const isLeaving = (path: string) => path.endsWith("/clusters/oslo") && works > 0;
    const leaving = { metadata: { deletionTimestamp: "2026-11-30T00:00:00Z" }, spec: { syncMode } };
    const nothing = async () => undefined;
    const plane = {
      find: async (path: string) => (isLeaving(path) ? leaving : undefined),
      get: async () => ({ items: Array.from({ length: (works = deletes(works)) }, () => ({})) }),
      create: async () => named,
      ...{ apply: nothing, merge: nothing, delete: nothing },
    } as unknown as KubeClient;
    return register(plane, registration, renewableDeadline(seconds));
  };

  test("is waited for as long as it becomes less, and the new one has its time after that", async () => {
    const began = performance.now();
    expect((await registered((works) => works - 1)).object).toBe(named);
    expect(performance.now() - began).toBeGreaterThan(seconds * 1000);
  });

  test.each([
    ["Pull", "does its karmada-agent run, and reach the control plane?"],
    ["Push", "does karmada-controller-manager run, and reach the member?"],
  ])("is given up once it does not become less any more, and asks after who deletes in mode %s", async (mode, asks) => {
    await expect(registered((works) => Math.max(works - 1, 2), mode)).rejects.toThrow(
      `waited 0.6s for the earlier registration of oslo to be gone, it is being deleted: 2 works are left; ${asks}`,
    );
  });
});

test("an account is made in a member, with its rights and a token", async () => {
  const account = accountFor("plane", "oslo");
  const annotations = { "kubernetes.io/service-account.name": account.name, "kubernetes.io/service-account.uid": "u" };
  const token = { metadata: { name: account.name, annotations }, data: { token: "dA==" } };
  const member = new Unsteady((verb, path) => (path.endsWith("/secrets") ? { items: [token] } : named));
  await ensureNamespace(member.client, deadlineIn(20));
  expect((await ensureAccount(member.client, account, deadlineIn(20))).current).toBe(token);
  const written = member.done.filter((call) => call.startsWith("apply")).map((call) => call.split("/").at(-1));
  expect(new Set(written)).toEqual(new Set(["karmada-cluster", account.name, account.role]));
});
