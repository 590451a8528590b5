import { leavePlane, withdraw } from "../../../lib/members/leave.ts";
import { deadlineIn } from "../../../lib/wait.ts";
import { Unsteady } from "../../support/unsteady.ts";

test("a cluster leaves though the API fails at each request once", async () => {
  let cluster = true;
  const plane = new Unsteady((verb, path) => {
    if (verb === "delete") cluster = false;
    return cluster && path.includes("clusters") ? {} : undefined;
  });
  await withdraw(plane.client, "paris", deadlineIn(10));
  await leavePlane(plane.client, "paris", deadlineIn(10));
  const deleted = plane.done.filter((call) => call.startsWith("delete")).map((call) => call.split("/").at(-1));
  expect([...new Set(deleted)].sort()).toEqual(["paris", "paris-impersonator"]);
});
