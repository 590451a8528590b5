import { existsSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { runtimeAt } from "../../../../lib/etcd/runtime/at.ts";
import type { Bootstrap, EtcdRuntime } from "../../../../lib/etcd/runtime/runtime.ts";
import { writePrepared } from "../../../../lib/supervisor/prepared.ts";
import { processPaths } from "../../../../lib/supervisor/process-paths.ts";
import { programPath } from "../../../support/programs.ts";
import { Deployment, until } from "../../supervisor/support.ts";

/** Three members of a real etcd below a real supervisor, in the order of an operator's days. */
const basePort = 22010;
const names = ["etcd-0", "etcd-1", "etcd-2"];
const url = (member: string, side: 0 | 1) => `http://127.0.0.1:${basePort + 2 * names.indexOf(member) + side}`;
const bootstrap: Bootstrap = {
  token: "first",
  state: "new",
  initialCluster: names.map((name) => `${name}=${url(name, 1)}`).join(","),
  incarnation: 1,
};

let deployment: Deployment;
let runtime: EtcdRuntime;
let etcd: string;
beforeAll(async () => {
  deployment = new Deployment();
  runtime = runtimeAt({ kind: "local", directory: deployment.directory });
  etcd = await programPath("etcd");
}, 60_000);
afterAll(() => deployment.clear());

function prepare(member: string, revision: string, args: string[] = []): void {
  const { own, log } = processPaths({ directory: deployment.directory, name: member });
  writePrepared(deployment.directory, {
    name: member,
    command: etcd,
    args: [
      `--name=${member}`,
      `--listen-client-urls=${url(member, 0)}`,
      `--advertise-client-urls=${url(member, 0)}`,
      `--listen-peer-urls=${url(member, 1)}`,
      `--initial-advertise-peer-urls=${url(member, 1)}`,
      ...args,
    ],
    env: { GOMAXPROCS: "1" },
    workingDirectory: own,
    log,
    ports: [],
    stopSeconds: 10,
    revision,
  });
}

interface Members {
  members: { ID: string; name?: string }[];
}

async function ask<T>(member: string, method: string, body: object): Promise<T> {
  const response = await fetch(`${url(member, 0)}/v3/${method}`, { method: "POST", body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as T;
}

/** Asks until it is granted: etcd changes no membership while a connection between its members is younger than 5 s. */
const granted = (what: string, method: string, body: object) =>
  until(
    what,
    () => ask("etcd-0", method, body).catch((error: unknown) => String(error)),
    (answer) => typeof answer === "object",
  );

const key = Buffer.from("kept").toString("base64");
const kept = async (member: string) => (await ask<{ count?: string }>(member, "kv/range", { key })).count;
const pids = () => Promise.all(names.map((name) => deployment.pid(name)));
/** Until the member reads with a quorum. */
const serving = (member: string) =>
  until(
    `${member} to serve`,
    () => kept(member).catch((error: unknown) => String(error)),
    (count) => count === "1",
  );

test("a member that nobody prepared is not started", async () => {
  await expect(runtime.start("etcd-0", bootstrap)).rejects.toThrow(
    `etcd-0: starting it: it is not prepared in ${deployment.directory}`,
  );
  expect(await runtime.observe("etcd-0")).toEqual({ running: false, incarnations: [] });
});

test("preparing starts nothing; starting all finds the cluster from what the members are given", async () => {
  for (const name of names) prepare(name, "one");
  expect(await runtime.observe("etcd-0")).toEqual({ running: false, prepared: "one", incarnations: [] });
  expect(deployment.supervisors()).toEqual([]);
  await Promise.all(names.map((name) => runtime.start(name, bootstrap)));
  await granted("a quorum", "kv/put", { key, value: key });
  const { members } = await ask<Members>("etcd-2", "cluster/member/list", {});
  expect(members.map(({ name }) => name).sort()).toEqual(names);
  expect(await runtime.observe("etcd-1")).toEqual({
    running: true,
    revision: "one",
    prepared: "one",
    bootstrap,
    clientUrl: "http://127.0.0.1:22012",
    incarnations: [1],
  });
}, 60_000);

test("what is prepared anew runs once it is started again, on the same data, and the others are left alone", async () => {
  const before = await pids();
  prepare("etcd-1", "two", ["--snapshot-count=5000"]);
  expect(await pids()).toEqual(before);
  expect(await runtime.observe("etcd-1")).toMatchObject({ running: true, revision: "one", prepared: "two" });
  await runtime.start("etcd-1", bootstrap);
  await serving("etcd-1");
  expect(await runtime.observe("etcd-1")).toMatchObject({ revision: "two", prepared: "two", incarnations: [1] });
  const after = await pids();
  expect([after[0], after[2]]).toEqual([before[0], before[2]]);
  expect(after[1]).not.toBe(before[1]);
}, 60_000);

test("a start is a restart also when nothing has changed", async () => {
  const before = await deployment.pid("etcd-1");
  await runtime.start("etcd-1", bootstrap);
  expect(await deployment.pid("etcd-1")).not.toBe(before);
  await serving("etcd-1");
}, 60_000);

test("a stopped member stays so, with its data; stopping it again is nothing", async () => {
  await runtime.stop("etcd-1");
  await runtime.stop("etcd-1");
  expect(deployment.running("etcd-1")).toEqual([]);
  expect(await runtime.observe("etcd-1")).toEqual({ running: false, prepared: "two", bootstrap, incarnations: [1] });
  expect((await deployment.status("etcd-1"))?.description).toBeUndefined();
  await serving("etcd-0");
}, 60_000);

test("a replaced member leaves its data aside and comes back on new ones", async () => {
  const { members } = await ask<Members>("etcd-0", "cluster/member/list", {});
  const { ID } = members.find(({ name }) => name === "etcd-1")!;
  await granted("the cluster to let a member go", "cluster/member/remove", { ID });
  const aside = await runtime.retire("etcd-1", 1);
  expect(aside).toBe(join(deployment.directory, "etcd-1", "data", "retired-1"));
  expect(existsSync(join(aside!, "member", "wal"))).toBe(true);
  expect(await runtime.retire("etcd-1", 1)).toBeUndefined();
  await granted("the cluster to take a member", "cluster/member/add", { peerURLs: [url("etcd-1", 1)] });
  const next: Bootstrap = { ...bootstrap, state: "existing", incarnation: 2 };
  await runtime.start("etcd-1", next);
  await serving("etcd-1");
  expect(await runtime.observe("etcd-1")).toMatchObject({ running: true, bootstrap: next, incarnations: [2] });
  expect(readdirSync(join(deployment.directory, "etcd-1", "data")).sort()).toEqual(["2", "retired-1"]);
}, 60_000);

test("data put aside before are not overwritten", async () => {
  await runtime.stop("etcd-2");
  const first = await runtime.retire("etcd-2", 1);
  await runtime.start("etcd-2", { ...bootstrap, initialCluster: `etcd-2=${url("etcd-2", 1)}`, token: "alone" });
  await until(
    "new data",
    () => runtime.observe("etcd-2"),
    ({ incarnations }) => incarnations.length === 1,
  );
  await runtime.stop("etcd-2");
  expect(await runtime.retire("etcd-2", 1)).toBe(`${first}-2`);
}, 60_000);

test("the end of the log is there to say why", async () => {
  expect(await runtime.log("etcd-0")).toMatch(/"level":"\w+"/);
  expect(await runtime.log("etcd-9")).toBe("");
});

test("a member whose data are gone is not started again until they are back", async () => {
  const aside = await runtime.retire("etcd-0", 1);
  process.kill((await deployment.pid("etcd-0"))!, "SIGKILL");
  const status = await until(
    "the refusal",
    () => deployment.status("etcd-0"),
    (found) => found?.lastExit?.notStarted === true,
  );
  const data = join(deployment.directory, "etcd-0", "data");
  expect(status?.lastExit?.reason).toBe(`cannot start: ${data}/1 is gone`);
  expect(readdirSync(data)).toEqual(["retired-1"]);
  renameSync(aside!, join(data, "1"));
  await serving("etcd-0");
}, 60_000);

test("a member is seen to run also while its supervisor does not", async () => {
  for (const pid of deployment.supervisors()) process.kill(pid, "SIGKILL");
  await until(
    "its end",
    () => deployment.supervisors(),
    (supervisors) => supervisors.length === 0,
  );
  expect(await runtime.observe("etcd-0")).toMatchObject({ running: true, revision: "one" });
});

test("a program that cannot be executed is said at once", async () => {
  const { own, log } = processPaths({ directory: deployment.directory, name: "etcd-2" });
  const description = { name: "etcd-2", command: "/nonexistent/etcd", args: [], env: {}, ports: [], stopSeconds: 1 };
  writePrepared(deployment.directory, { ...description, workingDirectory: own, log, revision: "three" });
  await expect(runtime.start("etcd-2", bootstrap)).rejects.toThrow(/^etcd-2: cannot start: .*ENOENT/);
});
