/** Joining by servers that fail at each request once, as one does whose etcd has just lost a member. */
import { register } from "../../../lib/members/registration.ts";
import { ensureAccount, ensureNamespace } from "../../../lib/members/service-account.ts";
import { accountFor } from "../../../lib/members/accounts.ts";
import { deadlineIn } from "../../../lib/wait.ts";
import { Unsteady } from "../../support/unsteady.ts";

const named = { metadata: { uid: "u" } };

test("a member is registered, with what an agent needs", async () => {
  const plane = new Unsteady((verb) => (verb === "create" ? named : undefined));
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
  expect((await register(plane.client, registration, deadlineIn(20))).object).toBe(named);
  const written = plane.done.filter((call) => !call.startsWith("find")).map((call) => call.split("/").at(-1));
  // The secrets once more for the Cluster to own them.
  expect(written.filter((name) => name?.startsWith("oslo"))).toEqual([
    ...["oslo", "oslo-impersonator"],
    ...["oslo", "oslo-impersonator"],
  ]);
  expect(written).toEqual(expect.arrayContaining(["karmada-es-oslo", "clusters"]));
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
