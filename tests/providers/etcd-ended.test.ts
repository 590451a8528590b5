/** How a whole cluster ends. */
import { readFileSync } from "node:fs";
import { processPaths } from "../../lib/supervisor/process-paths.ts";
import { provider } from "../../providers/etcd-membership-impl.ts";
import { membershipInputs } from "../support/etcd-inputs.ts";
import { PreparedEtcd } from "../support/prepared-etcd.ts";

let etcd: PreparedEtcd;
beforeAll(async () => (etcd = await PreparedEtcd.create(21480)));
afterAll(() => etcd.remove());

test("no leader is left to hand over to one that ends, for which it would wait seven seconds", async () => {
  const { outs } = await provider.create(membershipInputs(etcd) as never);
  await provider.delete("dev", outs!);
  expect(await etcd.pids()).toEqual({});
  const logs = etcd.members.map(({ name }) =>
    readFileSync(processPaths({ directory: etcd.directory, name }).log, "utf8"),
  );
  expect(logs.filter((log) => log.includes("became leader at term"))).toHaveLength(1);
  expect(logs.join("")).not.toContain("leadership transfer starting");
});
