/** Restores onto other members than there were. Those of before that are none any more count, and end. */
import { jest } from "@jest/globals";
import { deadlineIn, waitFor } from "../../lib/wait.ts";
import { provider as membership } from "../../providers/etcd-membership-impl.ts";
import { provider } from "../../providers/etcd-restore-impl.ts";
import type { EtcdRestoreInputs, EtcdRestoreOutputs } from "../../providers/etcd-restore.ts";
import { membershipInputs, restoreInputs } from "../support/etcd-inputs.ts";
import { PreparedEtcd } from "../support/prepared-etcd.ts";
import { programPath } from "../support/programs.ts";

jest.setTimeout(120_000);

/** Ports 25900 to 25999. */
const port = 25900;

let etcdutl: string;
let etcd: PreparedEtcd;
beforeAll(async () => {
  etcdutl = await programPath("etcdutl");
});
afterEach(() => etcd.remove());

const inputs = (change: Partial<EtcdRestoreInputs> = {}) => restoreInputs(etcd, { etcdutl, ...change });

const refusals = async (news: EtcdRestoreInputs) =>
  ((await provider.check({}, news)).failures ?? []).map(({ property, reason }) => `${property}: ${reason}`);

/** What an `up` does that finds no problem: the restore, and the members after it. @param between what happens meanwhile */
async function up(news: EtcdRestoreInputs, before: object, between = async () => {}) {
  const { inputs: checked, failures } = await provider.check({}, news);
  expect(failures).toEqual([]);
  const { clusterId } = (await provider.create(checked as EtcdRestoreInputs)).outs as EtcdRestoreOutputs;
  await between();
  const after = { ...declared(), restored: { generation: 1, clusterId } };
  const { inputs: wanted, failures: refused } = await membership.check(before as never, after as never);
  expect(refused).toEqual([]);
  const { outs } = await membership.update("dev", before as never, wanted as never);
  // The next preview has nothing to refuse and nothing to do.
  const { props, inputs: found } = await membership.read("dev", outs as never);
  expect(props).not.toHaveProperty("drift");
  const { inputs: again } = await membership.check(found as never, after as never);
  expect(await membership.diff("dev", props as never, again as never)).toMatchObject({ changes: false });
  return { clusterId, plan: (checked as EtcdRestoreInputs).plan };
}

const declared = () => membershipInputs(etcd);

/** Members as a deployment has them, 50 keys in a snapshot, and the state of before. */
async function clusterOf(size: number) {
  etcd = await PreparedEtcd.create(port, size);
  const { inputs: first } = await membership.check({}, declared() as never);
  const { outs } = await membership.create(first as never);
  const kept = await etcd.write("/registry/kept", 50);
  const path = await etcd.save("snapshot.db");
  await etcd.write("/registry/lost", 5);
  const clusterId = await etcd.clusterId();
  const known = async () => expect(await etcd.keys().list("/registry/", 100)).toEqual(kept);
  return { state: outs, clusterId, source: { kind: "file", path } as const, known };
}

const runs = async () => Object.keys(await etcd.pids()).sort();

const closed = (clusterId: string, evidence: string) => [
  expect.stringMatching(
    new RegExp(`^replaceClusterId: got "none", and cluster ${clusterId} is there \\(${evidence} answers\\)`),
  ),
  expect.stringMatching(new RegExp(`^overwriteHealthy: cluster ${clusterId} works \\(revision 5\\d\\)`)),
];

test("a cluster of three members is restored as one: those that go are stopped with it", async () => {
  const { state, clusterId, source, known } = await clusterOf(3);
  await etcd.prepare(port, 1);
  expect(await refusals(inputs({ source }))).toEqual(closed(clusterId, "etcd-0"));
  const { plan } = await up(inputs({ source, replaceClusterId: clusterId, overwriteHealthy: true }), state);
  expect(plan).toContain("ends etcd-1, etcd-2, no member any more");
  expect(await runs()).toEqual(["etcd-0"]);
  await known();
});

