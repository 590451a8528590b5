import { jest } from "@jest/globals";
import { encode, endOfPrefix } from "../../lib/etcd/client.ts";
import { etcdHealth } from "../../lib/etcd/health.ts";
import { listProcesses } from "../../lib/supervisor/client.ts";
import { deadlineIn, Pending, waitFor } from "../../lib/wait.ts";
import { provider } from "../../providers/etcd-membership-impl.ts";
import type { EtcdMembershipInputs, EtcdMembershipOutputs } from "../../providers/etcd-membership.ts";
import { fillEtcd } from "../support/etcd-data.ts";
import { membershipInputs } from "../support/etcd-inputs.ts";
import { PreparedEtcd } from "../support/prepared-etcd.ts";

jest.setTimeout(120_000);

type Outs = EtcdMembershipInputs & EtcdMembershipOutputs;

/** As the engine goes, without any change of what is declared. Ports 25800 to 25809. */
describe("a database that is mostly unused", () => {
  let etcd: PreparedEtcd;
  let state: Outs;
  beforeAll(async () => {
    etcd = await PreparedEtcd.create(25800);
    const { inputs: news } = await provider.check({}, inputs() as never);
    state = (await provider.create(news as never)).outs as Outs;
  });
  afterAll(() => etcd.remove());

  const inputs = () => membershipInputs(etcd, { defragment: { fragmentation: 0.45, size: 8 * 2 ** 20 } });
  const preview = async () => {
    const { inputs: news, failures } = await provider.check(state as never, inputs() as never);
    expect(failures).toEqual([]);
    const { changes } = await provider.diff("dev", state as never, news as never);
    return { news: news as EtcdMembershipInputs, changes };
  };
  const members = async () =>
    (
      await etcdHealth(
        etcd.client,
        etcd.members.map(({ clientUrl }) => clientUrl),
      )
    ).members;
  const endpoint = () => etcd.members[0]!.clientUrl;

  test("is no difference while it is in use", async () => {
    await fillEtcd(etcd.client, endpoint(), 20 * 2 ** 20);
    expect(await preview()).toEqual({ news: expect.objectContaining({ plan: state.plan }), changes: false });
  });

  test("is in the plan of a preview that nothing else is to do in, the leader last", async () => {
    const prefix = "/registry/filler/";
    await etcd.client.call(endpoint(), "kv/deleterange", { key: encode(prefix), rangeEnd: endOfPrefix(prefix) });
    const { header } = await etcd.client.call<{ header: { revision: string } }>(endpoint(), "maintenance/status", {});
    await etcd.client.call(endpoint(), "kv/compaction", { revision: header.revision, physical: true }, 60_000);
    // Pages are free once the next batches are written.
    await waitFor("all members to have compacted", deadlineIn(30), async () => {
      await etcd.write("/registry/other", 1);
      const used = (await members()).map(({ dbSizeInUse }) => dbSizeInUse);
      return used.every((bytes) => bytes < 2 ** 20) ? undefined : new Pending(used.join());
    });
    const leader = (await members()).find((member) => member.leader)!.name;
    const { news, changes } = await preview();
    expect(changes).toBe(true);
    const [health, ...steps] = news.plan!;
    expect(health).toMatch(/^health: 3\/3 voters, .* db about 20Mi/);
    expect(steps).toHaveLength(3);
    for (const step of steps) expect(step).toMatch(/^defragment etcd-\d \(\d+% of about 20Mi unused\)$/);
    expect(steps.at(-1)).toMatch(new RegExp(`^defragment ${leader} `));
  });

  test("shrinks in the up, and is no difference from then on", async () => {
    const { news } = await preview();
    const said: string[] = [];
    const log = jest.spyOn(console, "log").mockImplementation((text: string) => void said.push(text));
    state = (await provider.update("dev", state as never, news as never)).outs as Outs;
    log.mockRestore();
    expect(said.map((sentence) => sentence.split(" (")[0])).toEqual(
      news.plan!.slice(1).map((sentence) => sentence.split(" (")[0]),
    );
    for (const { dbSize } of await members()) expect(dbSize).toBeLessThan(2 ** 20);
    expect(await preview()).toEqual({ news: expect.objectContaining({ plan: news.plan }), changes: false });
  });

  test("is not asked for long when nobody answers, and is no difference while its members run", async () => {
    const pids = ((await listProcesses(etcd.directory)) ?? []).map(({ running }) => running!.pid);
    expect(pids).toHaveLength(3);
    for (const pid of pids) process.kill(pid, "SIGSTOP");
    try {
      const began = performance.now();
      expect((await preview()).changes).toBe(false);
      expect(performance.now() - began).toBeLessThan(3000);
    } finally {
      for (const pid of pids) process.kill(pid, "SIGCONT");
    }
  });
});
