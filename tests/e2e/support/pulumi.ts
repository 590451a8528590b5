import { cp, mkdir, mkdtemp, readFile, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { pulumiEnvironment } from "../../../toolchain/pulumi/index.ts";

const checkout = join(import.meta.dirname, "../../..");

/** A program of tests/e2e/fixtures with a stack, a backend and a directory for what it makes, all its own. */
export interface Project {
  readonly directory: string;
  /** For what the program makes. */
  readonly made: string;
  /** pulumi on the stack; throws with everything it printed when it fails. Standard output. */
  pulumi(args: readonly string[]): Promise<string>;
  /** The same, with what it printed to either stream and its exit code. */
  run(args: readonly string[]): Promise<{ text: string; exitCode: number | undefined }>;
  /** The stack's outputs, secrets in clear. */
  outputs(): Promise<Record<string, string>>;
  /** The state file as it lies on the disk. */
  stateFile(): Promise<string>;
  /** The state, secrets in clear. */
  resources(): Promise<Resource[]>;
  remove(): Promise<void>;
}

export interface Resource {
  readonly urn: string;
  readonly type: string;
  readonly id?: string;
  readonly inputs: Record<string, unknown>;
  readonly outputs: Record<string, unknown>;
}

/**
 * Copies a fixture into a temporary directory, with the checkout's packages, and makes its stack `test`.
 *
 * @param backendUrl where its state is to be @default a directory of its own
 */
export async function createProject(fixture: string, backendUrl?: string): Promise<Project> {
  const root = await realpath(await mkdtemp(join(tmpdir(), `${fixture}-`)));
  const directory = join(root, "program");
  const [backend, made] = [join(root, "backend"), join(root, "made")];
  await cp(join(checkout, "tests", "e2e", "fixtures", fixture), directory, { recursive: true });
  await symlink(join(checkout, "node_modules"), join(directory, "node_modules"));
  await mkdir(backend);
  await mkdir(made);
  const at = new URL(backendUrl ?? `file://${backend}`);
  const { path, env } = await pulumiEnvironment({
    cwd: directory,
    env: { ...process.env, PULUMI_BACKEND_URL: at.href, PULUMI_CONFIG_PASSPHRASE: "only for this test" },
  });
  const start = (args: readonly string[]) =>
    execa(path, [...args, "--non-interactive"], { cwd: directory, env, all: true, reject: false, timeout: 180_000 });
  const pulumi = async (args: readonly string[]) => {
    const { stdout, all, exitCode } = await start(args);
    if (exitCode !== 0) throw new Error(`pulumi ${args.join(" ")}: exit code ${exitCode}\n${all.slice(-4000)}`);
    return stdout;
  };
  await pulumi(["stack", "init", "test"]);
  return {
    directory,
    made,
    pulumi,
    async run(args) {
      const { all, exitCode } = await start(args);
      return { text: all, exitCode };
    },
    async outputs() {
      return JSON.parse(await pulumi(["stack", "output", "--json", "--show-secrets"])) as Record<string, string>;
    },
    stateFile: () => readFile(join(at.pathname, ".pulumi", "stacks", fixture, "test.json"), "utf8"),
    async resources() {
      const exported = await pulumi(["stack", "export", "--show-secrets"]);
      return (JSON.parse(exported) as { deployment: { resources?: Resource[] } }).deployment.resources ?? [];
    },
    remove: () => rm(root, { recursive: true, force: true }),
  };
}
