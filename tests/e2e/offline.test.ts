/**
 * A machine without network: one command packs all that a stack takes, everything else is taken away (uplink, Go, store, home,
 * the servers that its addons came from), and the stack is installed from the archive by another, brought up and destroyed.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, open, readFile, rm, stat, writeFile } from "node:fs/promises";
import { networkInterfaces, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { execa } from "execa";
import { stringify } from "yaml";
import type { Contents } from "../../cli/bundle/contents.ts";
import { deadlineIn, waitFor } from "../../lib/wait.ts";
import { locate } from "../../toolchain/index.ts";
import { programPath } from "../support/programs.ts";
import { Programs } from "../support/running.ts";
import { startWeb, type Web } from "../toolchain/support/web.ts";
import { TestStack } from "./support/stack.ts";
import { stackWithSources } from "./support/stack-with-sources.ts";

const checkout = join(import.meta.dirname, "../..");
const able = process.getuid?.() === 0 && process.platform === "linux";
if (!able && process.env["CI"])
  throw new Error("offline: network namespaces need Linux and root, and CI must have them");
if (!able) console.warn("SKIPPED: the offline test makes a network namespace, which needs Linux and root");
const testAsRoot = able ? test : test.skip;

let directory: string;
let namespace: ChildProcess;
let prefix: string[];
let env: Record<string, string>;
let stack: TestStack | undefined;
/** What the stack file says, and what of it is in the archive. */
let config: Record<string, unknown>;
let contents: Contents;
let web: Web;
let registries: Programs;
let image: string;

