/** Alarms of members that are not on the list, which a real etcd keeps, and refuses writes for. Each test goes on where the one before has left it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { encode } from "../../../../lib/etcd/client.ts";
import { observeEtcd } from "../../../../lib/etcd/health.ts";
import { look } from "../../../../lib/etcd/membership/context.ts";
import { driftOf } from "../../../../lib/etcd/membership/drift.ts";
import { planSentences } from "../../../../lib/etcd/membership/plan.ts";
import type { Wanted } from "../../../support/etcd-fleet.ts";
import { EtcdFleet } from "../../../support/etcd-fleet.ts";
import { Programs } from "../../../support/running.ts";

jest.setTimeout(120_000);

/** Ports 21720 to 21731. */
const port = 21720;

const programs = new Programs(mkdtempSync(join(tmpdir(), "etcd-stray-alarms-")));
const names = ["etcd-0", "etcd-1", "etcd-2"];
let fleet: EtcdFleet;

beforeAll(async () => {
  fleet = await EtcdFleet.create(programs, port);
  await fleet.reconcile(fleet.declare(names));
});
beforeEach(() => fleet.said.splice(0));
afterAll(async () => {
  await fleet.stop();
  rmSync(programs.directory, { recursive: true });
});

const declare = (wanted: Wanted = {}) => fleet.declare(names, wanted);
const [endpoint] = [`https://127.0.0.1:${port}`];
const put = () => fleet.client.call(endpoint, "kv/put", { key: encode("/registry/a"), value: encode("x") });
/** As a member does that is full, or whose data differ. */
const raise = (alarm: string, id: string) =>
  fleet.client.call(endpoint, "maintenance/alarm", {
    ...{ action: "ACTIVATE", memberID: BigInt(`0x${id}`).toString(), alarm },
  });
const report = () => observeEtcd(fleet.client, [endpoint]);
const well = { state: "Healthy", strayAlarms: [], conditions: { noAlarm: true } };

test("a member that is corrupt is replaced, and its alarm does not outlive it", async () => {
  const { id } = (await report()).members.find(({ name }) => name === "etcd-1")!;
  await raise("CORRUPT", id);
  await expect(put()).rejects.toThrow("corrupt cluster");
  const wanted = declare({ replace: { "etcd-1": 1 } });
  await fleet.reconcile(wanted);
  expect(fleet.said[0]).toContain("remove etcd-1 (to be replaced)");
  expect(fleet.said[1]).toBe(`end the alarm CORRUPT of ${id}, no member any more, for which etcd refuses all writes`);
  expect(fleet.said[2]).toMatch(/^add etcd-1 /);
  await put();
  expect(await report()).toMatchObject(well);
});

test("the alarm CORRUPT of a member that somebody else has removed is seen, is drift, and is ended", async () => {
  await raise("CORRUPT", "1e9");
  expect(await report()).toMatchObject({
    state: "Corrupt",
    strayAlarms: [{ id: "1e9", alarm: "CORRUPT" }],
    conditions: { noAlarm: false, allHealthy: true, quorum: true },
  });
  const wanted = declare({ replace: { "etcd-1": 1 } });
  const found = await look(fleet.context(wanted));
  expect(driftOf(found)).toEqual(["etcd: alarm CORRUPT of 1e9, no member any more"]);
  expect(planSentences(found)).toEqual([
    expect.stringContaining(", alarm CORRUPT of 1e9, no member any more, db "),
    "end the alarm CORRUPT of 1e9, no member any more, for which etcd refuses all writes",
  ]);
  await fleet.reconcile(wanted);
  await put();
  expect(await report()).toMatchObject(well);
});

test("the alarm NOSPACE of such a one is ended once there is room", async () => {
  await raise("NOSPACE", "1e9");
  await expect(put()).rejects.toThrow("database space exceeded");
  expect(await report()).toMatchObject({ state: "NoSpace", conditions: { noAlarm: false } });
  await fleet.reconcile(declare({ replace: { "etcd-1": 1 } }));
  expect(fleet.said).toEqual([
    "the database counts as full (alarm NOSPACE of 1e9, no member any more): compact it to its newest revision, defragment every member, the leader last, and let it take writes again",
  ]);
  await put();
  expect(await report()).toMatchObject(well);
});

test("with the alarm CORRUPT of no member nothing is done, and the way out is a restore", async () => {
  await raise("CORRUPT", "0");
  expect(await report()).toMatchObject({ state: "Corrupt", strayAlarms: [{ id: "0", alarm: "CORRUPT" }] });
  await expect(fleet.reconcile(declare({ replace: { "etcd-1": 2 } }))).rejects.toThrow(
    /^the members' data differ, and etcd does not tell whose are wrong \(alarm CORRUPT of no member in particular\), so none can be replaced; set etcd.restore to a snapshot from before, or /,
  );
  expect(fleet.said).toEqual([]);
  await expect(put()).rejects.toThrow("corrupt cluster");
});
