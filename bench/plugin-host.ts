/** What the stand-ins of the language host and the plugins cost. */
import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { execa } from "execa";
import { startPlugin } from "../tests/plugins/support/plugin.ts";
import { pulumiEnvironment } from "../toolchain/pulumi/index.ts";
import { seconds, type Benchmark } from "./benchmark.ts";

const checkout = join(import.meta.dirname, "..");
let root: string;

async function prepare(): Promise<() => Promise<void>> {
  root = await mkdtemp(join(tmpdir(), "plugin-host-"));
  await cp(join(import.meta.dirname, "fixtures", "plugin-host"), root, { recursive: true });
  await symlink(join(checkout, "node_modules"), join(root, "node_modules"));
  return () => rm(root, { recursive: true, force: true });
}

/** The first `up` of a stack, in seconds; without its preview, which runs the program once more. */
async function firstUp(): Promise<number> {
  const backend = await mkdtemp(join(root, "backend-"));
  const { path, env } = await pulumiEnvironment({
    cwd: root,
    env: { ...process.env, PULUMI_BACKEND_URL: `file://${backend}`, PULUMI_CONFIG_PASSPHRASE: "bench" },
  });
  const run = (...args: string[]) => execa(path, [...args, "--non-interactive"], { cwd: root, env, timeout: 120_000 });
  await mkdir(backend, { recursive: true });
  await run("stack", "init", "bench");
  return seconds(() => run("up", "--yes", "--skip-preview"));
}

/** The same program under Node.js alone, in seconds. */
const alone = (): Promise<number> => seconds(() => execa("node", ["alone.ts"], { cwd: root, preferLocal: true }));

/** Resident memory of the random plugin after it has made 200 passwords, in MB. */
async function pluginMemory(): Promise<number> {
  await using plugin = await startPlugin("random");
  const type = "random:index/randomPassword:RandomPassword";
  await Promise.all(Array.from({ length: 200 }, () => plugin.up(type, { length: 32 })));
  const { stdout } = await promisify(execFile)("ps", ["-o", "rss=", "-p", String(plugin.pid)]);
  return Number(stdout) / 1024;
}

export const benchmarks: Benchmark[] = [
  {
    name: "plugin-host",
    // What an `up` takes beyond 1.1 times the program itself.
    unit: "s",
    goal: 1.5,
    runs: 5,
    prepare,
    async ours() {
      const program = await alone();
      return (await firstUp()) - 1.1 * program;
    },
  },
  { name: "plugin-memory", unit: "MB", goal: 150, ours: pluginMemory },
];
