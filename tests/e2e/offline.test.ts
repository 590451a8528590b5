/**
 * A machine without network: a bundle is made, everything else is taken away (uplink, Go, store, home), and a stack is
 * installed from the bundle, brought up and destroyed.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { networkInterfaces, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { execa } from "execa";
import { locate } from "../../toolchain/index.ts";
import { TestStack } from "./support/stack.ts";

const checkout = join(import.meta.dirname, "../..");
const programs = [
  ...["pulumi", "etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok"],
  ...["karmada-crds", "karmada-aggregated-apiserver", "karmada-controller-manager"],
  ...["karmada-scheduler", "karmada-webhook"],
];

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
});

afterAll(async () => {
  try {
    await stack?.remove();
  } finally {
    namespace?.kill("SIGKILL");
    if (directory) await rm(directory, { recursive: true, force: true });
  }
}, 120_000);

const toolchain = (before: readonly string[], args: readonly string[], env: Record<string, string> = {}) => {
  const [program = "node", ...rest] = [...before, "node", join(checkout, "toolchain/main.ts"), ...args];
  const options = { preferLocal: true, localDir: checkout, all: true, reject: false, timeout: 300_000 } as const;
  return execa(program, rest, { ...options, env });
};
const bundle = () => join(directory, "bundle.tar");

testAsRoot(
  "a bundle is made of what a small stack needs",
  async () => {
    const run = await toolchain([], [...programs, "--bundle", bundle()]);
    expect([run.exitCode, run.all]).toEqual([0, expect.stringMatching(/[0-9a-f]{64} {2}.*bundle\.tar$/)]);
  },
  300_000,
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
  "the whole bundle installs, and says where each program came from",
  async () => {
    const run = await toolchain(prefix, ["--from", bundle(), "--json"], env);
    expect([run.exitCode, run.stderr]).toEqual([0, expect.any(String)]);
    const installed = JSON.parse(run.stdout) as { name: string; source: string; sha256: string }[];
    expect(installed.map(({ name }) => name).toSorted()).toEqual(programs.toSorted());
    expect(new Set(installed.map(({ source }) => source))).toEqual(new Set(["mirror"]));
    const etcd = await locate({ name: "etcd", version: "3.6.6" });
    expect(installed.find(({ name }) => name === "etcd")!.sha256).toBe(etcd!.sha256);
  },
  120_000,
);

testAsRoot(
  "a stack with a member comes up from it, and goes again",
  async () => {
    const config = {
      etcd: { kind: "managed", members: 1 },
      members: [{ name: "member1", credentials: { kind: "simulated" } }],
    };
    stack = await TestStack.create(config, 27500, { prefix, env });
    await stack.up();
    const { members } = await stack.outputs<{ members: { name: string; ready: boolean }[] }>();
    expect(members).toEqual([expect.objectContaining({ name: "member1", ready: true })]);
    const running = await stack.processes();
    const store = dirname(env["KARMADA_TOOLCHAIN_DIR"]!);
    expect(running.some(({ command }) => command.startsWith(store))).toBe(true);
    await stack.successfully(["destroy", "--yes", "--skip-preview"]);
    expect(await stack.processes()).toEqual([]);
  },
  240_000,
);
