import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { access, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { makeBundle } from "../../toolchain/bundle.ts";
import { listArtifacts } from "../../toolchain/store/store.ts";
import { canMount, mountTmpfs } from "../support/mount.ts";
import { leftovers, makeSandboxWithTools, script, sha256, type Sandbox } from "./support/sandbox.ts";

const main = join(import.meta.dirname, "../../toolchain/main.ts");
let sandbox: Sandbox;
beforeEach(async () => (sandbox = await makeSandboxWithTools()));
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
    "--sources",
    "--karmada VERSION",
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
  [["--sources", "web"], 'toolchain: --sources: got "web", want some of installed, mirror,'],
  [["etcd@"], "toolchain: etcd@: not a pinned version, there is 3.6.6, 3.6.16, 3.6.8, 3.5.35"],
  [["--list", "etdc"], "toolchain: etdc: not in the list of programs, want some of pulumi,"],
  [["--from", "a.tar", "--sources", "release"], "toolchain: --from a.tar and --sources release exclude each other"],
  [["--from", "a.tar", "--etcd", "3.6.8"], "toolchain: --from a.tar and --etcd 3.6.8 exclude each other"],
  [["--bundle", "a.zip"], 'toolchain: --bundle: got "a.zip", want a name that ends in .tar, .tar.gz or .tar.zst'],
  [["--bundle", "/nowhere/a.tar"], 'toolchain: --bundle: got "/nowhere/a.tar", but there is no directory /nowhere'],
  [["--bundle"], "toolchain: Option '--bundle <value>' argument missing"],
])("wrong usage %s ends with 2 and says what there is", async (args, message) => {
  const { code, stderr } = await toolchain(args);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  expect(stderr).toContain("npm run toolchain -- --help says more");
});

test.each([
  [{ KARMADA_TOOLCHAIN_MIRROR: "ftp://mirror" }, 'KARMADA_TOOLCHAIN_MIRROR: got "ftp://mirror", want a directory, or'],
  [
    { KARMADA_TOOLCHAIN_MIRROR: "ftp://ci:t0ken@mirror" },
    'KARMADA_TOOLCHAIN_MIRROR: got "ftp://mirror/", want a directory, or',
  ],
  [
    { KARMADA_TOOLCHAIN_MIRROR: "https://ci:t0k#en@mirror" },
    "KARMADA_TOOLCHAIN_MIRROR: what it says is no address, want a directory, or an http:// or https:// address",
  ],
  [{ KARMADA_TOOLCHAIN_SOURCES: "web" }, 'KARMADA_TOOLCHAIN_SOURCES: got "web", want some of installed, mirror,'],
])("an environment %j that cannot be meant ends with 2 as well", async (env, message) => {
  const { code, stderr } = await toolchain(["etcdctl"], env);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`toolchain: ${message}`) });
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

test("--help helps whatever else is said, and a name said twice is one program", async () => {
  expect((await toolchain(["etdc", "--help"])).code).toBe(0);
  expect((await toolchain(["etcdctl", "etcdctl"])).stdout).toMatch(/^1 programs in /);
});

test("--list with names prints only those", async () => {
  await toolchain(["etcdctl"]);
  const { stdout } = await toolchain(["--list", "etcdctl", "versitygw"]);
  expect(stdout.split("\n").slice(1)).toEqual([
    expect.stringMatching(/^etcdctl +3\.6\.6 +\w+\/\w+ +installed /),
    expect.stringMatching(/^versitygw +1\.8\.0 +- +not installed \(for tests only\) +- +-$/),
    "",
  ]);
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

test("the login of a mirror is printed by no command", async () => {
  const env = { KARMADA_TOOLCHAIN_MIRROR: "http://ci:t0ken@127.0.0.1:9/m", KARMADA_TOOLCHAIN_SOURCES: "mirror" };
  const planned = await toolchain(["etcdctl", "--dry-run"], env);
  expect(planned.stdout).toBe("etcdctl  3.6.6  mirror etcdctl 3.6.6 in http://127.0.0.1:9/m\n");
  const failed = await toolchain(["etcdctl"], env);
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining("mirror: 127.0.0.1:9 cannot be") as string });
  expect(failed.stderr).not.toContain("t0ken");
});

test("what cannot be had ends with 1 and one message with what to do", async () => {
  const { code, stderr } = await toolchain(["karmada-agent"]);
  expect(code).toBe(1);
  expect(stderr).toContain("toolchain: karmada-agent 1.18.2 for ");
  expect(stderr).toContain(
    "  installed: no karmada-agent on PATH\nto do: name a mirror (KARMADA_TOOLCHAIN_MIRROR), or install a bundle",
  );
});

test("a place that takes no programs is named, also one where directories cannot be made at all", async () => {
  const { code, stderr } = await toolchain(["etcdctl"], { KARMADA_TOOLCHAIN_DIR: "/proc/nowhere/store" });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr:
      "toolchain: /proc/nowhere/store: cannot be written (ENOENT: no such file or directory, mkdir '/proc/nowhere')\n" +
      "to do: make it writable, free disk space there, or name another place with KARMADA_TOOLCHAIN_DIR\n",
  });
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

