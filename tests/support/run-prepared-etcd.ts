/**
 * Run as a process of its own, by another user: `node run-prepared-etcd.ts PORT` brings up members of etcd below a supervisor,
 * says which processes they are, and takes all away once its standard input ends.
 */
import { once } from "node:events";
import { provider } from "../../providers/etcd-membership-impl.ts";
import { membershipInputs } from "./etcd-inputs.ts";
import { PreparedEtcd } from "./prepared-etcd.ts";

const etcd = await PreparedEtcd.create(Number(process.argv[2]));
try {
  const { outs } = await provider.create(membershipInputs(etcd, { timeoutSeconds: 60 }) as never);
  const { memberStates } = outs as { memberStates: { name: string }[] };
  const pids = await etcd.pids();
  console.log(JSON.stringify({ directory: etcd.directory, pids, members: memberStates.map(({ name }) => name) }));
  process.stdin.resume();
  await once(process.stdin, "end");
} finally {
  await etcd.remove();
}
