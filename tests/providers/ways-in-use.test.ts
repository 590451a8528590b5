import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureProcess, listProcesses, removeProcess } from "../../lib/supervisor/client.ts";
import { provider } from "../../providers/ways-in-use-impl.ts";

const directory = realpathSync(mkdtempSync(join(tmpdir(), "ways-")));
const holders = { runtime: { kind: "local", directory } as const, programs: ["holder", "not-here"] };
const startOf = async () => (await listProcesses(directory))?.[0]?.running?.startedAt;

beforeAll(() =>
  ensureProcess(directory, {
    name: "holder",
    command: "/bin/sleep",
    args: ["600"],
    env: {},
    workingDirectory: directory,
    log: join(directory, "holder.log"),
    ports: [],
    stopSeconds: 5,
    revision: "1",
  }),
);
afterAll(async () => {
  await removeProcess(directory, "holder", 1);
  rmSync(directory, { recursive: true, force: true });
});

test("programs that may know other ways start again once, whatever those were", async () => {
  const before = await startOf();
  await provider.create({ ways: { paris: "a" }, holders, mayKnowOthers: false });
  expect(await startOf()).toBe(before);
  await provider.create({ ways: { paris: "a" }, holders, mayKnowOthers: true });
  expect(await startOf()).not.toBe(before);
});

test("programs start again when there is another way to a member they know, and for nothing else", async () => {
  let { outs } = await provider.create({ ways: { paris: "a" }, holders });
  const update = async (ways: Record<string, string>) => {
    const before = await startOf();
    const { inputs } = await provider.check(outs, { ways, holders });
    const changes = (await provider.diff("ways-in-use", outs, inputs)).changes;
    ({ outs } = (await provider.update("ways-in-use", outs, inputs)) as { outs: Record<string, unknown> });
    return { changes, again: (await startOf()) !== before };
  };
  expect(await update({ paris: "a" })).toEqual({ changes: false, again: false });
  expect(await update({ paris: "a", oslo: "b" })).toEqual({ changes: true, again: false });
  expect(await update({ paris: "c", oslo: "b" })).toEqual({ changes: true, again: true });
  expect(await update({ paris: "c", oslo: "" })).toEqual({ changes: false, again: false });
  expect(await update({ paris: "c", oslo: "d" })).toEqual({ changes: true, again: true });
  expect(await update({ paris: "c", oslo: "d", bonn: "" })).toEqual({ changes: false, again: false });
  expect(await update({ oslo: "d" })).toEqual({ changes: true, again: false });
  await provider.delete("ways-in-use", outs);
  expect(await startOf()).toBeDefined();
});
