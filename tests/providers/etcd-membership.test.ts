import { existsSync } from "node:fs";
import { processPaths } from "../../lib/supervisor/process-paths.ts";
import { provider } from "../../providers/etcd-membership-impl.ts";
import type { EtcdMembershipInputs, EtcdMembershipOutputs } from "../../providers/etcd-membership.ts";
import { unknownValue } from "../../toolchain/pulumi/unknown-value.ts";
import { beginRun } from "../../providers/still-declared.ts";
import { membershipInputs } from "../support/etcd-inputs.ts";
import { PreparedEtcd } from "../support/prepared-etcd.ts";

type Outs = EtcdMembershipInputs & EtcdMembershipOutputs;

/** One cluster below a real supervisor, each test going on where the one before has left it. */
describe("the members of an etcd cluster", () => {
  let etcd: PreparedEtcd;
  let state: Outs;
  beforeAll(async () => (etcd = await PreparedEtcd.create(21400)));
  afterAll(() => etcd.remove());

  const inputs = (change: Partial<EtcdMembershipInputs> = {}) => membershipInputs(etcd, change);

  const check = (news: EtcdMembershipInputs, olds: object = state ?? {}) =>
    provider.check(olds as never, news as never);

  /** As the engine does: check, diff, and an update when there is something to do. */
  async function up(change: Partial<EtcdMembershipInputs> = {}): Promise<boolean> {
    const { inputs: news, failures } = await check(inputs(change));
    expect(failures).toEqual([]);
    const { changes = false } = await provider.diff("dev", state as never, news as never);
    if (changes) state = (await provider.update("dev", state as never, news as never)).outs as Outs;
    return changes;
  }

  test("have a plan that is not known yet where a preview does not know what it depends on", async () => {
    for (const name of ["certificate", "ca", "version", "runtime"] as const)
      expect((await check(inputs({ [name]: unknownValue as never }))).inputs.plan).toBe(unknownValue);
    const restored = { generation: 1, clusterId: unknownValue };
    expect((await check(inputs({ restored }))).inputs.plan).toBe(unknownValue);
  });

  test("are planned, started as a new cluster, and known after", async () => {
    const { inputs: news } = await check(inputs());
    expect(news.plan).toEqual([
      "health: no member answers",
      "start etcd-0, etcd-1 and etcd-2 as a new cluster of etcd 3.6.6; tolerates 1 loss",
    ]);
    const { id, outs } = await provider.create(news as never);
    expect(id).toBe("dev");
    state = outs as Outs;
    expect(state.clusterId).toBe(await etcd.clusterId());
    expect(state.memberStates).toEqual(
      etcd.members.map(({ name, clientUrl, peerUrl }) => ({
        name,
        id: expect.stringMatching(/^[0-9a-f]+$/),
        clientUrl,
        peerUrl,
        role: "voter",
        version: "3.6.6",
        revision: clientUrl,
        incarnation: 1,
      })),
    );
  });

  test("are no difference when nothing is changed: the plan is the one before", async () => {
    const { inputs: news } = await check(inputs());
    expect(news.plan).toEqual(state.plan);
    expect(await up()).toBe(false);
    const { props } = await provider.read("dev", state as never);
    expect(props).toEqual(state);
  });

  test("are drift when one has ended, and repaired", async () => {
    await etcd.runtime.stop("etcd-1");
    const { props, inputs: found } = (await provider.read("dev", state as never)) as { props: object; inputs: object };
    const refused = `etcd-1: ${etcd.members[1]?.clientUrl}: connection refused, nothing listens there`;
    expect(props).toMatchObject({ drift: [refused] });
    const { inputs: news } = await check(inputs(), found);
    expect(news.plan).toEqual([
      expect.stringMatching(/^health: 2\/3 voters, leader etcd-[02], no lag, no alarm, db .*; tolerates no loss$/),
      "start etcd-1 again, on the data there",
    ]);
    expect((await provider.diff("dev", props as never, news as never)).changes).toBe(true);
    state = (await provider.update("dev", props as never, news as never)).outs as Outs;
    expect(await provider.read("dev", state as never)).toEqual({ id: "dev", props: state, inputs: expect.anything() });
  });

  test("are drift when all have ended, and started again without a refresh as well", async () => {
    for (const { name } of etcd.members) await etcd.runtime.stop(name);
    const { props } = (await provider.read("dev", state as never)) as { props: object };
    expect(props).toMatchObject({ drift: etcd.members.map(({ name }) => `${name}: does not run`) });
    const { inputs: news } = await check(inputs());
    expect(news.plan?.[0]).toBe("health: no member answers");
    expect(news.plan?.[1]).toMatch(/^start etcd-0/);
    expect(await up()).toBe(true);
    expect(await up()).toBe(false);
  });

  test("are started again without a refresh when too few are left, and the others do without one", async () => {
    await etcd.runtime.stop("etcd-2");
    expect(await up()).toBe(false);
    await etcd.runtime.stop("etcd-1");
    const { inputs: news } = await check(inputs());
    expect(news.plan).toEqual(expect.arrayContaining([expect.stringMatching(/^start etcd-1/)]));
    expect(await up()).toBe(true);
    expect(await up()).toBe(false);
  });

  test("are not touched when one has lost its data; the number is named that has it replaced", async () => {
    await etcd.lose("etcd-1");
    const { failures } = await check(inputs({ timeoutSeconds: 31, defragment: { fragmentation: 0.5, size: 1 } }));
    expect(failures).toEqual([
      {
        property: "replace",
        reason:
          "etcd-1: its data are gone; it must not come back under its old identity: set etcd.replace to {etcd-1: 1} to have it removed and added again",
      },
    ]);
    const { inputs: news } = await check(inputs({ replace: { "etcd-1": 1 } }));
    expect((news.plan as string[]).slice(1).map((sentence) => sentence.split(" ").slice(0, 2).join(" "))).toEqual([
      "remove etcd-1",
      "add etcd-1",
    ]);
    expect(await up({ replace: { "etcd-1": 1 } })).toBe(true);
    expect(state.memberStates.map(({ name, role, incarnation }) => [name, role, incarnation])).toEqual([
      ["etcd-0", "voter", 1],
      ["etcd-1", "voter", 2],
      ["etcd-2", "voter", 1],
    ]);
    expect(await up({ replace: { "etcd-1": 1 } })).toBe(false);
  });

  test("are kept in the state when a change fails half-way, with what was done", async () => {
    const members = inputs().members.map((member) => ({ ...member, revision: "not prepared" }));
    const update = provider.update("dev", state as never, inputs({ replace: { "etcd-1": 1 }, members }) as never);
    const error = (await update.catch((thrown: unknown) => thrown)) as Error & { properties: Outs };
    expect(error.message).toMatch(/^etcd-\d: starting revision not prepared: revision \S+ is prepared; /);
    expect(error.properties.known).toEqual(state.known);
    await etcd.clusterId();
  });

  test("keep their state when nobody answers", async () => {
    const away = inputs().members.map((member) => ({ ...member, clientUrl: "https://127.0.0.1:21498" }));
    const known = {
      ...state.known,
      members: state.known.members.map((each) => ({ ...each, clientUrl: away[0]!.clientUrl })),
    };
    const elsewhere = { ...state, members: away, known };
    expect((await provider.read("dev", elsewhere as never)).props).toEqual(elsewhere);
  });

  test("keep the name of their cluster", async () => {
    expect((await check(inputs({ token: "other" }))).failures).toEqual([
      {
        property: "token",
        reason:
          'got "other", was "dev": a cluster keeps the name it was started with; restore a snapshot into a new deployment instead',
      },
    ]);
  });

  test("stay in the kind of placement that they are in, whether they are to be replaced or restored there", async () => {
    const runtime = { kind: "hosts", members: {}, hosts: [] } as const;
    const replace = { "etcd-0": 1, "etcd-1": 1, "etcd-2": 1 };
    const restored = { generation: 1, clusterId: unknownValue };
    for (const change of [{}, { replace }, { restored }])
      expect((await check(inputs({ runtime, ...change }))).failures).toEqual([
        {
          property: "runtime",
          reason: expect.stringMatching(
            /^this Karmada has its data in an etcd of placement.kind: local, and one of placement.kind: hosts would begin without them\nset placement.kind: local again; a new deployment moves them by a snapshot: docs\/recovery.md, "A: /,
          ),
        },
      ]);
  });

  test("are refused when they cannot be meant", async () => {
    const [first, second] = inputs().members as [
      EtcdMembershipInputs["members"][0],
      EtcdMembershipInputs["members"][0],
    ];
    const reasons = async (change: Partial<EtcdMembershipInputs>) =>
      (await check(inputs(change))).failures?.map(({ reason }) => reason);
    expect(await reasons({ members: [] })).toEqual([
      "got none: the last voter is not removed, all data would go with it; delete the deployment instead",
    ]);
    expect(await reasons({ members: [first, { ...second, name: "etcd-0", peerUrl: "etcd-1:2380" }] })).toEqual([
      "got etcd-0 twice, want each once",
      'got "etcd-1:2380", want https://host:port',
    ]);
    expect(await reasons({ replace: { "etcd-7": 1, "etcd-0": 0.5 } })).toEqual([
      "got 0.5 for etcd-0, want a whole number from 0 on",
      "got etcd-7, which is not a declared member; to take it away, take it off the members",
    ]);
    expect(await reasons({ defragment: { fragmentation: 45, size: 1 } })).toEqual([
      "got 45 as fragmentation, want a part between 0 and 1",
    ]);
  });

  test("shrink to one", async () => {
    await up({ members: inputs().members.slice(0, 1) });
    expect(state.memberStates.map(({ name }) => name)).toEqual(["etcd-0"]);
    expect(Object.keys(await etcd.pids())).toEqual(["etcd-0"]);
  });

  test("go on when a replacement is demanded, of which the engine asks no difference", async () => {
    const before = await etcd.pids();
    beginRun();
    const { inputs: news } = await check(inputs({ members: state.members }));
    const { outs } = await provider.create(news as never);
    await provider.delete("dev", state as never);
    expect(await etcd.pids()).toEqual(before);
    expect((outs as Outs).clusterId).toBe(state.clusterId);
  });

  test("end when they are deleted, and leave their data", async () => {
    beginRun();
    await provider.delete("dev", state as never);
    expect(await etcd.pids()).toEqual({});
    expect(existsSync(`${processPaths({ directory: etcd.directory, name: "etcd-0" }).data}/1`)).toBe(true);
    await provider.delete("dev", state as never);
  });
});
