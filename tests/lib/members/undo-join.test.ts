import { jest } from "@jest/globals";
import type { KubeClient } from "../../../lib/kube/client.ts";
import { undoJoin } from "../../../lib/members/undo-join.ts";

test("what of a join cannot be taken back is told, with what stays in the member", async () => {
  const warn = jest.spyOn(console, "warn").mockImplementation(() => undefined);
  const gone = { find: () => Promise.reject(new Error("nobody answers")) } as unknown as KubeClient;
  await undoJoin({ plane: gone, planeUid: "1", member: gone, cluster: "paris", syncMode: "Push" });
  expect(warn.mock.calls.flat()).toEqual([
    "paris: did not join, and was not cleaned: nobody answers\n" +
      "left there: namespace karmada-cluster with the service accounts karmada-paris and karmada-impersonator; " +
      "ClusterRole and ClusterRoleBinding karmada-controller-manager:karmada-paris (full rights) and karmada-impersonator",
  ]);
  warn.mockRestore();
});
