/** Which pulumi runs and what is set for it; the programs are real files, the official ones scripts that answer. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { jest } from "@jest/globals";
import * as tar from "tar";
import { makeBundle } from "../../../toolchain/bundle.ts";
import { hostPlatform, storeDirectory } from "../../../toolchain/index.ts";
import { localBackend } from "../../../toolchain/pulumi/backend.ts";
import { namelessUser, userHomeEnvironment } from "../../../toolchain/pulumi/checkout.ts";
import { pulumiEnvironment } from "../../../toolchain/pulumi/index.ts";
import { requiredPlugins } from "../../../toolchain/pulumi/plugins.ts";
import { addArtifact, listArtifacts } from "../../../toolchain/store/store.ts";

const checkout = join(import.meta.dirname, "../../..");
let directory: string;
let home: string;
/** A user without pulumi, login or variables, with the programs this machine has. */
let user: NodeJS.ProcessEnv;

beforeEach(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), "pulumi-environment-")));
  home = join(directory, "home");
  await mkdir(join(home, ".pulumi"), { recursive: true });
  await writeFile(join(directory, "Pulumi.yaml"), "name: test\nruntime: nodejs\n");
  const path = (process.env["PATH"] ?? "").split(delimiter).filter((each) => !each.includes("pulumi"));
  user = { HOME: home, PATH: path.join(delimiter), KARMADA_TOOLCHAIN_DIR: storeDirectory() };
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const environment = (env: NodeJS.ProcessEnv = {}, args: string[] = ["up"]) =>
  pulumiEnvironment({ env: { ...user, ...env }, cwd: directory, args });

async function executable(path: string, text: string): Promise<string> {
  await mkdir(join(path, ".."), { recursive: true });
  await writeFile(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return path;
}

async function installOfficialPlugins(root: string): Promise<void> {
  for (const { name, version } of requiredPlugins()) {
    await executable(join(root, "plugins", `resource-${name}-v${version}`, `pulumi-resource-${name}`), "exit 0");
  }
}

/** Plugins are said to be elsewhere than at Pulumi's, so that nobody is asked whether Pulumi's can be reached. */
const mirror = { PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES: ".*=http://127.0.0.1:9" };

/** Puts a program into a toolchain's store, as a bundle does. */
async function keep(store: string, name: string, version: string, text = "exit 0"): Promise<void> {
  const from = dirname(await executable(join(directory, "made", name, name), text));
  const program = { name, version, purpose: "test", kind: "executable", main: name } as const;
  await addArtifact(store, program, hostPlatform(), from, { source: "mirror", address: "bundle.tar", verified: [] });
}

/** A pulumi on PATH that prints a version; with a language host beside it when it is whole. */
async function pulumiOnPath(version: string, { host = true, script = "exit 9" } = {}): Promise<NodeJS.ProcessEnv> {
  const bin = join(directory, "bin");
  await executable(join(bin, "pulumi"), `[ "$1" = version ] && echo ${version} && exit 0\n${script}`);
  if (host) await executable(join(bin, "pulumi-language-nodejs"), "exit 0");
  return { PATH: `${bin}${delimiter}${user["PATH"]}` };
}

test("without any pulumi the stand-ins are used, in a home of the checkout", async () => {
  const command = await environment();
  expect(command.official).toBe(false);
  expect(command.summary).toMatch(
    /^pulumi 3\.259\.0 \(from \w+\) with this project's stand-ins: language host, command 1\.2\.1, kubernetes 4\.32\.0, random 4\.21\.1, tls 5\.5\.1$/,
  );
  expect(command.env).toMatchObject({
    PULUMI_HOME: join(checkout, ".pulumi", "home"),
    PULUMI_CREDENTIALS_PATH: join(home, ".pulumi"),
    PULUMI_BACKEND_URL: await localBackend(join(checkout, ".pulumi", "backend")),
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_REGISTRY_RESOLVE: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
  });
  const passphrase = command.env["PULUMI_CONFIG_PASSPHRASE_FILE"]!;
  expect((await readFile(passphrase, "utf8")).trim().length).toBe(32);
  expect((await stat(passphrase)).mode & 0o777).toBe(0o600);
  expect(command.env["PATH"]!.startsWith(join(checkout, "node_modules", ".bin") + delimiter)).toBe(true);
});

test("the engine collects garbage less often, unless the user says how often", async () => {
  expect((await environment()).env["GOGC"]).toBe("400");
  expect((await environment({ GOGC: "50" })).env["GOGC"]).toBe("50");
});

test("who asks pulumi for debug messages gets those of the SDK too", async () => {
  expect((await environment({}, ["up", "--debug"])).env["KARMADA_SDK_DEBUG"]).toBe("true");
  expect((await environment()).env["KARMADA_SDK_DEBUG"]).toBeUndefined();
});

test("where a proxy is named, pulumi's own parts still reach each other, and what the user excludes stays so", async () => {
  expect((await environment()).env).not.toHaveProperty("no_proxy");
  const command = await environment({ ...mirror, http_proxy: "http://127.0.0.1:9", no_proxy: "corp" });
  expect(command.env["no_proxy"]).toBe("127.0.0.1,localhost,::1,corp");
});

test("the passphrase is made once", async () => {
  const commands = await Promise.all([environment(), environment(), environment()]);
  const files = new Set(commands.map(({ env }) => env["PULUMI_CONFIG_PASSPHRASE_FILE"]));
  const before = await readFile([...files][0]!, "utf8");
  await environment();
  expect(await readFile([...files][0]!, "utf8")).toBe(before);
});

test("an official plugin the user has installed is used in place of its stand-in", async () => {
  const random = join(home, ".pulumi", "plugins", "resource-random-v4.21.1");
  await executable(join(random, "pulumi-resource-random"), "exit 0");
  const command = await environment();
  expect(command.summary).not.toContain("random");
  const used = join(checkout, ".pulumi", "home", "plugins", "resource-random-v4.21.1");
  expect(await realpath(join(used, "pulumi-resource-random"))).toBe(join(random, "pulumi-resource-random"));
  const env = { ...user, ...command.env };
  const { stdout } = await promisify(execFile)(command.path, ["plugin", "ls", "--json"], { env });
  expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ name: "random", version: "4.21.1" }));
  await rm(random, { recursive: true });
  expect((await environment()).summary).toContain("random 4.21.1");
  expect(await readFile(join(used, "pulumi-resource-random"), "utf8")).toContain(".pulumi/home/programs/random.mjs");
});

