/** Which members of a real etcd with alarms are fit to give a snapshot. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import type { EtcdClient } from "../../../lib/etcd/client.ts";
import { etcdHealth } from "../../../lib/etcd/health.ts";
import { sourceMembers } from "../../../lib/snapshots/source.ts";
import { deadlineIn, Pending, waitFor } from "../../../lib/wait.ts";
import { clientOf, connectionOf } from "../../support/etcd-data.ts";
import { type EtcdCluster, startEtcd } from "../../support/etcd.ts";
import { Programs } from "../../support/running.ts";

jest.setTimeout(60_000);

/** Ports 23180 to 23183. */
const port = 23180;
const programs = new Programs(mkdtempSync(join(tmpdir(), "snapshot-source-")));
let cluster: EtcdCluster;
let client: EtcdClient;

beforeAll(async () => {
  cluster = await startEtcd(programs, port, 2);
  client = clientOf(cluster);
  await waitFor("two members", deadlineIn(60), async () => {
    const { members } = await etcdHealth(client, cluster.endpoints);
    return members.every(({ healthy }) => healthy) ? true : new Pending("not yet");
  });
});
afterAll(async () => {
  client.close();
  await programs.remove();
});

async function under<T>(alarm: string, memberID: string, run: () => Promise<T>): Promise<T> {
  const change = (action: string) =>
    client.call(cluster.endpoints[0]!, "maintenance/alarm", { action, memberID, alarm });
  await change("ACTIVATE");
  try {
    return await run();
  } finally {
    await change("DEACTIVATE");
  }
}

async function fit({ emergency = false } = {}): Promise<string[]> {
  const source = { endpoints: cluster.endpoints, connection: connectionOf(cluster) };
  return (await sourceMembers(source, { emergency })).map(({ name }) => name).sort();
}

const decimal = (hex: string) => BigInt(`0x${hex}`).toString();

test("one that is corrupt is not, the other is; of a member that is gone it says nothing of those there", async () => {
  const { members } = await etcdHealth(client, cluster.endpoints);
  expect(await under("CORRUPT", decimal(members[1]!.id), fit)).toEqual(["etcd-0"]);
  expect(await under("CORRUPT", "489", fit)).toEqual(["etcd-0", "etcd-1"]);
});

test("a full database is, whoever says that it is full", async () => {
  for (const id of ["489", "0"]) expect(await under("NOSPACE", id, fit)).toEqual(["etcd-0", "etcd-1"]);
});

test("none is where nobody knows which is corrupt, which is said; in an emergency all are", async () => {
  const reason = "alarm CORRUPT of no member in particular: its data may be the wrong ones";
  await under("CORRUPT", "0", async () => {
    const each = cluster.endpoints.map((endpoint) => `${endpoint}: ${reason}`).join("; ");
    await expect(fit()).rejects.toThrow(new Error(`no member can give a snapshot: ${each}`));
    expect(await fit({ emergency: true })).toEqual(["etcd-0", "etcd-1"]);
  });
});
