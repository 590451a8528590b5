import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startPlugin } from "../tests/plugins/support/plugin.ts";
import { startApiServer, type ApiServer } from "../tests/support/api-server.ts";
import { runPulumi } from "../toolchain/pulumi/index.ts";
import { seconds, type Benchmark } from "./benchmark.ts";

const COUNT = 200;
let server: ApiServer;
let project: string;

/** The kubernetes plugin with the real CLI and a real API server: made from nothing, nothing to do, and its size. */
export const benchmarks: Benchmark[] = [
  {
    name: "plugin-kubernetes-create",
    unit: "s",
    goal: 6,
    prepare,
    async ours() {
      await pulumi("destroy", "--yes");
      return seconds(() => pulumi("up", "--yes", "--skip-preview"));
    },
  },
  {
    name: "plugin-kubernetes-noop",
    unit: "s",
    goal: 4,
    async prepare() {
      const undo = await prepare();
      await pulumi("up", "--yes", "--skip-preview");
      return undo;
    },
    ours: () => seconds(() => pulumi("up", "--yes", "--skip-preview", "--expect-no-changes")),
  },
  { name: "plugin-kubernetes-memory", unit: "MB", goal: 150, runs: 1, prepare, ours: memory },
];

async function prepare(): Promise<() => Promise<void>> {
  server = await startApiServer({ controllerManager: true });
  project = mkdtempSync(join(tmpdir(), "plugin-kubernetes-"));
  const write = (name: string, text: string) => writeFileSync(join(project, name), text);
  const options = "{typescript: false, nodeargs: --import ./toolchain/pulumi/lean-sdk.ts}"; // as this project's own
  write("Pulumi.yaml", `name: bench\nruntime: {name: nodejs, options: ${options}}\nmain: index.ts\n`);
  write("package.json", '{"type": "module", "main": "index.ts"}');
  write(
    "index.ts",
    `import * as k8s from "@pulumi/kubernetes";
const provider = new k8s.Provider("cluster", { kubeconfig: process.env.BENCH_KUBECONFIG, clusterIdentifier: "bench" });
for (let i = 0; i < ${COUNT}; i++) {
  new k8s.core.v1.ConfigMap(\`map-\${i}\`, { data: { number: String(i) } }, { provider });
}
`,
  );
  for (const name of ["node_modules", "toolchain"]) {
    symlinkSync(join(import.meta.dirname, "..", name), join(project, name));
  }
  await pulumi("stack", "init", "bench");
  return async () => {
    await server.stop();
    rmSync(project, { recursive: true, force: true });
  };
}

async function pulumi(...args: string[]): Promise<void> {
  const env = {
    ...process.env,
    PULUMI_BACKEND_URL: `file://${project}`,
    PULUMI_CONFIG_PASSPHRASE: "",
    PULUMI_PARALLEL_DIFF: "true",
    PULUMI_OPTION_NON_INTERACTIVE: "true",
    BENCH_KUBECONFIG: server.kubeconfig,
  };
  const code = await runPulumi(args, { cwd: project, env, stdio: ["ignore", "ignore", "inherit"], quiet: true });
  if (code !== 0) throw new Error(`pulumi ${args.join(" ")}: exit code ${code}`);
}

/** Resident memory after as many objects, made at once. */
async function memory(): Promise<number> {
  const env = { NODE_COMPILE_CACHE: join(project, "compiled"), NODE_OPTIONS: "--max-semi-space-size=2" };
  const start = () => startPlugin("kubernetes", { config: { kubeconfig: server.kubeconfig }, env });
  await (await start())[Symbol.asyncDispose](); // fills the cache, as the first start of an installed plugin does
  await using plugin = await start();
  const inputs = (i: number) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: `memory-${i}` }, data: {} });
  const make = (i: number) => plugin.up("kubernetes:core/v1:ConfigMap", inputs(i));
  await Promise.all(Array.from({ length: COUNT }, (_, i) => make(i)));
  const { stdout } = await promisify(execFile)("ps", ["-o", "rss=", "-p", String(plugin.pid)]);
  return (Number(stdout) * 1024) / 1e6;
}
