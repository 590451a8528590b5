import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { listProcesses } from "../../lib/supervisor/client.ts";
import { Deployment, until } from "../lib/supervisor/support.ts";
import type { CallError } from "./support/dynamic-provider.ts";
import {
  serialisedProviders,
  startDynamicProvider,
  unknown,
  type DynamicProvider,
  type Props,
} from "./support/dynamic-provider.ts";
import { sha256 } from "../../lib/sha256.ts";

const port = 31610;
const takenPort = 31611;
const declared = ["local-process", "local-directory"].map(
  (name) => new URL(`../../providers/${name}.ts`, import.meta.url).pathname,
);

let code: string;
let directoryCode: string;
let host: DynamicProvider;
/** That of another run, in which nothing is declared. */
let destroying: DynamicProvider;
let deployment: Deployment;
beforeAll(async () => {
  const texts = await serialisedProviders(declared);
  code = texts.LocalProcess!;
  directoryCode = texts.LocalDirectory!;
  [host, destroying] = await Promise.all([startDynamicProvider(), startDynamicProvider()]);
});
afterAll(() => Promise.all([host.stop(), destroying.stop()]));
beforeEach(() => (deployment = new Deployment()));
afterEach(() => deployment.clear());

/** A web server that answers what its file says, 404 without one; the second argument is only to be seen. */
const server = `const { readFileSync } = require("node:fs");
  require("node:http").createServer((request, response) => {
    try { response.end(readFileSync("answer")); } catch { response.writeHead(404).end("no answer"); }
  }).listen(Number(process.argv[1]), "127.0.0.1", () => console.log("serving"));`;

function inputs(change: Props = {}): Props {
  return {
    __provider: code,
    directory: deployment.directory,
    name: "web",
    program: process.execPath,
    programSha256: "0".repeat(64),
    args: ["-e", server, String(port), "first"],
    env: {},
    contents: { answer: "forty-two", "pki/tls.key": "s3cr3t-key" },
    address: "127.0.0.1",
    ports: { http: port },
    probe: { kind: "http", url: `http://127.0.0.1:${port}/` },
    startSeconds: 10,
    stopSeconds: 5,
    ...change,
  };
}

/** What the engine does for a new resource. */
async function create(change: Props = {}): Promise<{ checked: Props; state: Props; id: string }> {
  const { inputs: checked, failures } = await host.check({}, inputs(change));
  expect(failures).toEqual([]);
  const { id, outs } = await host.create(checked);
  return { checked, state: outs, id };
}

/** What the engine does for a resource that it knows: whether it would change it, and the state after that. */
async function up(state: Props, change: Props = {}): Promise<{ changes: boolean; state: Props }> {
  const { inputs: checked } = await host.check(state, inputs(change));
  const { changes } = await host.diff("id", state, checked);
  return { changes, state: changes ? (await host.update("id", state, checked)).outs : state };
}

const answer = async () => (await fetch(`http://127.0.0.1:${port}/`)).text();
it("a process exists once its probe has answered, and the state holds digests instead of contents", async () => {
  const { id, state, checked } = await create();
  expect(id).toBe(`${deployment.directory}/web`);
  expect(await answer()).toBe("forty-two");
  expect(state).toEqual({
    ...checked,
    files: { answer: sha256("forty-two"), "pki/tls.key": sha256("s3cr3t-key") },
    log: join(deployment.directory, "logs", "web.log"),
    schemaVersion: 1,
  });
  expect(JSON.stringify(state)).not.toContain("s3cr3t-key");
  expect(statSync(join(deployment.directory, "web", "pki", "tls.key")).mode & 0o777).toBe(0o600);
});

it("contents that a preview does not know yet stay unknown, file by file", async () => {
  const { inputs: checked } = await host.check({}, inputs({ contents: { answer: "x", "pki/tls.key": unknown } }));
  expect(checked.files).toEqual({ answer: sha256("x"), "pki/tls.key": unknown });
  const { inputs: all } = await host.check({}, inputs({ contents: unknown }));
  expect(all.files).toBe(unknown);
});

it("nothing changes when nothing has changed, and a refresh sees nothing", async () => {
  const { state, checked } = await create();
  expect(await host.read("id", state)).toEqual({ id: "id", props: state, inputs: checked });
  expect((await up(state)).changes).toBe(false);
});

it("a process that runs already as declared is taken over without a restart", async () => {
  await create();
  const pid = await deployment.pid("web");
  await create();
  expect(await deployment.pid("web")).toBe(pid);
});

