import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { ensureProcess, listProcesses, removeProcess } from "../../lib/supervisor/client.ts";
import { readPrepared } from "../../lib/supervisor/prepared.ts";
import { Deployment, quiet, until } from "../lib/supervisor/support.ts";
import {
  serialisedProviders,
  startDynamicProvider,
  unknown,
  type DynamicProvider,
  type Props,
} from "./support/dynamic-provider.ts";
import { sha256 } from "../../lib/sha256.ts";

const port = 22002;
const declared = ["local-prepared-process", "local-directory"].map(
  (name) => new URL(`../../providers/${name}.ts`, import.meta.url).pathname,
);

let code: string;
let directoryCode: string;
let host: DynamicProvider;
let deployment: Deployment;
beforeAll(async () => {
  const texts = await serialisedProviders(declared);
  code = texts.LocalPreparedProcess!;
  directoryCode = texts.LocalDirectory!;
  host = await startDynamicProvider();
});
afterAll(() => host.stop());
beforeEach(() => (deployment = new Deployment()));
afterEach(() => deployment.clear());

function inputs(change: Props = {}): Props {
  return {
    __provider: code,
    directory: deployment.directory,
    name: "etcd-0",
    program: process.execPath,
    programSha256: "0".repeat(64),
    args: ["-e", quiet],
    env: { B: "2", A: "1" },
    contents: { "pki/ca.crt": "ca", "pki/server.key": "s3cr3t-key" },
    rereads: ["pki/server.key"],
    address: "127.0.0.1",
    ports: { client: port },
    stopSeconds: 5,
    ...change,
  };
}

const checked = async (change: Props = {}, state: Props = {}) => (await host.check(state, inputs(change))).inputs;

async function create(change: Props = {}): Promise<Props> {
  const { inputs: news, failures } = await host.check({}, inputs(change));
  expect(failures).toEqual([]);
  return (await host.create(news)).outs;
}

async function up(state: Props, change: Props = {}): Promise<{ changes: boolean; state: Props }> {
  const news = await checked(change, state);
  const { changes } = await host.diff("id", state, news);
  return { changes, state: changes ? (await host.update("id", state, news)).outs : state };
}

const own = (path: string) => join(deployment.directory, "etcd-0", path);
it("is written down and started by nobody", async () => {
  const state = await create();
  expect(readFileSync(own("pki/server.key"), "utf8")).toBe("s3cr3t-key");
  expect(statSync(own("prepared.json")).mode & 0o777).toBe(0o600);
  expect(readPrepared(deployment.directory, "etcd-0")).toEqual({
    name: "etcd-0",
    command: process.execPath,
    args: ["-e", quiet],
    env: { A: "1", B: "2" },
    workingDirectory: own("").replace(/\/$/, ""),
    log: join(deployment.directory, "logs", "etcd-0.log"),
    ports: [port],
    stopSeconds: 5,
    revision: state.revision,
  });
  expect(state.files).toEqual({ "pki/ca.crt": sha256("ca"), "pki/server.key": sha256("s3cr3t-key") });
  expect(JSON.stringify(state)).not.toContain("s3cr3t-key");
  expect(await listProcesses(deployment.directory)).toBeUndefined();
  expect(deployment.running()).toEqual([]);
});

it("nothing changes when nothing has changed, and a refresh sees nothing", async () => {
  const state = await create();
  expect((await up(state)).changes).toBe(false);
  expect((await host.read("id", state)).props).toEqual(state);
});

describe("its revision", () => {
  const revision = async (change: Props = {}) => (await checked(change)).revision as string;

  it.each<[string, Props]>([
    ["an argument", { args: ["-e", quiet, "more"] }],
    ["a variable", { env: { A: "1" } }],
    ["the program", { programSha256: "1".repeat(64) }],
    ["a file", { contents: { "pki/ca.crt": "another", "pki/server.key": "s3cr3t-key" } }],
  ])("changes with %s, as the preview says", async (_, change) => {
    expect(await revision(change)).not.toBe(await revision());
  });

  it.each<[string, Props]>([
    [
      "a file that the program reads again by itself",
      { contents: { "pki/ca.crt": "ca", "pki/server.key": "another" } },
    ],
    ["the order of variables", { env: { A: "1", B: "2" } }],
    ["how long it may take to stop", { stopSeconds: 9 }],
  ])("does not change with %s", async (_, change) => {
    expect(await revision(change)).toBe(await revision());
  });

  it("is unknown in a preview only while something that counts is", async () => {
    expect(await revision({ program: unknown })).toBe(unknown);
    expect(await revision({ contents: unknown })).toBe(unknown);
    expect(await revision({ contents: { "pki/ca.crt": "ca", "pki/server.key": unknown } })).toBe(await revision());
  });
});