// A disk takes the last write of a file in part, and refuses those before it.
test.each([500_000, 20_000_000])(
  "a disk full while a bundle with %d bytes is unpacked is named, and not the bundle blamed",
  async (size) => {
    const file = join(sandbox.directory, "programs.tar");
    await sandbox.file("bin/etcdutl", script("etcdutl version: 3.6.6", size), 0o755);
    await toolchain(["etcdctl", "etcdutl", "--bundle", file]);
    if (!canMount) return;
    const small = join(sandbox.directory, "small");
    const unmount = await mountTmpfs(small, "64k");
    try {
      const { code, stderr } = await toolchain(["--from", file], { KARMADA_TOOLCHAIN_DIR: small });
      expect([code, ...stderr.split("\n")]).toEqual([
        1,
        expect.stringMatching(/^toolchain: .*\/programs\.tar: unpacking: ENOSPC: no space left on device, /),
        `to do: free disk space below ${small}, or name another place with KARMADA_TOOLCHAIN_DIR`,
        "",
      ]);
      expect(await leftovers(small)).toEqual([]);
    } finally {
      await unmount();
    }
  },
);

test("a bundle is listed only when every byte of it is as it was packed; a changed plugin is named", async () => {
  for (const name of ["random", "tls"])
    await sandbox.file(`bin/pulumi-resource-${name}`, script(`plugin ${name}`, 3000), 0o755);
  const file = join(sandbox.directory, "plugins.tar");
  const names = ["pulumi-resource-random", "pulumi-resource-tls", "etcdctl"];
  expect((await toolchain([...names, "--bundle", file])).code).toBe(0);
  const listed = await toolchain(["--from", file, "--list"]);
  expect(listed.stdout.split("\n").map((line) => line.split(/ +/).slice(0, 2))).toEqual([
    ["NAME", "VERSION"],
    ["pulumi-resource-random", "4.21.1"],
    ["pulumi-resource-tls", "5.5.1"],
    ["etcdctl", "3.6.6"],
    [""],
  ]);

  const bytes = await readFile(file);
  bytes[bytes.indexOf("plugin tls")]! ^= 1;
  await writeFile(file, bytes);
  const there = { PATH: "/usr/bin:/bin", KARMADA_TOOLCHAIN_DIR: join(sandbox.directory, "there") };
  for (const args of [
    ["--from", file, "--list"],
    ["--from", file],
    ["pulumi-resource-tls", "--from", file],
  ]) {
    const { code, stderr } = await toolchain(args, there);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/pulumi-resource-tls in .*\/plugins\.tar was changed: checksum is [0-9a-f]{64}, want /),
    ]);
    expect(stderr).toContain("to do: make the bundle or mirror again");
  }
  const { stdout } = await toolchain(["--list", "--json"], there);
  expect((JSON.parse(stdout) as { name: string }[]).map(({ name }) => name)).not.toContain("pulumi-resource-tls");
});

test("what a bundle of another version has beyond this list is left out and named", async () => {
  const file = join(sandbox.directory, "other.tar");
  await toolchain(["etcdctl", "etcdutl"]);
  const artifacts = await listArtifacts(sandbox.store);
  const [known, other] = artifacts.map((artifact, i) => (i === 1 ? { ...artifact, version: "9.9.9" } : artifact));
  await makeBundle(sandbox.store, [known!, other!], file);
  const there = { PATH: "/usr/bin:/bin", KARMADA_TOOLCHAIN_DIR: join(sandbox.directory, "there") };
  const { code, stdout, stderr } = await toolchain(["--from", file], there);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^1 programs in /)]);
  expect(stderr).toContain("toolchain: left out etcdutl 9.9.9: not in this version's list of programs\n");
});

test("a bundle of which this list has nothing ends with 1, says what it has, and changes nothing", async () => {
  const file = join(sandbox.directory, "other.tar");
  await toolchain(["etcdctl", "etcdutl"]);
  const others = (await listArtifacts(sandbox.store)).map((artifact) => ({ ...artifact, version: "9.9.9" }));
  await makeBundle(sandbox.store, others, file);
  const there = { PATH: "/usr/bin:/bin", KARMADA_TOOLCHAIN_DIR: join(sandbox.directory, "there") };
  const next = join(sandbox.directory, "next.tar");
  const remedy = "to do: make the bundle with this version; npm run toolchain -- --list prints its list\n";
  expect(await toolchain(["--from", file, "--bundle", next], there)).toMatchObject({
    code: 1,
    stdout: "",
    stderr: `toolchain: ${file}: got etcdctl 9.9.9, etcdutl 9.9.9, want programs of this version's list\n${remedy}`,
  });
  await makeBundle(sandbox.store, [], file);
  expect(await toolchain(["--from", file, "--json"], there)).toMatchObject({
    code: 1,
    stdout: "",
    stderr: `toolchain: ${file}: got no program at all, want programs of this version's list\n${remedy}`,
  });
  await expect(access(next)).rejects.toThrow("ENOENT");
});

test("a reader that stops reading is no error", async () => {
  const command = `${process.execPath} ${main} --list | head -1`;
  const { stdout, stderr } = await promisify(execFile)("bash", ["-o", "pipefail", "-c", command], {
    env: environment(),
  });
  expect([stdout, stderr]).toEqual([expect.stringMatching(/^NAME .*\n$/), ""]);
});

test("with --json standard output is JSON, whatever else is asked for", async () => {
  const file = join(sandbox.directory, "json.tar");
  const { stdout, stderr } = await toolchain(["etcdctl", "--json", "--bundle", file]);
  expect(JSON.parse(stdout)).toHaveLength(1);
  expect(stderr).toContain(`${sha256(await readFile(file))}  ${file}\n`);
  const planned = await toolchain(["etcdutl", "--dry-run", "--json"]);
  expect(JSON.parse(planned.stdout)).toEqual([
    { name: "etcdutl", version: "3.6.6", tries: ["installed etcdutl on PATH"] },
  ]);
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