it("a program that others are about to stop is changed in the preview already, and goes on if nobody has", async () => {
  const { state } = await create({ follows: "cluster 1" });
  const pid = await deployment.pid("web");
  // A restore of the same run tells of its cluster only when it is done.
  const { inputs: previewed } = await host.check(state, inputs({ follows: unknown }));
  expect((await host.diff("id", state, previewed)).changes).toBe(true);
  const after = await up(state, { follows: "cluster 2" });
  expect(after.changes).toBe(true);
  expect(await deployment.pid("web")).toBe(pid);
  expect((await up(after.state, { follows: "cluster 2" })).changes).toBe(false);
  expect((await up(after.state)).changes).toBe(false);
});

it("another argument restarts the process", async () => {
  const { state } = await create();
  const pid = await deployment.pid("web");
  const after = await up(state, { args: ["-e", server, String(port), "second"] });
  expect(after.changes).toBe(true);
  expect(await deployment.pid("web")).not.toBe(pid);
  expect((await deployment.status("web"))!.description.args.at(-1)).toBe("second");
  expect((await up(after.state, { args: ["-e", server, String(port), "second"] })).changes).toBe(false);
});

it("a version that does not read its data is refused before anything is done; the first one is noted without a restart", async () => {
  const { state } = await create();
  const written = { ...state, dataVersion: "3.6.6" };
  expect((await up(state, { dataVersion: "3.6.6" })).changes).toBe(false);
  expect((await host.check(written, inputs({ dataVersion: "3.6.16" }))).failures).toEqual([]);
  const { failures } = await host.check(written, inputs({ dataVersion: "3.5.35" }));
  expect(failures.map(({ property, reason }) => `${property}: ${reason}`)).toEqual([
    expect.stringMatching(/^dataVersion: web: 3\.6\.6 is there, and nobody promises that 3\.5\.35 reads/),
  ]);
});

it("another file restarts it, a file that is not declared any more goes, the others are not touched", async () => {
  const { state } = await create();
  const path = join(deployment.directory, "web", "answer");
  const { ino } = statSync(path);
  const contents = { answer: "forty-two", "pki/new.key": "other" };
  const after = await up(state, { contents });
  expect(existsSync(join(deployment.directory, "web", "pki", "tls.key"))).toBe(false);
  expect(readFileSync(join(deployment.directory, "web", "pki", "new.key"), "utf8")).toBe("other");
  expect(statSync(path).ino).toBe(ino);
  expect((await up(after.state, { contents })).changes).toBe(false);
});

it("a killed process that its supervisor has started again is no drift", async () => {
  const { state } = await create();
  const pid = await deployment.pid("web");
  process.kill(pid!, "SIGKILL");
  await until(
    "the restart",
    () => deployment.pid("web"),
    (now) => now !== undefined && now !== pid,
  );
  expect((await host.read("id", state)).props.drift).toBeUndefined();
  expect((await up(state)).changes).toBe(false);
});