test("an official plugin in the toolchain's store, as from a bundle, is used in place of its stand-in", async () => {
  const store = join(directory, "store");
  await keep(store, "pulumi", "3.259.0");
  await keep(store, "pulumi-resource-random", "4.21.1", "echo official");
  const command = await environment({ KARMADA_TOOLCHAIN_DIR: store });
  expect(command.summary).toBe(
    "pulumi 3.259.0 (from mirror) with this project's stand-ins: language host, command 1.2.1, kubernetes 4.32.0, tls 5.5.1",
  );
  const used = join(checkout, ".pulumi", "home", "plugins", "resource-random-v4.21.1", "pulumi-resource-random");
  expect(await realpath(used)).toMatch(new RegExp(`^${store}/content/`));
  expect(await readFile(used, "utf8")).toContain("echo official");
  expect((await environment()).summary).toContain("random 4.21.1");
});

test("a plugin that is still being downloaded is not used", async () => {
  const plugins = join(home, ".pulumi", "plugins");
  await executable(join(plugins, "resource-random-v4.21.1", "pulumi-resource-random"), "exit 0");
  await writeFile(join(plugins, "resource-random-v4.21.1.partial"), "");
  expect((await environment()).summary).toContain("random 4.21.1");
});

test("an official pulumi with its plugins is used as it is, and nothing of ours is in its way", async () => {
  const path = await pulumiOnPath("v3.260.1");
  await installOfficialPlugins(join(home, ".pulumi"));
  const command = await environment(path);
  expect(command.official).toBe(true);
  expect(command.path).toBe(join(directory, "bin", "pulumi"));
  expect(command.summary).toBe(`pulumi 3.260.1 and its official plugins (${join(directory, "bin", "pulumi")})`);
  for (const name of ["PULUMI_CREDENTIALS_PATH", "PULUMI_SKIP_UPDATE_CHECK"]) {
    expect(command.env[name]).toBeUndefined();
  }
});

