import { leavePlane, withdraw } from "../../../lib/members/leave.ts";
import { deadlineIn } from "../../../lib/wait.ts";
import { Unsteady } from "../../support/unsteady.ts";

test("a cluster leaves though the API fails at each request once", async () => {
  let cluster = true;
  const plane = new Unsteady((verb, path) => {
    if (verb === "delete") cluster = false;
    return cluster && path.includes("clusters") ? {} : undefined;
  });
  await withdraw(plane.client, "paris", 10);
  await leavePlane(plane.client, "paris", deadlineIn(10));
  const deleted = plane.done.filter((call) => call.startsWith("delete")).map((call) => call.split("/").at(-1));
  expect([...new Set(deleted)].sort()).toEqual(["paris", "paris-impersonator"]);
});

describe("what was propagated to a member", () => {
  /** Stands for a Karmada that deletes works as slowly as wanted: a real one deletes a few within no time. */
  function planeThat(deletes: (works: number) => number) {
    let works = 6;
    return new Unsteady((verb, path) => {
      if (verb === "get") return { items: Array.from({ length: (works = deletes(works)) }, (_, i) => workNamed(i)) };
      return path.includes("clusters") ? {} : { metadata: { deletionTimestamp: "2026-11-30T00:00:00Z" } };
    }).client;
  }
  const workNamed = (i: number) => ({ metadata: { name: `web-${i}`, deletionTimestamp: "2026-11-30T00:00:00Z" } });
  const seconds = 0.6;

  test("is waited for as long as it becomes less, however long that takes", async () => {
    const began = performance.now();
    await withdraw(
      planeThat((works) => works - 1),
      "paris",
      seconds,
    );
    expect(performance.now() - began).toBeGreaterThan(seconds * 1000);
  });

  test("is given up once it does not become less any more", async () => {
    const stuck = withdraw(
      planeThat((works) => Math.max(works - 1, 2)),
      "paris",
      seconds,
    );
    await expect(stuck).rejects.toThrow(
      "waited 0.6s for Karmada to delete what it put into paris: 2 works are left, for instance web-0; the member is not ready",
    );
  });
});