describe("drift is seen by a refresh and by a preview, and repaired", () => {
  it("a file that was changed by hand", async () => {
    const { state } = await create();
    const path = join(deployment.directory, "web", "answer");
    writeFileSync(path, "forty-three");
    const seen = await host.read("id", state);
    expect(seen.inputs!.drift).toEqual(["file answer was changed by hand"]);
    expect(seen.inputs!.files.answer).toBe(sha256("forty-three"));
    expect((await up(state)).changes).toBe(true);
    expect(readFileSync(path, "utf8")).toBe("forty-two");
    expect((await up(seen.props)).changes).toBe(true);
    expect(host.output()).toContain("web: file answer was changed by hand\n");
  });

  it("permissions that were widened", async () => {
    const { state } = await create();
    const path = join(deployment.directory, "web", "pki", "tls.key");
    chmodSync(path, 0o644);
    expect((await host.read("id", state)).inputs!.drift).toEqual(["file pki/tls.key was changed by hand"]);
    await up(state);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("a supervisor that is gone, and a process with it", async () => {
    const { state } = await create();
    const pid = await deployment.pid("web");
    process.kill(deployment.supervisors()[0]!, "SIGKILL");
    process.kill(pid!, "SIGKILL");
    await until(
      "their end",
      () => [...deployment.supervisors(), ...deployment.running()],
      (pids) => pids.length === 0,
    );
    expect((await host.read("id", state)).inputs!.drift).toEqual(["its supervisor does not run"]);
    expect((await up(state)).changes).toBe(true);
    expect(await answer()).toBe("forty-two");
  });

  it("a supervisor that is gone while the process runs on: it is adopted", async () => {
    const { state } = await create();
    const pid = await deployment.pid("web");
    process.kill(deployment.supervisors()[0]!, "SIGKILL");
    await until(
      "its end",
      () => deployment.supervisors(),
      (pids) => pids.length === 0,
    );
    expect((await up(state)).changes).toBe(true);
    expect(await deployment.pid("web")).toBe(pid);
  });

  it("a directory that was removed: the resource is gone", async () => {
    const { state } = await create();
    const { rmSync } = await import("node:fs");
    rmSync(join(deployment.directory, "web"), { recursive: true });
    expect((await host.read("id", state)).id).toBe("");
  });
});

describe("a port in use", () => {
  let stranger: ChildProcess;
  let description: string;
  beforeEach(async () => {
    const code = `require("node:net").createServer().listen(${takenPort}, "127.0.0.1", () => console.log("up"))`;
    stranger = spawn(process.execPath, ["-e", code]);
    await once(stranger.stdout!, "data");
    const command = readFileSync(`/proc/${stranger.pid}/comm`, "utf8").trim();
    description = `port ${takenPort} (http) on 127.0.0.1 is in use by ${command} (pid ${stranger.pid})`;
  });
  afterEach(async () => {
    stranger.kill("SIGKILL");
    await once(stranger, "exit");
  });

  it("is named with who uses it, in the preview and by create, and nothing is started", async () => {
    const { inputs: checked, failures } = await host.check({}, inputs({ ports: { http: takenPort } }));
    expect(failures).toEqual([
      { property: "ports", reason: `web: ${description}\nstop it, or choose another placement.basePort` },
    ]);
    await expect(host.create(checked)).rejects.toThrow(description);
    expect(await listProcesses(deployment.directory)).toBeUndefined();
    expect(existsSync(deployment.directory)).toBe(false);
  });

  it("is named with the connection that has it, and the ports that are no good here", async () => {
    const connection = connect(takenPort, "127.0.0.1");
    try {
      await once(connection, "connect");
      const { failures } = await host.check({}, inputs({ ports: { http: connection.localPort } }));
      const [first, last] = readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8").trim().split(/\s+/);
      const ours = readFileSync("/proc/self/comm", "utf8").trim();
      const reason = [
        `web: port ${connection.localPort} (http) on 127.0.0.1 is in use by a connection of ${ours} (pid ${process.pid})`,
        `choose another placement.basePort: this machine gives ports from ${first} to ${last} to outgoing connections`,
      ];
      expect(failures).toEqual([{ property: "ports", reason: reason.join("\n") }]);
    } finally {
      connection.destroy();
    }
  });

  it("is named too when a process that runs is to move there, and that one runs on", async () => {
    const { state } = await create();
    const pid = await deployment.pid("web");
    const { failures } = await host.check(state, inputs({ ports: { http: takenPort } }));
    expect(failures.map(({ reason }) => reason)).toEqual([expect.stringContaining(description)]);
    expect(await deployment.pid("web")).toBe(pid);
  });
});

it("its own port is not in its way, nor is that of another process of the same deployment", async () => {
  const { state } = await create();
  expect((await host.check(state, inputs())).failures).toEqual([]);
  expect((await host.check({}, inputs({ name: "other" }))).failures).toEqual([]);
});

it("a process that starts and is not ready is kept, with the probe's last answer and the end of its log", async () => {
  const { inputs: checked } = await host.check({}, inputs({ contents: { other: "x" }, startSeconds: 1 }));
  const error = (await host.create(checked).catch((error: unknown) => error)) as CallError;
  expect(error.message).toBe(
    `web: started, but not ready: waited 1s for http://127.0.0.1:${port}/: answered 404: no answer\n` +
      `the end of ${deployment.directory}/logs/web.log:\n  serving`,
  );
  expect(error.partial).toMatchObject({
    id: `${deployment.directory}/web`,
    properties: { name: "web", __provider: code },
  });
  expect((await up({ ...error.partial!.properties })).changes).toBe(true);
  expect(await answer()).toBe("forty-two");
});

it("a program that cannot be executed is not waited for", async () => {
  const { inputs: checked } = await host.check({}, inputs({ program: "/nonexistent/program", startSeconds: 60 }));
  const began = Date.now();
  await expect(host.create(checked)).rejects.toThrow(/^web: started, but not ready: cannot start: .*ENOENT/);
  expect(Date.now() - began).toBeLessThan(5000);
});

it("deleting leaves nothing: no process, no supervisor, no file, no directory", async () => {
  const { state } = await create();
  await host.delete("id", state);
  expect([...deployment.running(), ...deployment.supervisors()]).toEqual([]);
  expect(existsSync(deployment.directory)).toBe(false);
  await host.delete("id", state);
  await new Promise<void>((resolve, reject) => {
    const probe = createServer().on("error", reject);
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve()));
  });
});

