import type { KubeClient } from "../../../lib/kube/client.ts";
import { KubeError } from "../../../lib/kube/error.ts";
import { accountFor } from "../../../lib/members/accounts.ts";
import { cleanMember } from "../../../lib/members/cleanup.ts";
import { denyDeletion } from "../../../lib/members/preserve.ts";
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

test("deletion is denied though the member's API fails at each request once", async () => {
  const member = new Unsteady((verb, path) => {
    if (path.endsWith("subjectaccessreviews")) return { status: { allowed: false } };
    return verb === "find" ? { roleRef: { name: accountFor("plane", "paris").role } } : {};
  });
  await denyDeletion(member.client, accountFor("plane", "paris"));
  expect(member.done.filter((call) => call.startsWith("apply")).length).toBeGreaterThanOrEqual(2);
});