beforeAll(async () => {
  if (!able) return;
  directory = await mkdtemp(join(tmpdir(), "offline-"));
  await mkdir(join(directory, "home"));
  env = {
    HOME: join(directory, "home"),
    KARMADA_TOOLCHAIN_DIR: join(directory, "store"),
    KARMADA_TOOLCHAIN_MIRROR: "",
    PATH: ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"].join(delimiter),
  };
  namespace = spawn("unshare", ["--net", "sh", "-c", "ip link set lo up && echo up && exec sleep 900"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(namespace.stdout!, "data", { signal: AbortSignal.timeout(10_000) });
  prefix = ["nsenter", `--net=/proc/${namespace.pid}/ns/net`];
  registries = new Programs(join(directory, "registries"));
  await mkdir(registries.directory);
  web = await startWeb();
  ({ config, image } = await stackWithSources(directory, web, registries));
}, 120_000);

afterAll(async () => {
  try {
    await stack?.remove();
  } finally {
    await registries?.stop();
    await web?.close();
    namespace?.kill("SIGKILL");
    if (directory) await rm(directory, { recursive: true, force: true });
  }
}, 120_000);

const toolchain = (before: readonly string[], args: readonly string[], env: Record<string, string> = {}) => {
  const [program = "node", ...rest] = [...before, "node", join(checkout, "toolchain/main.ts"), ...args];
  const options = { preferLocal: true, localDir: checkout, all: true, reject: false, timeout: 300_000 } as const;
  return execa(program, rest, { ...options, env });
};
const bundle = (before: readonly string[], args: readonly string[], env: Record<string, string> = {}) => {
  const [program = "node", ...rest] = [...before, "node", join(checkout, "cli/bundle.ts"), ...args];
  const options = { preferLocal: true, localDir: checkout, reject: false, timeout: 400_000 } as const;
  return execa(program, rest, { ...options, cwd: checkout, env });
};
const archive = () => join(directory, "offline.tar");
const stackFile = () => join(directory, "Pulumi.offline.yaml");
const writeStackFile = (typed: Record<string, unknown>) => {
  const entries = Object.entries(typed).map(([key, value]) => [`karmada:${key}`, value]);
  return writeFile(stackFile(), stringify({ config: Object.fromEntries(entries) }));
};

testAsRoot(
  "a chart that could be another one tomorrow is refused before anything is packed",
  async () => {
    const [first, { source, ...second }] = config["addons"] as [object, { source: Record<string, unknown> }];
    const { sha256: _, ...unpinned } = source;
    await writeStackFile({ ...config, addons: [first, { ...second, source: unpinned }] });
    const run = await bundle([], ["--file", stackFile(), "--into", archive()]);
    expect([run.exitCode, run.stderr]).toEqual([
      1,
      "npm run bundle: the charts of addons have to be the same where there is no connection: note source.sha256 of by-chart",
    ]);
  },
  60_000,
);

testAsRoot(
  "one command packs all that a stack takes",
  async () => {
    await writeStackFile(config);
    const run = await bundle([], ["--file", stackFile(), "--into", archive()]);
    expect([run.exitCode, run.stdout, run.stderr]).toEqual([
      0,
      expect.stringMatching(/^[0-9a-f]{64} {2}.*offline\.tar$/),
      expect.stringContaining(`pulled ${image}`),
    ]);
    await expect(stat(`${archive()}.partial`)).rejects.toThrow("ENOENT");
    const { stdout } = await execa("tar", ["-xOf", archive(), "bundle.json"]);
    contents = JSON.parse(stdout) as Contents;
    expect(contents.programs.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["pulumi", "etcd", "kube-apiserver", "kwok", "karmada-crds", "helm", "crane"]),
    );
    expect(contents.images).toEqual([image]);
  },
  400_000,
);

testAsRoot(
  "where it is taken to there is no way out, no Go, and no program can be had without it",
  async () => {
    const seen = await execa(prefix[0]!, [prefix[1]!, "ip", "-o", "link"]);
    expect(seen.stdout.split("\n").filter((line) => /state UP|state UNKNOWN/.test(line))).toEqual([
      expect.stringMatching(/^1: lo:/),
    ]);
    expect(Object.keys(networkInterfaces())).not.toEqual(["lo"]);
    const run = await toolchain(prefix, ["etcd"], env);
    expect([run.exitCode, run.all]).toEqual([1, expect.stringContaining("Go is not installed")]);
  },
  60_000,
);

testAsRoot(
  "a bundle with one changed byte is refused by the program's name, and nothing of it is installed",
  async () => {
    const small = join(directory, "small.tar");
    expect((await toolchain([], ["kwok", "--bundle", small])).exitCode).toBe(0);
    const bytes = await readFile(small);
    const middle = Math.floor(bytes.length / 2);
    bytes[middle] = bytes[middle]! ^ 1;
    await writeFile(small, bytes);
    const run = await toolchain(prefix, ["--from", small], env);
    expect([run.exitCode, run.all]).toEqual([1, expect.stringContaining(`kwok in ${small} was changed: checksum is`)]);
    const list = JSON.parse((await toolchain(prefix, ["--list", "--json"], env)).stdout) as { source: string }[];
    expect(list.filter(({ source }) => source === "mirror")).toEqual([]);
  },
  60_000,
);

testAsRoot(
  "an archive with one changed byte is refused, and nothing of it is used",
  async () => {
    const file = await open(archive(), "r+");
    const change = async () => {
      const at = Math.floor((await file.stat()).size / 2);
      const byte = Buffer.alloc(1);
      await file.read(byte, 0, 1, at);
      await file.write(Buffer.from([byte[0]! ^ 1]), 0, 1, at);
    };
    await change();
    const run = await bundle(prefix, ["--from", archive()], env);
    await change();
    await file.close();
    expect([run.exitCode, run.stderr]).toEqual([
      1,
      expect.stringMatching(/offline\.tar is damaged, copy it again: programs\.tar\.zst is something else$/),
    ]);
  },
  60_000,
);

testAsRoot(
  "it says what it has, with checksums",
  async () => {
    const run = await bundle(prefix, ["--from", archive(), "--list"], env);
    const etcd = await locate({ name: "etcd", version: "3.6.6" });
    expect([run.exitCode, run.stdout.split("\n")]).toEqual([
      0,
      expect.arrayContaining([
        expect.stringMatching(new RegExp(`^  etcd 3\\.6\\.6 linux/\\w+ ${etcd!.sha256}$`)),
        "images for linux/amd64:",
        `  ${image}`,
        expect.stringMatching(/^ {2}by-url: http:.*addon\.yaml \(manifests\/[0-9a-f]{64}\)$/),
        expect.stringMatching(/^ {2}by-chart: offline 1\.2\.3 of http:.* \(charts\/[0-9a-f]{64}\.tgz\)$/),
      ]),
    ]);
  },
  60_000,
);

testAsRoot(
  "another command installs it there, its images into a registry",
  async () => {
    await Promise.all([web.close(), registries.stop()]);
    const address = "127.0.0.1:5005";
    const serve = [...prefix.slice(1), await programPath("crane"), "registry", "serve", "--address", address];
    const registry = spawn(prefix[0]!, serve, { stdio: "ignore" });
    try {
      const inside = (...args: string[]) => execa(prefix[0]!, [...prefix.slice(1), ...args], { reject: false });
      await waitFor("the registry", deadlineIn(30), async () => {
        const { exitCode } = await inside("bash", "-c", "</dev/tcp/127.0.0.1/5005");
        if (exitCode !== 0) throw new Error("it does not listen");
      });
      const run = await bundle(prefix, ["--from", archive(), "--to", `${address}/mirror`], env);
      expect([run.exitCode, run.stdout]).toEqual([0, `${address}/mirror/nginx:1.29`]);
      expect(run.stderr).toContain(`${contents.programs.length} programs and 2 sources of addons are there`);
      const valid = await inside(await programPath("crane"), "validate", "--remote", `${address}/mirror/nginx:1.29`);
      expect(valid.exitCode).toBe(0);
    } finally {
      registry.kill("SIGKILL");
    }
    const { stdout } = await toolchain(prefix, ["--list", "--json"], env);
    const list = JSON.parse(stdout) as { name: string; source: string; sha256: string }[];
    expect(list.map(({ name, sha256 }) => [name, sha256]).toSorted()).toEqual(
      contents.programs.map(({ name, sha256 }) => [name, sha256]).toSorted(),
    );
    expect(new Set(list.map(({ source }) => source))).toEqual(new Set(["mirror"]));
  },
  240_000,
);

testAsRoot(
  "the stack comes up from it with its member and its addons, and goes again",
  async () => {
    stack = await TestStack.create(config, 27500, { prefix, env });
    await stack.up();
    const { members } = await stack.outputs<{ members: { name: string; ready: boolean }[] }>();
    expect(members).toEqual([expect.objectContaining({ name: "member1", ready: true })]);
    const kubeconfig = join(directory, "kubeconfig");
    await writeFile(kubeconfig, (await stack.outputs<{ kubeconfig: string }>()).kubeconfig);
    const kubectl = [...prefix.slice(1), await programPath("kubectl"), `--kubeconfig=${kubeconfig}`];
    const found = await execa(prefix[0]!, [...kubectl, "get", "configmaps", "-o", "name"]);
    expect(found.stdout.split("\n")).toEqual(expect.arrayContaining(["configmap/from-chart", "configmap/from-url"]));
    const running = await stack.processes();
    const store = dirname(env["KARMADA_TOOLCHAIN_DIR"]!);
    expect(running.some(({ command }) => command.startsWith(store))).toBe(true);
    await stack.successfully(["destroy", "--yes", "--skip-preview"]);
    expect(await stack.processes()).toEqual([]);
  },
  240_000,
);
