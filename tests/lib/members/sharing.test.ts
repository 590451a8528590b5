import { cleanMember } from "../../../lib/members/cleanup.ts";
import { ensureCredentials } from "../../../lib/members/credentials.ts";
import { noteFound, notePlane, planesOf } from "../../../lib/members/sharing.ts";
import { tokensOf } from "../../../lib/members/tokens.ts";
import { deadlineIn } from "../../../lib/wait.ts";
import { oneCluster } from "../../support/one-cluster.ts";

const port = 31732;
const [first, second] = ["11111111-0000-0000-0000-000000000000", "22222222-0000-0000-0000-000000000000"] as const;
const namespace = "/api/v1/namespaces/karmada-cluster";

describe("two control planes that have the same cluster under the same name", () => {
  const member = oneCluster(port);

  /** As each `up` of a plane's does it. */
  const joinAs = async (plane: string) => {
    await noteFound(member.cluster.client, "paris");
    const { token } = await ensureCredentials(member.cluster.client, "paris", deadlineIn(60));
    return { token, others: await notePlane(member.cluster.client, "paris", plane) };
  };
  const leave = (planeUid: string | undefined) =>
    cleanMember(member.cluster.client, "paris", deadlineIn(60), { planeUid });

  test("know of each other, and the last one that leaves takes the account away", async () => {
    const { token, others } = await joinAs(first);
    expect(others).toEqual([]);
    expect(await joinAs(second)).toEqual({ token, others: [first] });
    expect(await joinAs(first)).toEqual({ token, others: [second] });
    const stays =
      "service account karmada-paris stays: another control plane has joined this cluster under the same name " +
      `(kube-system UID ${second}); if it is no more, ` +
      `kubectl annotate -n karmada-cluster serviceaccount karmada-paris karmada-pulumi/plane-${second}-`;
    expect(await leave(first)).toEqual([stays]);
    expect(await planesOf(member.cluster.client, "paris")).toEqual([second]);
    expect(await tokensOf(member.cluster.client, { account: "karmada-paris" })).toHaveLength(1);
    expect(await leave(first)).toEqual([stays]);
    expect(await leave(second)).toEqual([]);
    expect(await member.cluster.client.find(namespace)).toBeUndefined();
  }, 120_000);

  test("one that does not know any more who it was leaves what is noted alone", async () => {
    await joinAs(first);
    expect(await leave(undefined)).toEqual([expect.stringContaining(`kube-system UID ${first}`)]);
    expect(await leave(first)).toEqual([]);
  }, 120_000);

  test("a plane that notes nothing is known by the account that it had before", async () => {
    const { client } = member.cluster;
    await client.create("/api/v1/namespaces", { metadata: { name: "karmada-cluster" } });
    await client.create(`${namespace}/serviceaccounts`, { metadata: { name: "karmada-paris" } });
    expect((await joinAs(first)).others).toEqual(["unknown"]);
    expect((await joinAs(first)).others).toEqual(["unknown"]);
    expect(await leave(first)).toEqual([
      "service account karmada-paris stays: another control plane has joined this cluster under the same name " +
        "(one whose account was there before, as karmadactl join makes it); if it is no more, " +
        "kubectl annotate -n karmada-cluster serviceaccount karmada-paris karmada-pulumi/plane-unknown-",
    ]);
    expect(await client.find(`${namespace}/serviceaccounts/karmada-paris`)).toBeDefined();
  }, 120_000);

  test("an account of a join that was killed before it was noted is no other plane's", async () => {
    const { client } = member.cluster;
    await client.delete(`${namespace}/serviceaccounts/karmada-paris`);
    await ensureCredentials(client, "paris", deadlineIn(60));
    expect((await joinAs(first)).others).toEqual([]);
  }, 120_000);
});
