import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { installFrom } from "../../toolchain/install.ts";
import type { Program } from "../../toolchain/program.ts";
import { each, type Source, type SourceName } from "../../toolchain/sources/source.ts";
import { demo, here, leftovers, makeSandbox, script, sha256, type Sandbox } from "./support/sandbox.ts";
import { bytes, startWeb, type Web } from "./support/web.ts";

const run = promisify(execFile);
const program = script("demo v1.2.3", 200_000);
const asRoot = process.getuid?.() === 0;

let sandbox: Sandbox;
let web: Web;
beforeEach(async () => {
  sandbox = await makeSandbox();
  web = await startWeb();
  web.answers.set("/demo", bytes(program));
  web.answers.set("/sum", bytes(sha256(program)));
});
afterEach(async () => {
  await web.close();
  await sandbox.remove();
});

const runInstall = join(import.meta.dirname, "support/run-install.ts");
const another = (store = sandbox.store) => run(process.execPath, [runInstall, store, web.base]);

/** A source that answers each program with a file, or refuses it. */
const answering = (name: SourceName, answers: Record<string, string | Error>): Source => ({
  name,
  offers: () => name,
  obtain: (order) =>
    each(order, async (wanted) => {
      const answer = answers[wanted.name];
      if (typeof answer !== "string") throw answer ?? new Error("does not have it");
      const directory = await order.context.scratch();
      await writeFile(join(directory, wanted.main), answer, { mode: 0o755 });
      return { directory, address: `${name}:${wanted.name}`, verified: [] };
    }),
});

const three: Program[] = ["a", "b", "c"].map((name) => demo({ name, main: name }));
const sets = [{ name: "abc", programs: three }];

test("each program comes from the first source that has it", async () => {
  const sources = [
    answering("release", { a: "from release" }),
    answering("image", { a: "not asked", b: "from image" }),
    answering("module", { c: "from module" }),
  ];
  const artifacts = await installFrom(three, { sets, sources, store: sandbox.store });
  expect(artifacts.map(({ source, address }) => [source, address])).toEqual([
    ["release", "release:a"],
    ["image", "image:b"],
    ["module", "module:c"],
  ]);
});

test("what could be had is kept when something else could not, and the error lists what each source said", async () => {
  const sources = [answering("release", { a: "ok" }), answering("module", { b: new Error("b does not compile") })];
  await expect(installFrom(three, { sets, sources, store: sandbox.store })).rejects.toThrow(
    `b 1.2.3 for ${here}: not obtained\n  release: does not have it\n  module: b does not compile\n` +
      `c 1.2.3 for ${here}: not obtained\n  release: does not have it\n  module: does not have it\n` +
      "to do: name a mirror (KARMADA_TOOLCHAIN_MIRROR), or install a bundle made elsewhere (npm run toolchain -- --from FILE)",
  );
  const next = [answering("installed", { b: "ok", c: "ok" })];
  const artifacts = await installFrom(three, { sets, sources: next, store: sandbox.store });
  expect(artifacts.map(({ source }) => source)).toEqual(["release", "installed", "installed"]);
});

test("installed programs are not asked for again", async () => {
  const sources = [answering("release", { a: "1", b: "2", c: "3" })];
  const first = await installFrom(three, { sets, sources, store: sandbox.store });
  expect(await installFrom(three, { sets, sources: [], store: sandbox.store })).toEqual(first);
});

test("two installs of one process share the work", async () => {
  const obtained: string[] = [];
  const source = answering("release", { a: "1", b: "2", c: "3" });
  const counting: Source = {
    ...source,
    obtain: (order) => {
      obtained.push(...order.programs.map(({ name }) => name));
      return source.obtain(order);
    },
  };
  const options = { sets, sources: [counting], store: sandbox.store };
  await Promise.all([installFrom(three, options), installFrom(three, options)]);
  expect(obtained).toEqual(["a", "b", "c"]);
});

test("two runs at once cooperate: one downloads, both have it", async () => {
  web.answers.set("/demo", (request, response) => void setTimeout(() => bytes(program)(request, response), 500));
  const [one, two] = await Promise.all([another(), another()]);
  expect(one.stdout).toBe(two.stdout);
  expect(web.requests.filter((request) => request === "GET /demo")).toHaveLength(1);
  expect(await leftovers(sandbox.store)).toEqual([]);
});

test("a run killed in the middle leaves no program, and the next goes on from the byte it had", async () => {
  const half = Math.floor(program.length / 2);
  web.answers.set("/demo", (_, response) => {
    response.writeHead(200, { "content-length": program.length });
    response.write(program.subarray(0, half));
  });
  const child = spawn(process.execPath, [runInstall, sandbox.store, web.base], { stdio: "ignore" });
  await until(async () => (await sizeOfDownloads()) >= half);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(await readdir(join(sandbox.store, "content")).catch(() => [])).toEqual([]);
  expect(await readdir(join(sandbox.store, "programs")).catch(() => [])).toEqual([]);

  web.answers.set("/demo", bytes(program));
  await another();
  expect(web.requests.at(-1)).toBe(`GET /demo bytes=${half}-`);
  expect(await leftovers(sandbox.store)).toEqual([]);
});

test("a full disk is one error that says so, nothing half-made is left, and the next run finishes", async () => {
  const small = join(sandbox.directory, "small");
  await mkdir(small);
  if (asRoot) {
    await run("mount", ["-t", "tmpfs", "-o", "size=128k", "tmpfs", small]);
    try {
      await expect(another(small)).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringMatching(
          /demo 1\.2\.3 for .*: not obtained\n {2}release: ENOSPC.*\nto do: free disk space below/,
        ),
      });
      expect(await leftovers(small)).toEqual([]);
      await run("mount", ["-o", "remount,size=8m", small]);
      expect((await another(small)).stdout).toContain("/demo");
    } finally {
      await run("umount", [small]);
    }
  } else {
    const limited = `trap '' XFSZ; ulimit -f 100; exec "$@"`;
    const args = ["-c", limited, "sh", process.execPath, runInstall, small, web.base];
    await expect(run("sh", args)).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("release: EFBIG") });
    expect(await leftovers(small)).toEqual([]);
    expect((await another(small)).stdout).toContain("/demo");
  }
});

test("a store that cannot be written is one error that says so", async () => {
  const readOnly = join(sandbox.directory, "read-only");
  await mkdir(readOnly);
  if (asRoot) await run("mount", ["-t", "tmpfs", "-o", "ro", "tmpfs", readOnly]);
  else await chmod(readOnly, 0o500);
  try {
    await expect(another(readOnly)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/\/read-only: cannot be written \(.*\)\nto do: make it writable/),
    });
  } finally {
    if (asRoot) await run("umount", [readOnly]);
  }
});

test("an interrupted run says so, and is not taken for a source that failed", async () => {
  const signal = AbortSignal.abort(new Error("interrupted"));
  const sources = [answering("release", {}), answering("module", { a: "1" })];
  await expect(installFrom(three, { sets, sources, store: sandbox.store, signal })).rejects.toThrow(/^interrupted$/);
});

async function sizeOfDownloads(): Promise<number> {
  const names = await readdir(join(sandbox.store, "downloads")).catch(() => []);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(sandbox.store, "downloads", name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error("waited 20s in vain");
    await sleep(20);
  }
}
