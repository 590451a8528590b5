import type { MembershipContext } from "../../../../lib/etcd/membership/context.ts";
import { join } from "../../../../lib/etcd/membership/execute/learner.ts";
import { cluster, desired, facts, knownOf, member, names, run } from "./model.ts";

test("why a learner does not come up is told also when it cannot be taken back", async () => {
  const joining = { desired: desired(names(4)), known: knownOf(names(3)) };
  const learner = member("etcd-3", { learner: true, problem: "connection refused" });
  const runs = { "etcd-3": run({ running: false, incarnations: [] }) };
  const context = {
    ...joining,
    client: { call: () => Promise.reject(new Error("etcd-0: connection refused")) },
    runtime: {
      start: () => Promise.reject(new Error("etcd-3: the disk is full")),
      log: () => Promise.resolve(""),
    },
    timeoutSeconds: 0.1,
    say: () => {},
  } as unknown as MembershipContext;
  const error = await join(context, { ...joining, facts: facts([...cluster(3), learner], runs) }, "etcd-3").catch(
    String,
  );
  expect(error).toMatch(/^Error: etcd-3: joining as a learner: etcd-3: the disk is full\netcd-3 has logged nothing\n/);
  expect(error).toMatch(/\nit could not be taken back, .*: waited .* for etcd to remove id-etcd-3: etcd-0: connection/);
});
