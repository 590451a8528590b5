/** Databases that are full with what is in use: no compaction makes room, only a larger quota does. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { encode } from "../../../../lib/etcd/client.ts";
import { look } from "../../../../lib/etcd/membership/context.ts";
import type { Desired } from "../../../../lib/etcd/membership/situation.ts";
import { fillEtcd } from "../../../support/etcd-data.ts";
import { EtcdFleet } from "../../../support/etcd-fleet.ts";
import { Programs } from "../../../support/running.ts";

jest.setTimeout(120_000);

describe.each([1, 3])("a full database of %d members", (size) => {
  const programs = new Programs(mkdtempSync(join(tmpdir(), "etcd-full-")));
  const names = Array.from({ length: size }, (_, i) => `etcd-${i}`);
  let fleet: EtcdFleet;
  const withQuota = (megabytes: number) =>
    fleet.declare(names, { flags: { "quota-backend-bytes": String(megabytes * 2 ** 20) } });
  const endpointOf = ({ members: [first] }: Desired) => first!.clientUrl;
  const put = (desired: Desired) =>
    fleet.client.call(endpointOf(desired), "kv/put", { key: encode("/registry/after"), value: encode("x") });

  beforeAll(async () => (fleet = await EtcdFleet.create(programs, 21100 + 20 * size)));
  afterAll(async () => {
    await fleet.stop();
    rmSync(programs.directory, { recursive: true });
  });

  test("stays read-only, and whoever brings it up is told what to raise", async () => {
    const small = withQuota(16);
    await fleet.reconcile(small);
    await expect(fillEtcd(fleet.client, endpointOf(small), 32 * 2 ** 20)).rejects.toThrow(/database space exceeded/);
    const { facts } = await look(fleet.context(small));
    expect(facts.report.state).toBe("NoSpace");
    expect(facts.report.conditions).toMatchObject({ noAlarm: false, quorum: true, allHealthy: true });
    await expect(fleet.reconcile(small)).rejects.toThrow(
      /^etcd-\d: \d\dMi of 16Mi are in use after compaction: it stays read-only; raise etcd.quota, where its disk has room for that, or delete objects$/,
    );
    await expect(put(small)).rejects.toThrow(/database space exceeded/);
  });

  test("takes writes again once its quota is raised", async () => {
    const large = withQuota(64);
    fleet.said.splice(0);
    await fleet.reconcile(large);
    expect(fleet.said.map((sentence) => sentence.split(" ")[0])).toEqual([...names.map(() => "restart"), "the"]);
    await put(large);
    const { facts } = await look(fleet.context(large));
    expect(facts.report.state).toBe("Healthy");
    expect(facts.report.members.map(({ dbSizeQuota }) => dbSizeQuota)).toEqual(names.map(() => 64 * 2 ** 20));
  });
});
