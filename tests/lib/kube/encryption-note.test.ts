import { noteTold } from "../../../lib/kube/encryption-note.ts";
import { deadlineIn } from "../../../lib/wait.ts";
import { Unsteady } from "../../support/unsteady.ts";

test("what API servers were told is noted, also where one has no answer at first", async () => {
  const plane = new Unsteady(() => undefined);
  await noteTold(plane.client, "told", { resources: ["secrets"], by: ["secretbox"] }, deadlineIn(20));
  expect(plane.done).toEqual(["merge /api/v1/namespaces/kube-system"]);
});
