import { etcdHealth } from "../../lib/etcd/health.ts";
import { provider as membership } from "../../providers/etcd-membership-impl.ts";
import type { EtcdMembershipInputs, EtcdMembershipOutputs } from "../../providers/etcd-membership.ts";
import { provider as restore } from "../../providers/etcd-restore-impl.ts";
import type { EtcdRestoreOutputs } from "../../providers/etcd-restore.ts";
import { membershipInputs, restoreInputs } from "../support/etcd-inputs.ts";
import { PreparedEtcd } from "../support/prepared-etcd.ts";
import { programPath } from "../support/programs.ts";

type Outs = EtcdMembershipInputs & EtcdMembershipOutputs;

/** Members that are replaced in the edit that restores their cluster, and after a restore by a stack of its own. Ports from 21440 on. */
describe("members of a cluster that was restored", () => {
  let etcd: PreparedEtcd;
  let state: Outs;
  let restored: EtcdRestoreOutputs;
  beforeEach(async () => {
    etcd = await PreparedEtcd.create(21440);
    const { inputs: fresh } = await membership.check({} as never, membershipInputs(etcd) as never);
    state = (await membership.create(fresh as never)).outs as Outs;
    const path = await etcd.save("snapshot.db");
    const wanted = restoreInputs(etcd, {
      etcdutl: await programPath("etcdutl"),
      source: { kind: "file", path },
      replaceClusterId: state.clusterId,
      overwriteHealthy: true,
    });
    const { inputs, failures = [] } = await restore.check({} as never, wanted as never);
    expect(failures).toEqual([]);
    restored = (await restore.create(inputs as never)).outs as EtcdRestoreOutputs;
  }, 120_000);
  afterEach(() => etcd.remove());

  /** As the engine does: check, diff, and an update when there is something to do; the steps of the plan. */
  async function up(change: Partial<EtcdMembershipInputs>): Promise<string[] | undefined> {
    const { inputs: news, failures = [] } = await membership.check(
      state as never,
      membershipInputs(etcd, change) as never,
    );
    expect(failures).toEqual([]);
    const { changes = false } = await membership.diff("dev", state as never, news as never);
    if (!changes) return undefined;
    state = (await membership.update("dev", state as never, news as never)).outs as Outs;
    return (news.plan as string[])
      .slice(1)
      .map((sentence) => sentence.replace("hand leadership to another, ", "").split(" ").slice(0, 2).join(" "));
  }
  const incarnations = () => Object.fromEntries(state.memberStates.map(({ name, incarnation }) => [name, incarnation]));

  test("by the same edit all have been replaced", async () => {
    const { clusterId } = restored;
    const edit = { replace: { "etcd-0": 1, "etcd-1": 1 }, restored: { generation: 1, clusterId } };
    expect(await up(edit)).toEqual([]);
    expect(state.clusterId).toBe(clusterId);
    expect(incarnations()).toEqual(restored.incarnations);
    expect(await up(edit)).toBeUndefined();
    expect(await up({ ...edit, replace: { "etcd-0": 1, "etcd-1": 2 } })).toEqual(["remove etcd-1", "add etcd-1"]);
    expect(incarnations()).toEqual({ ...restored.incarnations, "etcd-1": 3 });
  }, 120_000);

  test("by a stack of its own, one is replaced when the deployment asks for it, and once", async () => {
    expect(await up({})).toBeUndefined();
    const edit = { replace: { "etcd-1": 1 } };
    expect(await up(edit)).toEqual(["remove etcd-1", "add etcd-1"]);
    expect(incarnations()).toEqual({ ...restored.incarnations, "etcd-1": 3 });
    expect(await up(edit)).toBeUndefined();
  }, 120_000);

  test("what was replaced is not replaced again when the change that did it has failed later", async () => {
    const { members } = await etcdHealth(
      etcd.client,
      etcd.members.map(({ clientUrl }) => clientUrl),
    );
    // The leader is replaced last, and cannot be started.
    const [first, leader] = [false, true].map((leads) => members.find((each) => each.leader === leads)!.name);
    const edit = { replace: { [first!]: 1, [leader!]: 1 } };
    const wanted = membershipInputs(etcd, edit);
    const broken = wanted.members.map((each) => (each.name === leader ? { ...each, revision: "not prepared" } : each));
    const failed = membership.update("dev", state as never, { ...wanted, members: broken } as never);
    const error = (await failed.catch((thrown: unknown) => thrown)) as Error & { properties: Outs };
    expect(error.message).toMatch(/revision not prepared/);
    state = error.properties;
    expect(state.known.replaced).toEqual({ [first!]: 1, [leader!]: 0 });
    await up(edit);
    expect(incarnations()).toMatchObject({ [first!]: 3, [leader!]: 3 });
    expect(await up(edit)).toBeUndefined();
  }, 120_000);
});
