import type { KubeClient } from "../../../lib/kube/client.ts";
import { KubeError, UnreachableError } from "../../../lib/kube/error.ts";
import { accountFor } from "../../../lib/members/accounts.ts";
import { cleanMember } from "../../../lib/members/cleanup.ts";
import { allowDeletion, denyDeletion } from "../../../lib/members/preserve.ts";
import { ensureNamespace } from "../../../lib/members/service-account.ts";
import { deadlineIn } from "../../../lib/wait.ts";
import { Unsteady } from "../../support/unsteady.ts";

const namespace = "/api/v1/namespaces/karmada-cluster";

test("a member is cleaned though its API fails at each request once", async () => {
  let isThere = true;
  const member = new Unsteady((verb, path) => {
    if (verb === "delete" && path === namespace) isThere = false;
    return path === namespace && isThere ? { metadata: { labels: { "karmada.io/system": "true" } } } : undefined;
  });
  expect(await cleanMember(member.client, "paris", deadlineIn(20))).toEqual([]);
  const deleted = member.done.filter((call) => call.startsWith("delete")).map((call) => call.split("/").at(-1));
  expect([...new Set(deleted)].sort()).toEqual([
    "karmada-cluster",
    "karmada-controller-manager:karmada-paris",
    "karmada-impersonator",
    "karmada-paris",
  ]);
});

test("of a member that goes on to fail is said so when the time is over, and of one that refuses at once", async () => {
  const answering = (status: number) =>
    ({ find: () => Promise.reject(new KubeError("GET", "/x", status, "no")) }) as unknown as KubeClient;
  await expect(cleanMember(answering(503), "paris", deadlineIn(0.2))).rejects.toThrow(
    "waited 0.2s for the member to delete what Karmada has there: GET /x: 503 no",
  );
  await expect(cleanMember(answering(403), "paris", deadlineIn(20))).rejects.toThrow(/^GET \/x: 403 no$/);
});

const stuck = {
  metadata: { labels: { "karmada.io/system": "true" }, deletionTimestamp: "2026-11-27T00:00:00Z" },
  status: {
    phase: "Terminating",
    conditions: [
      {
        status: "True",
        message: "Discovery failed for some groups: metrics.k8s.io/v1beta1: stale GroupVersion discovery",
      },
      { status: "False", message: "All legacy kube types successfully parsed" },
      { status: "True", message: "Some content in the namespace has finalizers remaining" },
    ],
  },
};
const why =
  "Discovery failed for some groups: metrics.k8s.io/v1beta1: stale GroupVersion discovery; Some content in the namespace has finalizers remaining";

test("why the namespace in a member does not go is said in the member's own words, by who leaves and by who joins", async () => {
  const answer = (path: string) => Promise.resolve(path === namespace ? stuck : undefined);
  const member = { find: answer, delete: answer } as unknown as KubeClient;
  await expect(cleanMember(member, "paris", deadlineIn(0.2))).rejects.toThrow(
    `waited 0.2s for namespace karmada-cluster to be gone: ${why}`,
  );
  await expect(ensureNamespace(member, deadlineIn(0.2))).rejects.toThrow(
    `waited 0.2s for namespace karmada-cluster to be gone, it is being deleted: ${why}`,
  );
});

test("deletion is denied though the member's API fails at each request once", async () => {
  const member = new Unsteady((verb, path) => {
    if (path.endsWith("subjectaccessreviews")) return { status: { allowed: false } };
    return verb === "find" ? { roleRef: { name: accountFor("plane", "paris").role } } : {};
  });
  await denyDeletion(member.client, accountFor("plane", "paris"), deadlineIn(10));
  expect(member.done.filter((call) => call.startsWith("apply")).length).toBeGreaterThanOrEqual(2);
});

test("deletion is allowed again though the member's API fails at each request once, and only to who has rights there", async () => {
  const account = accountFor("agent", "paris");
  const member = new Unsteady((verb) => (verb === "find" ? { roleRef: { name: account.role } } : {}));
  await allowDeletion(member.client, account, deadlineIn(10));
  expect(member.done.some((call) => call.startsWith("apply"))).toBe(true);
  const strange = new Unsteady(() => undefined);
  await allowDeletion(strange.client, account, deadlineIn(10));
  expect(strange.done.filter((call) => !call.startsWith("find"))).toEqual([]);
});

test("what a login that is the account itself has done is done, though the answer to its last call is lost", async () => {
  const binding = "clusterrolebindings/karmada-controller-manager:karmada-paris";
  let hasRights = true;
  const done: string[] = [];
  const asItself = (loses: boolean): KubeClient => {
    const call = (verb: string) => (path: string) => {
      if (!hasRights) return Promise.reject(new KubeError(verb, path, 403, "no"));
      done.push(`${verb} ${path.split("/").slice(-2).join("/")}`);
      if (verb === "delete" && path.endsWith(binding)) hasRights = false;
      const isLost = loses && !hasRights;
      return isLost
        ? Promise.reject(new UnreachableError("the connection was cut", "ECONNRESET", {}))
        : Promise.resolve(verb === "get" ? {} : undefined);
    };
    return Object.fromEntries(["find", "get", "delete", "merge"].map((verb) => [verb, call(verb)])) as never;
  };
  const clean = (client: KubeClient) => cleanMember(client, "paris", deadlineIn(20), { asItself: true });
  expect(await clean(asItself(true))).toEqual([]);
  expect(done.at(-1)).toBe(`delete ${binding}`);
  // Who has no rights from the beginning has done nothing.
  await expect(clean(asItself(false))).rejects.toThrow(
    /^find \/api\/v1\/namespaces\/karmada-cluster\/serviceaccounts\/karmada-paris: 403 no$/,
  );
});

test("a login that is the account itself and may not delete its binding has not cleaned the member", async () => {
  const call = (verb: string) => (path: string) =>
    verb === "delete" && path.endsWith("clusterrolebindings/karmada-controller-manager:karmada-paris")
      ? Promise.reject(new KubeError(verb, path, 403, "no"))
      : Promise.resolve(verb === "get" ? {} : undefined);
  const client = Object.fromEntries(["find", "get", "delete", "merge"].map((verb) => [verb, call(verb)])) as never;
  await expect(cleanMember(client, "paris", deadlineIn(20), { asItself: true })).rejects.toThrow(/: 403 no$/);
});
