/** How real clusters are found, one bad day after another. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import type { EtcdClient } from "../../../lib/etcd/client.ts";
import { type EtcdHealthReport, etcdHealth, observeEtcd } from "../../../lib/etcd/health.ts";
import { observeFacts } from "../../../lib/etcd/membership/facts.ts";
import { refusals } from "../../../lib/etcd/membership/refusals.ts";
import { LocalEtcdRuntime } from "../../../lib/etcd/runtime/local.ts";
import { deadlineIn, Pending, waitFor } from "../../../lib/wait.ts";
import { clientOf } from "../../support/etcd-data.ts";
import { type EtcdCluster, startEtcd } from "../../support/etcd.ts";
import { Programs } from "../../support/running.ts";

jest.setTimeout(60_000);

/** Ports 21800 to 21819. */
const port = 21800;

describe("three members of one cluster, and one of another that has the same authority", () => {
  const programs = new Programs(mkdtempSync(join(tmpdir(), "etcd-conditions-")));
  const elsewhere = new Programs(mkdtempSync(join(tmpdir(), "etcd-conditions-other-")));
  let ours: EtcdCluster;
  let other: EtcdCluster;
  let client: EtcdClient;

  beforeAll(async () => {
    ours = await startEtcd(programs, port, 3);
    other = await startEtcd(elsewhere, port + 10, 1, ours.authority);
    client = clientOf(ours);
  });
  afterAll(async () => {
    client.close();
    await programs.remove();
    await elsewhere.remove();
  });

  const found = (state: EtcdHealthReport["state"], endpoints = ours.endpoints) =>
    waitFor(`${state} to be seen`, deadlineIn(30), async () => {
      const report = await observeEtcd(client, endpoints);
      return report.state === state ? report : new Pending(`${report.state}: ${report.silent.join("; ")}`);
    });

  test("well together", async () => {
    const { conditions, tolerates } = await found("Healthy");
    expect(Object.values(conditions)).toEqual(Array(Object.keys(conditions).length).fill(true));
    expect(tolerates).toBe(1);
  });

  /** As in a host cluster: what members tell each other is known only there. */
  const call = async (...args: Parameters<EtcdClient["call"]>) => {
    const answer = await client.call<{ members?: { name?: string }[] }>(...args);
    const named = answer.members?.map((each) => ({
      ...each,
      clientURLs: [`https://${each.name}.nowhere.invalid:2379`],
    }));
    return named ? { ...answer, members: named } : answer;
  };
  const inside = { call } as unknown as EtcdClient;
  const problems = async (...endpoints: string[]) =>
    (await observeEtcd(inside, endpoints)).members.map(({ problem }) => problem);

  test("a member at an address that leads nowhere from here is described by what the endpoints said", async () => {
    const silent = `https://127.0.0.1:${port + 19}`;
    const said = `${silent}: connection refused, nothing listens there`;
    const unmet = `none of the endpoints is this member; ${said}`;
    expect(await problems(ours.endpoints[0]!, silent)).toEqual([undefined, unmet, unmet]);
  });

  test("a member at an address that leads nowhere from here says so where that was given, and where nothing says more", async () => {
    const [first, second] = [ours.endpoints[0]!, "https://etcd-1.nowhere.invalid:2379"];
    const own = (name: string) => expect.stringMatching(`^https://${name}.nowhere.invalid:2379: .*getaddrinfo E`);
    expect(await problems(first)).toEqual([undefined, own("etcd-1"), own("etcd-2")]);
    const unmet = expect.stringMatching(`^none of the endpoints is this member; ${second}: .*getaddrinfo E`);
    expect(await problems(first, second)).toEqual([undefined, own("etcd-1"), unmet]);
  });

  test("Diverged when both are asked, which nothing is done about", async () => {
    const endpoints = [...ours.endpoints.slice(0, 2), ...other.endpoints];
    const { conditions } = await found("Diverged", endpoints);
    expect(conditions).toMatchObject({ oneCluster: false, quorum: true });
    const desired = {
      token: "test",
      members: endpoints.map((clientUrl, i) => ({
        name: `etcd-${i}`,
        clientUrl,
        peerUrl: clientUrl.replace(/\d$/, (digit) => String(Number(digit) + 1)),
        revision: "1",
      })),
      version: "3.6.6",
      replace: {},
      defragment: { fragmentation: 0.45, size: 2 ** 30 },
      foreignMembers: "refuse" as const,
    };
    const known = { members: [], replaced: {} };
    const facts = await observeFacts(client, new LocalEtcdRuntime(programs.directory), desired, known);
    expect(refusals({ facts, desired, known })).toEqual([
      {
        property: "members",
        reason: "the endpoints belong to different clusters (by their cluster IDs); stop the ones that are not ours",
      },
    ]);
  });

  test("Degraded without one, NoQuorum without two, and nobody speaks for it then", async () => {
    await ours.members[2]!.kill();
    expect(await found("Degraded")).toMatchObject({
      tolerates: 0,
      conditions: { quorum: true, allHealthy: false, faultTolerant: false },
    });
    await ours.members[1]!.kill();
    const { conditions, members, clusterId } = await found("NoQuorum");
    expect(conditions).toMatchObject({ quorum: false, oneCluster: true });
    // What the survivor knows by itself.
    expect([members.length, clusterId]).toEqual([3, expect.stringMatching(/^[0-9a-f]{8,}$/)]);
    await expect(etcdHealth(client, ours.endpoints)).rejects.toThrow(/knows no leader/);
  });

  test("Unreachable without any: that is not NoQuorum, since nothing is known", async () => {
    await ours.members[0]!.kill();
    expect(await found("Unreachable")).toMatchObject({ clusterId: "", members: [], conditions: { quorum: false } });
    const report = await observeEtcd(client, ours.endpoints);
    expect(report.silent).toEqual(
      ours.endpoints.map((endpoint) => `${endpoint}: connection refused, nothing listens there`),
    );
  });
});
