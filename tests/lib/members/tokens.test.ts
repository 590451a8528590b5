import type { KubeObject } from "../../../lib/kube/client.ts";
import { paths } from "../../../lib/members/names.ts";
import { ensureNamespace } from "../../../lib/members/service-account.ts";
import { decoded, ensureToken } from "../../../lib/members/tokens.ts";
import { deadlineIn, Pending, waitFor } from "../../../lib/wait.ts";
import { oneCluster } from "../../support/one-cluster.ts";

const port = 31720;

/**
 * A real API server, and in the place of the controller that fills in tokens this test: what that does while it is behind
 * the API server cannot be had at will.
 */
describe("a token of an account", () => {
  const member = oneCluster(port, {
    controllerFlags: { "service-account-private-key-file": "", "use-service-account-credentials": false },
  });
  beforeAll(() => ensureNamespace(member.cluster.client, deadlineIn(30)));

  /** A Secret of that name which is no other than `last`. */
  const appeared = (account: string, last?: KubeObject) =>
    waitFor(`a token of ${account}`, deadlineIn(10), async () => {
      const secret = await member.cluster.client.get(paths.secret(account));
      return secret.metadata?.uid === last?.metadata?.uid ? new Pending("it is the last one") : secret;
    });
  const fillIn = (account: string, uid: string | undefined, token: string) =>
    member.cluster.client.merge(paths.secret(account), {
      metadata: { annotations: { "kubernetes.io/service-account.uid": uid } },
      data: { token: Buffer.from(token).toString("base64") },
    });

  test("is made anew while it is filled in for one of that name that is gone", async () => {
    const controller = async () => {
      let secret: KubeObject | undefined;
      for (const token of ["of one that is gone", "of it once more"]) {
        secret = await appeared("m1", secret);
        await fillIn("m1", "00000000-0000-0000-0000-000000000000", token);
      }
      secret = await appeared("m1", secret);
      const { metadata } = await member.cluster.client.get(paths.serviceAccount("m1"));
      await fillIn("m1", metadata?.uid, "of this one");
      return secret;
    };
    const making = ensureToken(member.cluster.client, { account: "m1" }, deadlineIn(20));
    const [{ current, superseded }, last] = await Promise.all([making, controller()]);
    expect(current.metadata?.uid).toBe(last.metadata?.uid);
    expect([decoded(current), superseded]).toEqual(["of this one", []]);
  });

  test("that nobody fills in is given up with what is to do that", async () => {
    await expect(ensureToken(member.cluster.client, { account: "m2" }, deadlineIn(1))).rejects.toThrow(
      "waited 1s for the token of service account m2: not filled in; " +
        "the member's kube-controller-manager does that (serviceaccount-token-controller)",
    );
  });
});
