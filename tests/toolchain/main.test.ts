import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { leftovers, makeSandbox, script, sha256, type Sandbox } from "./support/sandbox.ts";

const main = join(import.meta.dirname, "../../toolchain/main.ts");
let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await makeSandbox();
  await sandbox.file("bin/etcdctl", script("etcdctl version: 3.6.6"), 0o755);
  await sandbox.file("bin/etcdutl", script("etcdutl version: 3.6.6"), 0o755);
});
afterEach(() => sandbox.remove());

const environment = () => ({
  PATH: `${sandbox.directory}/bin:/usr/bin:/bin`,
  HOME: sandbox.directory,
  KARMADA_TOOLCHAIN_DIR: sandbox.store,
  KARMADA_TOOLCHAIN_SOURCES: "installed,mirror",
});

/** Runs the command as a user would, in an environment of its own. */
const toolchain = (args: string[], env: NodeJS.ProcessEnv = {}) =>
  promisify(execFile)(process.execPath, [main, ...args], { env: { ...environment(), ...env } }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );

test("--help lists every option and exit code", async () => {
  const { code, stdout } = await toolchain(["--help"]);
  expect(code).toBe(0);
  for (const option of [
    "--offline",
    "--bundle",
    "--from",
    "--list",
    "--dry-run",
    "--json",
    "--platform",
    "Exit codes",
  ]) {
    expect(stdout).toContain(option);
  }
});

test.each([
  [["etdc"], "toolchain: etdc: not in the list of programs, want some of pulumi,"],
  [["--offlien"], "toolchain: Unknown option '--offlien'"],
  [["--platform", "windows/amd64"], 'toolchain: platform: got "windows/amd64", want one of linux/amd64,'],
  [["--karmada", "1.0.0"], "no pinned version karmada-1.0.0"],
  [["--sources", "web"], 'toolchain: KARMADA_TOOLCHAIN_SOURCES: got "web"'],
])("wrong usage %s ends with 2 and says what there is", async (args, message) => {
  const { code, stderr } = await toolchain(args);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  expect(stderr).toContain("npm run toolchain -- --help says more");
});

test("a second run finds all in place, without a word of progress", async () => {
  const first = await toolchain(["etcdctl", "etcdutl"]);
  expect(first.stderr).toContain("etcdctl 3.6.6: from installed");
  const second = await toolchain(["etcdctl", "etcdutl"]);
  expect(second).toMatchObject({ code: 0, stderr: "" });
  expect(second.stdout).toMatch(/^2 programs in .*\/store \(0\.\ds\)\n$/);
});

test("--json prints path, checksum, source and what was verified", async () => {
  const { stdout } = await toolchain(["etcdctl", "--json"]);
  const [artifact] = JSON.parse(stdout) as { path: string }[];
  expect(artifact).toMatchObject({
    name: "etcdctl",
    version: "3.6.6",
    source: "installed",
    sha256: sha256(script("etcdctl version: 3.6.6")),
  });
  expect(await readFile(artifact!.path)).toEqual(script("etcdctl version: 3.6.6"));
});

test("--list prints what is there, and the rest of the pinned list as not installed", async () => {
  await toolchain(["etcdctl"]);
  const { stdout } = await toolchain(["--list"]);
  expect(stdout).toMatch(/^NAME +VERSION +PLATFORM +SOURCE +SHA256 +PATH\n/);
  expect(stdout).toMatch(/\netcdctl +3\.6\.6 +\w+\/\w+ +installed +[0-9a-f]{64} +\/.*\/etcdctl\n/);
  expect(stdout).toMatch(/\nkarmada-scheduler +1\.18\.2 +- +not installed/);
});

test("--dry-run says what would be tried, and obtains nothing", async () => {
  const { stdout } = await toolchain(["etcdctl", "--dry-run"], {
    KARMADA_TOOLCHAIN_SOURCES: "installed,release,image,module",
  });
  expect(stdout).toMatch(
    /^etcdctl {2}3\.6\.6 {2}installed etcdctl on PATH, then release https:\/\/github\.com\/etcd-io\/.*, then image quay\.io\/coreos\/etcd:v3\.6\.6, then module go\.etcd\.io\/etcd\/etcdctl\/v3@v3\.6\.6\n$/,
  );
  expect((await toolchain(["--list"])).stdout).toMatch(/\netcdctl +3\.6\.6 +- +not installed/);
});

test("what cannot be had ends with 1 and one message with what to do", async () => {
  const { code, stderr } = await toolchain(["karmada-agent"]);
  expect(code).toBe(1);
  expect(stderr).toContain("toolchain: karmada-agent 1.18.2 for ");
  expect(stderr).toContain(
    "  installed: no karmada-agent on PATH\nto do: name a mirror (KARMADA_TOOLCHAIN_MIRROR), or install a bundle",
  );
});

test("a bundle made here is installed there, without network", async () => {
  const file = join(sandbox.directory, "programs.tar.zst");
  const made = await toolchain(["etcdctl", "etcdutl", "--bundle", file]);
  expect(made.stdout).toContain(`${sha256(await readFile(file))}  ${file}\n`);
  const there = { PATH: "/usr/bin:/bin", KARMADA_TOOLCHAIN_DIR: join(sandbox.directory, "there") };
  const installed = await toolchain(["--from", file], there);
  expect(installed.stdout).toMatch(/^2 programs in .*\/there /);
  expect((await toolchain(["etcdutl", "--offline"], there)).code).toBe(0);
});

test("SIGINT ends with 130 and says how to go on", async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const mirror = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
  const env = { ...environment(), KARMADA_TOOLCHAIN_SOURCES: "mirror", KARMADA_TOOLCHAIN_MIRROR: mirror };
  const child = spawn(process.execPath, [main, "etcdctl"], { env, stdio: ["ignore", "ignore", "pipe"] });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  await once(silent, "connection");
  child.kill("SIGINT");
  const [code] = (await once(child, "close")) as [number];
  silent.close();
  expect({ code, stderr }).toEqual({
    code: 130,
    stderr: expect.stringContaining("toolchain: interrupted; run the same command again to go on"),
  });
  expect(await leftovers(sandbox.store)).toEqual([]);
});
