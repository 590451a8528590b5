/** A directory on one machine that a state knows nothing of, as that of another checkout does not. */
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { ensureProcess } from "../../lib/supervisor/client.ts";
import { writePrepared } from "../../lib/supervisor/prepared.ts";
import { provider } from "../../providers/local-directory-impl.ts";
import { beginRun } from "../../providers/still-declared.ts";
import { Deployment, quiet } from "../lib/supervisor/support.ts";

let deployment: Deployment;
beforeEach(() => {
  beginRun();
  deployment = new Deployment();
});
afterEach(() => deployment.clear());

const inputs = () => ({ directory: deployment.directory, deployment: "dev" });
/** What a check says of it with a state that has nothing. */
const refusals = async () => (await provider.check(undefined, inputs())).failures ?? [];
const below = (...names: string[]) => join(deployment.directory, ...names);
const makeData = (name: string, ...number: string[]) =>
  mkdirSync(below(name, "data", ...number, "member", "wal"), { recursive: true });

/** Looks for a while: a program that was just killed, or started, may not be seen so yet on a busy machine. */
async function becomesRefused(wanted: ReturnType<typeof refusal>): Promise<void> {
  const limit = Date.now() + 10_000;
  while (!isDeepStrictEqual(await refusals(), wanted) && Date.now() < limit) await sleep(50);
  expect(await refusals()).toEqual(wanted);
}

/** Everything of the deployment is gone in a moment, and its files are not. */
async function crash(): Promise<void> {
  for (const running of [() => deployment.supervisors(), () => deployment.running()]) {
    for (const pid of running()) process.kill(pid, "SIGKILL");
    while (running().length > 0) await sleep(10);
  }
}

const refusal = (what: string, first = "") => [
  {
    property: "directory",
    reason:
      `${deployment.directory}: ${what}, and the state of this stack knows nothing of that, or its replacement is forced\n` +
      "where it is forced leave this resource out of --replace, or take its taint back (`pulumi state untaint`), or add --refresh, " +
      "which leaves the directory as it is; otherwise use the state it was made with (docs/state.md), or another name and " +
      "placement.directory; if that state is lost, " +
      `${first}move the directory away (mv '${deployment.directory}' '${deployment.directory}.before'), and restore a snapshot (docs/recovery.md)`,
  },
];

test("is refused while its programs run, also without a supervisor, and after a reboot, until it is moved away", async () => {
  await provider.create(inputs());
  for (const name of ["karmada-apiserver", "etcd-0"])
    await ensureProcess(deployment.directory, deployment.program(name, quiet));
  const running = refusal(
    'deployment "dev" runs there already (etcd-0, karmada-apiserver)',
    "end what runs there, its supervisor first, ",
  );
  await becomesRefused(running);
  for (const pid of deployment.supervisors()) process.kill(pid, "SIGKILL");
  while (deployment.supervisors().length > 0) await sleep(10);
  await becomesRefused(running);
  await crash();
  await becomesRefused(refusal('deployment "dev" is there, and does not run (etcd-0, karmada-apiserver)'));
  renameSync(deployment.directory, `${deployment.directory}.before`);
  expect(await refusals()).toEqual([]);
});

test("is refused with a prepared program, and with the data of a member of etcd, whose supervisor has left nothing", async () => {
  writePrepared(deployment.directory, deployment.program("etcd-1", quiet));
  makeData("member1-etcd");
  makeData("etcd-0", "2");
  expect(await refusals()).toEqual(refusal("a deployment is there, and does not run (etcd-0, etcd-1, member1-etcd)"));
});

test("is no other's to the state that knows it, however it is found, nor for a replacement that follows", async () => {
  const { outs } = await provider.create(inputs());
  makeData("etcd-0");
  await ensureProcess(deployment.directory, deployment.program("etcd-0", quiet));
  await crash();
  expect(await refusals()).not.toEqual([]);
  expect((await provider.check(outs, inputs())).failures).toEqual([]);
  // As the engine asks once more of a replacement that follows from another one.
  expect(await refusals()).toEqual([]);
});