describe("the directory of a deployment", () => {
  const directory = (change: Props = {}) => ({
    __provider: directoryCode,
    directory: deployment.directory,
    deployment: "dev",
    ...change,
  });

  it("has a supervisor waiting before the first process comes", async () => {
    const { id, outs } = await host.create(directory());
    expect(id).toBe(deployment.directory);
    expect(deployment.supervisors()).toHaveLength(1);
    expect((await host.read(id, outs)).id).toBe(id);
    await destroying.delete(id, outs);
    expect(deployment.supervisors()).toEqual([]);
    expect(existsSync(deployment.directory)).toBe(false);
  });

  it("stays with all in it when a replacement is demanded, of which the engine asks no difference", async () => {
    const { id, outs } = await host.create(directory());
    await create();
    const running = deployment.running();
    await host.create(directory());
    await host.delete(id, outs);
    expect(deployment.running()).toEqual(running);
    await destroying.delete(id, outs);
  });

  it("is refused to a state that knows nothing of it, while something of the deployment runs there", async () => {
    const { id, outs } = await host.create(directory());
    expect((await destroying.check({}, directory())).failures).toEqual([]);
    await create();
    expect((await destroying.check({}, directory())).failures).toEqual([
      {
        property: "directory",
        reason: expect.stringMatching(
          `^${deployment.directory}: deployment "dev" runs there already \\(web\\), and the state of this stack knows nothing of that, or its replacement is forced\nwhere it is forced leave this resource out of --replace`,
        ),
      },
    ]);
    expect((await host.check(outs, directory())).failures).toEqual([]);
    // As the engine asks once more of a replacement that follows from another one.
    expect((await host.check({}, directory())).failures).toEqual([]);
    await destroying.delete(id, outs);
    expect((await destroying.check({}, directory())).failures).toEqual([]);
  });

  it("takes along what an update started and did not live to write down", async () => {
    const { id, outs } = await host.create(directory());
    await create();
    await destroying.delete(id, outs);
    expect([...deployment.running(), ...deployment.supervisors()]).toEqual([]);
    expect(existsSync(deployment.directory)).toBe(false);
    await destroying.delete(id, outs);
  });
});

describe("what cannot move", () => {
  const directory = (change: Props = {}) => ({
    __provider: directoryCode,
    directory: deployment.directory,
    deployment: "dev",
    ...change,
  });

  it("a deployment is not sent to another directory, where nothing of it would be", async () => {
    const { outs } = await host.create(directory());
    const elsewhere = `${deployment.directory}-2`;
    const { failures } = await host.check(outs, directory({ directory: elsewhere }));
    expect(failures).toEqual([
      {
        property: "directory",
        reason: `the deployment is in ${deployment.directory} and cannot move to ${elsewhere}\nset placement.directory back, or, to begin anew without its data, run \`pulumi destroy\` first`,
      },
    ]);
    await destroying.delete(deployment.directory, outs);
  });

  it("a directory belongs to one deployment, in the preview and in the update", async () => {
    const { outs } = await host.create(directory());
    const reason = `${deployment.directory}: deployment "dev" is in it, "prod" needs another placement.directory\nto give "dev" another name, run \`pulumi destroy\` first`;
    const { failures } = await host.check({}, directory({ deployment: "prod" }));
    expect(failures).toEqual([{ property: "directory", reason }]);
    await expect(host.create(directory({ deployment: "prod" }))).rejects.toThrow(reason);
    await destroying.delete(deployment.directory, outs);
    expect((await host.check({}, directory({ deployment: "prod" }))).failures).toEqual([]);
  });
});

it("the code in the state is small", () => {
  for (const text of [code, directoryCode]) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(3000);
});

it.each([
  ["on a file system that takes none, even from root", "/proc/nowhere", "/proc", "ENOENT"],
  ["below a file", `${process.execPath}/state`, process.execPath, "ENOTDIR"],
])("a directory %s is refused", async (_, directory, nearest, code) => {
  const { failures } = await host.check({}, inputs({ directory }));
  expect(failures).toEqual([
    {
      property: "directory",
      reason: `${directory}: cannot be written to, ${nearest} refuses it (${code})\nchoose another placement.directory, or give yourself write permission`,
    },
  ]);
});

it("no content ever comes out on its output", () => {
  expect(host.output()).not.toContain("s3cr3t-key");
});
