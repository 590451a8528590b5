/** Members whose files are damaged, as by a failing disk: etcd does not start on them. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { EtcdFleet } from "../../../support/etcd-fleet.ts";
import { Programs } from "../../../support/running.ts";

jest.setTimeout(120_000);

describe("members whose files are damaged", () => {
  const programs = new Programs(mkdtempSync(join(tmpdir(), "etcd-damaged-")));
  const names = ["etcd-0", "etcd-1", "etcd-2"];
  let fleet: EtcdFleet;

  beforeAll(async () => {
    fleet = await EtcdFleet.create(programs, 21_960);
    await fleet.reconcile(fleet.declare(names));
  });
  afterAll(async () => {
    await fleet.stop();
    rmSync(programs.directory, { recursive: true });
  });

  /** @param file how its name ends */
  const damage = async (member: string, file: string) => {
    await fleet.runtime.kill(member);
    const data = join(fleet.runtimeDirectory, member, "data");
    const files = readdirSync(data, { recursive: true, encoding: "utf8" });
    const found = files.find((path) => !path.includes("retired") && path.endsWith(file));
    writeFileSync(join(data, found!), Buffer.alloc(100_000, 0xab));
  };
  const failure = (replace: Record<string, number>) =>
    fleet.reconcile(fleet.declare(names, { replace }), 3).then(
      () => "",
      (error: Error) => error.message,
    );

  test.each([
    { file: "snap/db", before: 0 },
    { file: "0.wal", before: 1 },
  ])("with a majority left: the field that replaces one is named ($file)", async ({ file, before }) => {
    await damage("etcd-1", file);
    const said = await failure({ "etcd-1": before });
    expect(said).toMatch(/^waited 3s for etcd-1 to serve: .*\netcd-1, last lines of its log:\n/);
    expect(said.split("\n").at(-1)).toBe(
      `etcd-1: if its log says that its data are damaged, set etcd.replace to {etcd-1: ${before + 1}} to have it removed and added again`,
    );
    const { members } = await fleet.reconcile(fleet.declare(names, { replace: { "etcd-1": before + 1 } }));
    expect(members).toHaveLength(3);
  });

  test("without one: how to go on from a snapshot", async () => {
    await Promise.all(["etcd-0", "etcd-1"].map((member) => damage(member, "snap/db")));
    expect((await failure({ "etcd-1": 2 })).split("\n").at(-1)).toBe(
      'if their logs say that data are damaged: docs/recovery.md, "All members are lost, or their data are bad"',
    );
  });
});
