import { etcdHealth } from "../../lib/etcd/health.ts";
import { provider } from "../../providers/etcd-membership-impl.ts";
import type { EtcdMembershipOutputs } from "../../providers/etcd-membership.ts";
import { membershipInputs } from "../support/etcd-inputs.ts";
import { PreparedEtcd } from "../support/prepared-etcd.ts";

describe.each([
  { size: 5, losses: "2 losses", port: 21520 },
  { size: 7, losses: "3 losses", port: 21540 },
])("a new cluster of $size members", ({ size, losses, port }) => {
  let etcd: PreparedEtcd;
  beforeAll(async () => (etcd = await PreparedEtcd.create(port, size)));
  afterAll(() => etcd.remove());

  test("is started at once, each of them a voter, and is no difference after", async () => {
    const names = Array.from({ length: size }, (_, i) => `etcd-${i}`);
    const { inputs } = await provider.check({} as never, membershipInputs(etcd) as never);
    expect(inputs.plan).toEqual([
      "health: no member answers",
      `start ${names.slice(0, -1).join(", ")} and ${names.at(-1)} as a new cluster of etcd 3.6.6; tolerates ${losses}`,
    ]);
    const started = performance.now();
    const { id, outs } = await provider.create(inputs as never);
    // Members of which none waits for another one's place: as long as for three, on a machine that is busy too.
    expect(performance.now() - started).toBeLessThan(30_000);
    const { memberStates, clusterId } = outs as EtcdMembershipOutputs;
    expect(memberStates.map(({ name, role, incarnation }) => [name, role, incarnation])).toEqual(
      names.map((name) => [name, "voter", 1]),
    );
    const endpoints = etcd.members.map(({ clientUrl }) => clientUrl);
    const seen = await etcdHealth(etcd.client, endpoints);
    expect(seen).toMatchObject({ clusterId, state: "Healthy", tolerates: (size - 1) / 2 });
    expect(seen.members.filter(({ leader }) => leader)).toHaveLength(1);
    const { inputs: again } = await provider.check(outs as never, membershipInputs(etcd) as never);
    expect((await provider.diff(id, outs as never, again as never)).changes).toBe(false);
  }, 60_000);
});