test("pulumi is told of a home that HOME names, for it would look into that of the process's user", async () => {
  const path = await pulumiOnPath("v3.259.0");
  await installOfficialPlugins(join(home, ".pulumi"));
  expect((await environment(path)).env["PULUMI_HOME"]).toBe(join(home, ".pulumi"));
  await rm(join(home, ".pulumi"), { recursive: true });
  const { official, env } = await environment({ ...path, PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true" });
  expect([official, env["PULUMI_CREDENTIALS_PATH"]]).toEqual([false, join(userInfo().homedir, ".pulumi")]);
});

test("an official pulumi uses the home of the process's user as it is", async () => {
  expect(userHomeEnvironment({ HOME: userInfo().homedir })).toEqual({});
});

test("a user whom the system knows keeps the name that the environment has", () => {
  expect(namelessUser()).toEqual({});
});

test("an official pulumi takes plugins from the toolchain's store, and nothing is downloaded", async () => {
  const store = join(directory, "store");
  for (const { name, version } of requiredPlugins()) await keep(store, `pulumi-resource-${name}`, version);
  const path = await pulumiOnPath("v3.259.0", { script: `echo "$@" >> ${directory}/calls` });
  const command = await environment({ ...path, KARMADA_TOOLCHAIN_DIR: store });
  expect([command.official, command.path]).toEqual([true, join(directory, "bin", "pulumi")]);
  expect(command.env["PULUMI_HOME"]).toBe(join(checkout, ".pulumi", "home"));
  const used = join(checkout, ".pulumi", "home", "plugins", "resource-tls-v5.5.1", "pulumi-resource-tls");
  expect(await realpath(used)).toMatch(new RegExp(`^${store}/content/`));
  await expect(stat(join(directory, "calls"))).rejects.toThrow("ENOENT");
  expect((await environment()).summary).toContain("tls 5.5.1");
});

test("an official pulumi downloads the plugins that are missing", async () => {
  const path = await pulumiOnPath("v3.259.0", { script: `echo "$@" >> ${directory}/calls` });
  const told = jest.spyOn(console, "error").mockImplementation(() => {});
  const command = await environment({ ...path, ...mirror });
  expect(told.mock.calls).toEqual([
    ["pulumi: downloads command 1.2.1, kubernetes 4.32.0, random 4.21.1, tls 5.5.1 (at most 120s)"],
  ]);
  told.mockRestore();
  expect(command.official).toBe(true);
  const calls = (await readFile(join(directory, "calls"), "utf8")).trim().split("\n");
  expect(calls.toSorted()).toEqual([
    "plugin install resource command v1.2.1",
    "plugin install resource kubernetes v4.32.0",
    "plugin install resource random v4.21.1",
    "plugin install resource tls v5.5.1",
  ]);
});

test("an official pulumi that the toolchain obtains only now is used at once", async () => {
  const from = join(directory, "from");
  await executable(join(directory, "made", "pulumi", "pulumi-language-nodejs"), "exit 0");
  await keep(from, "pulumi", "3.259.0");
  const bundle = join(directory, "bundle.tar");
  await makeBundle(from, await listArtifacts(from), bundle);
  const there = join(directory, "mirror");
  await mkdir(there);
  await tar.x({ file: bundle, cwd: there });
  await installOfficialPlugins(join(home, ".pulumi"));
  const env = {
    KARMADA_TOOLCHAIN_DIR: join(directory, "store"),
    KARMADA_TOOLCHAIN_SOURCES: "mirror",
    KARMADA_TOOLCHAIN_MIRROR: there,
  };
  const first = await environment(env);
  expect(first.summary).toMatch(/^pulumi 3\.259\.0 and its official plugins \(.*\/store\/content\/.*\/pulumi\)$/);
  expect(first.official).toBe(true);
  expect(await environment(env)).toMatchObject({ path: first.path, summary: first.summary, official: true });
});

test.each([
  {
    what: "cannot download its plugins",
    version: "v3.259.0",
    options: { script: "echo resolving >&2; echo error: 404 from $4 >&2; exit 1" },
    reason: "official plugins cannot be downloaded: command 1.2.1: error: 404 from command",
  },
  {
    what: "is older than the SDK",
    version: "v3.258.0",
    options: { script: "exit 0" },
    reason: "BIN/pulumi is 3.258.0, want 3.259.0 or later of major version 3",
  },
  {
    what: "is of another major version",
    version: "v4.0.0",
    options: { script: "exit 0" },
    reason: "BIN/pulumi is 4.0.0, want 3.259.0 or later of major version 3",
  },
  {
    what: "has no language host",
    version: "v3.259.0",
    options: { host: false, script: "exit 0" },
    reason: "BIN/pulumi has no pulumi-language-nodejs beside it",
  },
])("a pulumi that $what gives way to the stand-ins, and why is said", async ({ version, options, reason }) => {
  const { official, summary } = await environment({ ...(await pulumiOnPath(version, options)), ...mirror });
  expect([official, summary.split("; ")[1]]).toEqual([false, reason.replace("BIN", join(directory, "bin"))]);
});

test("an official pulumi is not asked to download when nobody who has plugins can be reached", async () => {
  const path = await pulumiOnPath("v3.259.0", { script: `echo "$@" >> ${directory}/calls` });
  const run = `import { findPulumi } from "${join(checkout, "toolchain/pulumi/environment.ts")}";
    const { official, summary } = await findPulumi();
    console.log(official, summary.split("; ")[1]);`;
  // a proxy nobody listens at: no way out, wherever this test runs
  const env = { ...user, ...path, HTTPS_PROXY: "http://127.0.0.1:9", https_proxy: "http://127.0.0.1:9" };
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", run], { env });
  const reason = "official plugins cannot be downloaded: none of api.github.com, get.pulumi.com can be reached";
  expect(stdout).toBe(`false ${reason}\n`);
  await expect(stat(join(directory, "calls"))).rejects.toThrow("ENOENT");
});

test.each<{ what: string; env: NodeJS.ProcessEnv }>([
  { what: "a backend", env: { PULUMI_BACKEND_URL: "s3://bucket" } },
  { what: "an access token", env: { PULUMI_ACCESS_TOKEN: "pul-x" } },
])("$what of the user wins, and no passphrase is made up for it", async ({ env }) => {
  const command = await environment(env);
  expect(command.env["PULUMI_BACKEND_URL"]).toBe(env["PULUMI_BACKEND_URL"]);
  expect(command.env["PULUMI_CONFIG_PASSPHRASE_FILE"]).toBeUndefined();
});

test("a backend the user has logged in to wins", async () => {
  await writeFile(join(home, ".pulumi", "credentials.json"), JSON.stringify({ current: "https://api.pulumi.com" }));
  expect((await environment()).env["PULUMI_BACKEND_URL"]).toBeUndefined();
});

test("the backend Pulumi.yaml names wins", async () => {
  await writeFile(join(directory, "Pulumi.yaml"), "name: test\nruntime: nodejs\nbackend:\n  url: gs://bucket\n");
  expect((await environment()).env["PULUMI_BACKEND_URL"]).toBeUndefined();
});

test("pulumi login is given no backend", async () => {
  expect((await environment({}, ["login"])).env["PULUMI_BACKEND_URL"]).toBeUndefined();
});

test.each([
  { PULUMI_CONFIG_PASSPHRASE: "" },
  { PULUMI_CONFIG_PASSPHRASE: "own" },
  { PULUMI_CONFIG_PASSPHRASE_FILE: "/own" },
])("a passphrase of the user wins: %j", async (env) => {
  const command = await environment(env);
  expect(command.env).toMatchObject(env);
  expect(Object.keys(command.env).filter((name) => name.startsWith("PULUMI_CONFIG_PASSPHRASE"))).toHaveLength(1);
});

test("what is empty as pipelines have it, and pulumi takes for not set, is not set", async () => {
  await installOfficialPlugins(join(home, ".pulumi"));
  const env = {
    ...(await pulumiOnPath("v3.259.0")),
    ...{ PULUMI_BACKEND_URL: "", PULUMI_ACCESS_TOKEN: "", PULUMI_CONFIG_PASSPHRASE_FILE: "" },
    ...{ PULUMI_HOME: "", PULUMI_CREDENTIALS_PATH: "" },
  };
  const command = await environment(env);
  expect(command.env).toMatchObject({
    PULUMI_BACKEND_URL: await localBackend(join(checkout, ".pulumi", "backend")),
    PULUMI_CONFIG_PASSPHRASE_FILE: join(checkout, ".pulumi", "passphrase"),
    PULUMI_HOME: join(home, ".pulumi"),
  });
  expect(Object.keys(command.env)).not.toContain("PULUMI_ACCESS_TOKEN");
  expect(Object.keys(command.env)).not.toContain("PULUMI_CREDENTIALS_PATH");
});

test("a home the user names is left as it is, and the stand-ins it lacks are found on PATH", async () => {
  const own = join(directory, "own-home");
  const random = join(own, "plugins", "resource-random-v4.21.1");
  await executable(join(random, "pulumi-resource-random"), "exit 0");
  const command = await environment({ PULUMI_HOME: own });
  expect(command.env["PULUMI_HOME"]).toBe(own);
  const plugins = join(checkout, ".pulumi", "home", "plugins");
  const path = command.env["PATH"]!.split(delimiter);
  expect(path).toContain(join(plugins, "resource-tls-v5.5.1"));
  expect(path).not.toContain(join(plugins, "resource-random-v4.21.1"));
});

test("a command started by another one gets the same", async () => {
  const first = await environment();
  const second = await pulumiEnvironment({ env: first.env, cwd: directory });
  expect(second.summary).toBe(first.summary);
  expect(second.env["PULUMI_HOME"]).toBe(first.env["PULUMI_HOME"]);
  expect(second.env["PULUMI_CONFIG_PASSPHRASE_FILE"]).toBe(first.env["PULUMI_CONFIG_PASSPHRASE_FILE"]);
});
