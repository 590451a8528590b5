import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { encode } from "../../../../lib/etcd/client.ts";
import { look } from "../../../../lib/etcd/membership/context.ts";
import { deadlineIn, Pending, waitFor } from "../../../../lib/wait.ts";
import { EtcdFleet } from "../../../support/etcd-fleet.ts";
import { Programs } from "../../../support/running.ts";

const three = ["etcd-0", "etcd-1", "etcd-2"];
const programs = new Programs(mkdtempSync(join(tmpdir(), "etcd-ended-")));
// Members that run when their authority ends keep their connections to each other.
const peerScheme = "http";
let fleet: EtcdFleet;

beforeAll(async () => {
  fleet = await EtcdFleet.create(programs, 21280);
  const { members } = fleet.declare(three, { peerScheme });
  await fleet.reconcile(fleet.declare(three, { peerScheme }));
  await fleet.client.call(members[0]!.clientUrl, "kv/put", { key: encode("/kept"), value: encode("x") });
});
afterAll(async () => {
  await fleet.stop();
  rmSync(programs.directory, { recursive: true });
});

/** Has these run with an authority that has ended, as if they had read it before. */
async function runEnded(names: readonly string[]) {
  const former = fleet.declare(three, { peerScheme, ended: true });
  for (const name of names) await fleet.runtime.start(name, (await fleet.runtime.observe(name)).bootstrap!);
  await waitFor("members to refuse us", deadlineIn(60), async () => {
    const { refusing, silent } = (await look(fleet.context(former))).facts.report;
    return refusing.length < names.length ? new Pending(silent.join()) : undefined;
  });
}

async function kept(): Promise<unknown> {
  const { clientUrl } = fleet.declare(three, { peerScheme }).members[0]!;
  return (await fleet.client.call<{ count?: string }>(clientUrl, "kv/range", { key: encode("/kept") })).count;
}

test("members that keep to an authority that has ended start again, all at once, by the one that is declared", async () => {
  await runEnded(three);
  const desired = fleet.declare(three, { peerScheme });
  fleet.said.length = 0;
  const { members } = await fleet.reconcile(desired);
  expect(fleet.said).toEqual(["restart etcd-0, etcd-1 and etcd-2: they keep to earlier certificates, and refuse us"]);
  expect(members.map(({ name, role, revision }) => [name, role, revision])).toEqual(
    desired.members.map(({ name, revision }) => [name, "voter", revision]),
  );
  expect(await kept()).toBe("1");
});

test("a run that dies among them is taken up by the next one", async () => {
  await runEnded(three);
  const desired = fleet.declare(three, { peerScheme });
  expect(await fleet.reconcileApart(desired, "membership/started")).toMatchObject({ signal: "SIGKILL" });
  await fleet.reconcile(desired);
  expect(await kept()).toBe("1");
  expect((await fleet.reconcileApart(desired)).said).toEqual([]);
});

test("one of three that refuses us is restarted like any other that is not as declared", async () => {
  await runEnded(["etcd-1"]);
  const desired = fleet.declare(three, { peerScheme });
  fleet.said.length = 0;
  await fleet.reconcile(desired);
  expect(fleet.said).toEqual([expect.stringMatching(/^restart etcd-1 \(not well: .*refuses our certificate/)]);
  expect(await kept()).toBe("1");
});

jest.setTimeout(300_000);