test("a cluster of one member is restored as three", async () => {
  const { state, clusterId, source, known } = await clusterOf(1);
  await etcd.prepare(port, 3);
  expect(await refusals(inputs({ source }))).toEqual(closed(clusterId, "etcd-0"));
  await up(inputs({ source, replaceClusterId: clusterId, overwriteHealthy: true }), state);
  expect(await runs()).toEqual(["etcd-0", "etcd-1", "etcd-2"]);
  await known();
});

test("three of five are lost: what is left is named, and stopped", async () => {
  const { state, clusterId, source, known } = await clusterOf(5);
  for (const { name } of etcd.members.slice(0, 3)) await etcd.lose(name);
  await etcd.prepare(port, 3);
  expect(await refusals(inputs({ source }))).toEqual([
    `replaceClusterId: got "none", and cluster ${clusterId} is there (etcd-3 answers), ` +
      `cluster ${clusterId} is there (etcd-4 answers); set replaceClusterId to "${clusterId}" if these data may go`,
  ]);
  await up(inputs({ source, replaceClusterId: clusterId }), state);
  expect(await runs()).toEqual(["etcd-0", "etcd-1", "etcd-2"]);
  await known();
});

test("other names at other addresses, while those of before work", async () => {
  const { state, clusterId, source, known } = await clusterOf(3);
  await etcd.prepare(port + 50, 3, 3);
  expect(await refusals(inputs({ source }))).toEqual(closed(clusterId, "etcd-0"));
  const forced = provider.create({ ...inputs({ source }), pinned: { uri: "x" } });
  await expect(forced).rejects.toThrow(/^dev: restoring: replaceClusterId: got "none"/);
  expect(await runs()).toEqual(["etcd-0", "etcd-1", "etcd-2"]);
  await up(inputs({ source, replaceClusterId: clusterId, overwriteHealthy: true }), state);
  expect(await runs()).toEqual(["etcd-3", "etcd-4", "etcd-5"]);
  await known();
});

test("the same names at other addresses: a cluster that works is asked where it still is", async () => {
  const { state, clusterId, source, known } = await clusterOf(3);
  await etcd.prepare(port + 50);
  expect(await refusals(inputs({ source, replaceClusterId: clusterId }))).toEqual([
    expect.stringMatching(new RegExp(`^overwriteHealthy: cluster ${clusterId} works \\(revision 5\\d\\)`)),
  ]);
  await up(inputs({ source, replaceClusterId: clusterId, overwriteHealthy: true }), state);
  expect(await runs()).toEqual(["etcd-0", "etcd-1", "etcd-2"]);
  await known();
});

test("some that come back between, from where nobody reached them, disturb nobody and are ended", async () => {
  const { state, clusterId, source, known } = await clusterOf(3);
  const before = await etcd.runtime.observe("etcd-1");
  const [, { clientUrl } = { clientUrl: "" }] = etcd.members;
  await etcd.prepare(port + 50, 1);
  await up(inputs({ source, replaceClusterId: clusterId, overwriteHealthy: true }), state, async () => {
    for (const name of ["etcd-1", "etcd-2"]) await etcd.runtime.start(name, before.bootstrap!);
    await waitFor("etcd-1 to answer as it was", deadlineIn(30), async () => {
      const { header } = await etcd.client.call<{ header: { cluster_id: string } }>(
        clientUrl,
        "maintenance/status",
        {},
      );
      expect(BigInt(header.cluster_id).toString(16)).toBe(clusterId);
    });
  });
  expect(await runs()).toEqual(["etcd-0"]);
  await known();
});

test("what was put aside long ago neither counts nor is touched", async () => {
  const { state, source, known, clusterId } = await clusterOf(3);
  await etcd.runtime.stop("etcd-2");
  await etcd.runtime.retire("etcd-2", 1);
  for (const name of ["etcd-0", "etcd-1"]) await etcd.lose(name);
  await etcd.prepare(port, 1);
  expect(clusterId).not.toBe("");
  await up(inputs({ source }), state);
  expect(await runs()).toEqual(["etcd-0"]);
  await known();
});
