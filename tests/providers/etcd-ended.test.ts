/** How a whole cluster ends. */
import { readFileSync } from "node:fs";
import { jest } from "@jest/globals";
import { processPaths } from "../../lib/supervisor/process-paths.ts";
import { provider } from "../../providers/etcd-membership-impl.ts";
import { beginRun } from "../../providers/still-declared.ts";
import { membershipInputs } from "../support/etcd-inputs.ts";
import { PreparedEtcd } from "../support/prepared-etcd.ts";

let etcd: PreparedEtcd;
beforeAll(async () => (etcd = await PreparedEtcd.create(21480)));
afterAll(() => etcd.remove());

/** As `destroy` does, in which nothing is declared. */
const destroy = (outs: object) => {
  beginRun();
  return provider.delete("dev", outs as never);
};

test("no leader is left to hand over to one that ends, for which it would wait seven seconds", async () => {
  const { outs } = await provider.create(membershipInputs(etcd) as never);
  await destroy(outs!);
  expect(await etcd.pids()).toEqual({});
  const logs = etcd.members.map(({ name }) =>
    readFileSync(processPaths({ directory: etcd.directory, name }).log, "utf8"),
  );
  expect(logs.filter((log) => log.includes("became leader at term"))).toHaveLength(1);
  expect(logs.join("")).not.toContain("leadership transfer starting");
});

test("members that another deployment has started in the place of these go on", async () => {
  const { outs } = await provider.create(membershipInputs(etcd) as never);
  const warn = jest.spyOn(console, "warn").mockImplementation(() => {});
  const known = { ...outs!.known, members: outs!.known.members.map((each: object) => ({ ...each, token: "former" })) };
  const before = await etcd.pids();
  await provider.delete("former", { ...outs!, token: "former", known });
  expect(await etcd.pids()).toEqual(before);
  const said = etcd.members.map(({ name }) => [
    `${name}: goes on, as a member of dev: this state is not of that cluster`,
  ]);
  expect(warn.mock.calls.sort()).toEqual(said);
  warn.mockRestore();
  await destroy({ ...outs!, known });
  expect(await etcd.pids()).toEqual({});
});