it("a change is written down, and what runs goes on as it is", async () => {
  const state = await create();
  await ensureProcess(deployment.directory, readPrepared(deployment.directory, "etcd-0")!);
  const pid = await deployment.pid("etcd-0");
  const change = { args: ["-e", quiet, "more"], contents: { "pki/ca.crt": "another" } };
  const after = await up(state, change);
  expect(after.changes).toBe(true);
  expect(await deployment.pid("etcd-0")).toBe(pid);
  expect(readPrepared(deployment.directory, "etcd-0")).toMatchObject({
    args: change.args,
    revision: after.state.revision,
  });
  expect(readFileSync(own("pki/ca.crt"), "utf8")).toBe("another");
  expect(existsSync(own("pki/server.key"))).toBe(false);
  expect((await up(after.state, change)).changes).toBe(false);
});

it("its own port is not in its way while it runs, a stranger's is", async () => {
  const listening = `require("node:net").createServer().listen(${port}, "127.0.0.1", () => console.log("up"))`;
  const state = await create({ args: ["-e", listening] });
  const stranger = createServer();
  await new Promise<void>((resolve) => stranger.listen(port, "127.0.0.1", resolve));
  const { failures } = await host.check(state, inputs());
  expect(failures.map(({ reason }) => reason)).toEqual([expect.stringContaining(`port ${port} (client)`)]);
  await new Promise((resolve) => stranger.close(resolve));
  await ensureProcess(deployment.directory, readPrepared(deployment.directory, "etcd-0")!);
  expect((await host.check(state, inputs())).failures).toEqual([]);
});

it("a port that another process of the deployment has is not free: who moves there comes before that one has moved", async () => {
  const listening = `require("node:net").createServer().listen(${port}, "127.0.0.1", () => console.log("up"))`;
  await ensureProcess(deployment.directory, deployment.program("etcd-1", listening, { ports: [port] }));
  await until(
    "it to listen",
    () => deployment.log("etcd-1"),
    (log) => log === "up\n",
  );
  const { failures } = await host.check({}, inputs());
  expect(failures.map(({ property, reason }) => [property, reason.split(" is in use")[0]])).toEqual([
    ["ports", `etcd-0: port ${port} (client) on 127.0.0.1`],
  ]);
});

it.each([
  ["pki/ca.crt", "file pki/ca.crt was changed by hand"],
  ["prepared.json", "prepared.json was changed by hand"],
])("%s changed by hand is seen by a refresh and by a preview, and repaired", async (file, sentence) => {
  const state = await create();
  const before = readFileSync(own(file), "utf8");
  writeFileSync(own(file), "{}");
  const seen = await host.read("id", state);
  expect(seen.inputs!.drift).toEqual([sentence]);
  const { changes, state: after } = await up(state);
  expect(changes).toBe(true);
  expect(readFileSync(own(file), "utf8")).toBe(before);
  expect((await host.read("id", after)).inputs!.drift).toBeUndefined();
});

it("a directory that was removed: the resource is gone", async () => {
  const state = await create();
  rmSync(own(""), { recursive: true });
  expect((await host.read("id", state)).id).toBe("");
});

it("a name of ours is not free for a file", async () => {
  const { failures } = await host.check({}, inputs({ contents: { "prepared.json": "x" } }));
  expect(failures).toEqual([{ property: "files", reason: 'got "prepared.json", which is a name of ours' }]);
});

describe("deleting", () => {
  it("leaves nothing of it", async () => {
    const state = await create();
    writeFileSync(own("data/x"), "data");
    await host.delete("id", state);
    expect(existsSync(deployment.directory)).toBe(false);
    await host.delete("id", state);
  });

  it("leaves one that still runs alone: whoever runs it has not let go of it", async () => {
    const state = await create();
    await ensureProcess(deployment.directory, readPrepared(deployment.directory, "etcd-0")!);
    writeFileSync(own("data/x"), "data");
    await host.delete("id", state);
    expect(existsSync(own("data/x"))).toBe(true);
    expect(await deployment.pid("etcd-0")).toBeDefined();
    expect(host.output()).toContain("etcd-0: still runs, its data stay until it has ended and the deployment goes\n");
    await removeProcess(deployment.directory, "etcd-0", 5);
    await host.delete("id", state);
    expect(existsSync(own(""))).toBe(false);
  });

  it("the deployment's directory takes along what nobody knows of any more", async () => {
    const props = { __provider: directoryCode, directory: deployment.directory, deployment: "dev" };
    const { id, outs } = await host.create(props);
    await create();
    await create({ name: "etcd-1", ports: {} });
    await ensureProcess(deployment.directory, readPrepared(deployment.directory, "etcd-1")!);
    const destroying = await startDynamicProvider(); // that of another run, in which nothing is declared
    await destroying.delete(id, outs);
    await destroying.stop();
    expect([...deployment.running(), ...deployment.supervisors()]).toEqual([]);
    expect(existsSync(deployment.directory)).toBe(false);
  });
});

it("the code in the state is small, and no content ever comes out on its output", () => {
  expect(Buffer.byteLength(code)).toBeLessThanOrEqual(3000);
  expect(host.output()).not.toContain("s3cr3t-key");
});