test("is refused a replacement that is forced, of which the engine does not show the state, until a refresh does", async () => {
  const { id, outs } = await provider.create(inputs());
  await ensureProcess(deployment.directory, deployment.program("etcd-0", quiet));
  beginRun();
  await becomesRefused(
    refusal('deployment "dev" runs there already (etcd-0)', "end what runs there, its supervisor first, "),
  );
  await provider.read(id as string, outs);
  expect(await refusals()).toEqual([]);
  const running = deployment.running();
  await provider.create(inputs());
  await provider.delete(id as string, outs);
  expect(deployment.running()).toEqual(running);
});

test("stays in the state while it is away, as on a disk that is not mounted, and the next up mends it", async () => {
  const { id, outs } = await provider.create(inputs());
  await ensureProcess(deployment.directory, deployment.program("etcd-0", quiet));
  await crash();
  renameSync(deployment.directory, `${deployment.directory}.away`);
  const seen = await provider.read(id as string, outs);
  expect(seen).toMatchObject({ id, props: { drift: [`${deployment.directory} is gone`] } });
  expect(await provider.diff(id as string, seen.props, inputs())).toMatchObject({ changes: true, replaces: [] });
  renameSync(`${deployment.directory}.away`, deployment.directory);
  expect((await provider.check(seen.props, inputs())).failures).toEqual([]);
  await provider.update(id as string, seen.props, inputs());
  expect(deployment.supervisors()).toHaveLength(1);
});

test("is taken where an up was killed before the state knew of it, at any moment of making it", async () => {
  mkdirSync(deployment.directory);
  expect(await refusals()).toEqual([]);
  await provider.create(inputs());
  expect(await refusals()).toEqual([]);
  await crash();
  expect(existsSync(below(".supervisor", "deployment"))).toBe(true);
  expect(await refusals()).toEqual([]);
});

test("goes with the directories that were made for it, and with no other", async () => {
  const above = deployment.directory;
  mkdirSync(above);
  const inputs = { directory: below("one", "two", "dev"), deployment: "dev" };
  const { id, outs } = await provider.create(inputs);
  const updated = await provider.update(id as string, outs, inputs);
  await ensureProcess(inputs.directory, { ...deployment.program("etcd-0", quiet), log: below("etcd-0.log") });
  beginRun();
  await provider.delete(id as string, updated.outs);
  expect([below("one"), above].map((path) => existsSync(path))).toEqual([false, true]);
});

test.each(["a neighbour's", "a former"])("leaves %s directory beside or above it", async (whose) => {
  const others = whose === "a neighbour's" ? ["one", "two", "prod"] : ["one"];
  const inputs = { directory: below("one", "two", "dev"), deployment: "dev" };
  if (others.length === 1) mkdirSync(below(...others), { recursive: true });
  const { id, outs } = await provider.create(inputs);
  if (others.length > 1) mkdirSync(below(...others));
  beginRun();
  await provider.delete(id as string, outs);
  expect([existsSync(below(...others)), existsSync(inputs.directory)]).toEqual([true, false]);
});

test("is taken after a destroy, with logs and snapshots that are left there", async () => {
  const { id, outs } = await provider.create(inputs());
  await ensureProcess(deployment.directory, deployment.program("etcd-0", quiet));
  makeData("etcd-0");
  writePrepared(deployment.directory, deployment.program("etcd-1", quiet));
  for (const [folder, file] of [
    ["snapshots", "one.db"],
    ["logs", "somebody's.log"],
  ] as const) {
    mkdirSync(below(folder), { recursive: true });
    writeFileSync(below(folder, file), "kept");
  }
  beginRun();
  await provider.delete(id as string, outs);
  expect(["snapshots/one.db", "logs/somebody's.log"].map((kept) => existsSync(below(kept)))).toEqual([true, true]);
  expect(await refusals()).toEqual([]);
});
