import { chown, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa, type Options } from "execa";
import { parse, stringify } from "yaml";
import { leanFiles } from "../../../toolchain/pulumi/backend.ts";
import { sweptAtLast } from "../../support/swept.ts";
import { secretsInState } from "./secrets-in-state.ts";

const checkout = join(import.meta.dirname, "../../..");

/** What one run of the pulumi command line printed and how it ended. */
export interface Run {
  readonly exitCode: number;
  /** Both streams, in the order they came. */
  readonly text: string;
}

/** A stack file's keys, without the `karmada:` in front. */
export type StackConfig = Record<string, unknown>;

/** Where a stack's commands run when not simply here. */
export interface Surroundings {
  /** A command that runs the one given after it, for instance `nsenter`. */
  readonly prefix?: readonly string[];
  /** Beyond what this process has. */
  readonly env?: Readonly<Record<string, string>>;
  /** Where this checkout is for them. @default where it is */
  readonly checkout?: string;
  /** The directory that its own is made in. @default that for temporary files */
  readonly directory?: string;
  /** Whose files the stack's own are. @default this process's user */
  readonly owner?: number;
}

/**
 * A stack of this project in a directory of its own: the program is the checkout's (by links), but stack file, state
 * and everything it runs lie in a temporary directory, so that tests neither see nor leave anything elsewhere.
 */
export class TestStack {
  readonly name: string;
  /** Where the placement keeps what it runs. */
  readonly directory: string;
  private readonly root: string;
  private readonly env: Record<string, string>;
  private readonly prefix: readonly string[];
  private readonly checkout: string;
  private readonly owner: number | undefined;
  private forgotten = false;
  config: StackConfig;

  private constructor(root: string, config: StackConfig, surroundings: Surroundings, name = "test") {
    const { prefix = [], env = {}, owner } = surroundings;
    this.root = root;
    this.name = name;
    this.directory = join(root, "run");
    this.config = config;
    this.prefix = prefix;
    this.checkout = surroundings.checkout ?? checkout;
    this.owner = owner;
    this.env = {
      ...env,
      PULUMI_BACKEND_URL: `file://${join(root, "backend")}?${leanFiles}`,
      PULUMI_CONFIG_PASSPHRASE: "only for this test",
    };
  }

  /** A stack that has nothing yet. `basePort` keeps tests that run side by side apart. */
  static async create(config: StackConfig, basePort: number, surroundings: Surroundings = {}): Promise<TestStack> {
    const root = await mkdtemp(join(surroundings.directory ?? tmpdir(), "karmada-e2e-"));
    sweptAtLast(root);
    for (const entry of await readdir(checkout)) {
      if (/^Pulumi\..+\.yaml$|^\.git$|^\.pulumi$/.test(entry)) continue;
      await symlink(join(surroundings.checkout ?? checkout, entry), join(root, entry));
    }
    await mkdir(join(root, "backend"));
    if (surroundings.owner !== undefined)
      for (const path of [root, join(root, "backend")]) await chown(path, surroundings.owner, surroundings.owner);
    const stack = new TestStack(root, config, surroundings);
    stack.config = { placement: { kind: "local", directory: stack.directory, basePort }, ...config };
    const run = await stack.pulumi(["stack", "init", stack.name]);
    if (run.exitCode === 0) return stack;
    await rm(root, { recursive: true, force: true });
    throw new Error(`pulumi stack init: ${run.text}`);
  }

  /** Another stack of the same project, beside this one, for instance one that restores it. `remove` both. */
  async beside(name: string, config: StackConfig): Promise<TestStack> {
    const env = { ...this.env, PULUMI_STACK: name };
    const other = new TestStack(this.root, config, { prefix: this.prefix, env }, name);
    const run = await this.pulumi(["stack", "init", name, "--no-select"]);
    if (run.exitCode !== 0) throw new Error(`pulumi stack init ${name}: ${run.text}`);
    return other;
  }

  /** A secret for the config, encrypted as `pulumi config set --secret` leaves it in a stack file. */
  async secret(text: string): Promise<{ secure: string }> {
    await this.successfully(["config", "set", "--secret", "karmada:secret", "--", text]);
    const written = parse(await readFile(this.configFile, "utf8")) as { config: Record<string, { secure: string }> };
    return written.config["karmada:secret"]!;
  }

  /** The pulumi command line on this stack with the present config; never waits for input. */
  async pulumi(args: string[], options: Parameters<TestStack["start"]>[1] = {}): Promise<Run> {
    await this.writeConfig();
    const { exitCode, all } = await this.start(args, options);
    return { exitCode: exitCode ?? -1, text: all ?? "" };
  }

  /** The same, still running. */
  start(
    [subcommand, ...args]: string[],
    { timeoutSeconds = 300, env = {} }: { timeoutSeconds?: number; env?: Record<string, string> } = {},
  ) {
    return this.command([subcommand!, "--non-interactive", ...args], {
      env,
      all: true,
      reject: false,
      timeout: timeoutSeconds * 1000,
      stdin: "ignore",
    });
  }

  /** Writes the config and brings the stack up; fails the test with pulumi's own words when that fails. */
  async up(...args: string[]): Promise<Run> {
    return this.successfully(["up", "--yes", "--skip-preview", ...args]);
  }

  async preview(...args: string[]): Promise<Run> {
    return this.pulumi(["preview", "--diff", ...args]);
  }

  async refresh(...args: string[]): Promise<Run> {
    return this.successfully(["refresh", "--yes", "--skip-preview", ...args]);
  }

  async successfully(args: string[], options: Parameters<TestStack["start"]>[1] = {}): Promise<Run> {
    const run = await this.pulumi(args, options);
    if (run.exitCode !== 0) throw new Error(`pulumi ${args.join(" ")}: exit code ${run.exitCode}\n${run.text}`);
    return run;
  }

  /** The stack's outputs; secrets in clear. */
  async outputs<T = Record<string, unknown>>(): Promise<T> {
    const { stdout } = await this.command(["stack", "output", "--json", "--show-secrets"], {});
    return JSON.parse(stdout) as T;
  }

  /** The state as pulumi exports it, secrets encrypted unless `--show-secrets` is among the flags. */
  async state(...flags: readonly string[]): Promise<string> {
    return (await this.command(["stack", "export", ...flags], {})).stdout;
  }

  /** A piece of each private key and of each token that the state holds, long enough to be nothing else. */
  async secrets(): Promise<string[]> {
    return secretsInState(await this.state("--show-secrets"));
  }

  /** Where a preview can save its plan, and an `up` find it. */
  get savedPlan(): string {
    return join(this.root, "plan.json");
  }

  /** Where other projects find this stack, and keep what it is to find. */
  get backendUrl(): string {
    return this.env["PULUMI_BACKEND_URL"]!;
  }

  /** Where the backend keeps the state. */
  get stateFile(): string {
    return join(this.root, "backend/.pulumi/stacks/karmada", `${this.name}.json`);
  }

  /** Forgets the stack and touches nothing of what it made, as for one that is somewhere else from now on. */
  async forget(): Promise<void> {
    await this.successfully(["stack", "rm", "--force", "--yes"]);
    this.forgotten = true;
  }

  /** Takes everything away, whatever state it is in; for `afterAll`. */
  async remove(): Promise<void> {
    const run = this.forgotten ? undefined : await this.pulumi(["destroy", "--yes", "--skip-preview"]);
    for (const { pid } of await this.processes()) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // it has ended meanwhile
      }
    }
    // A killed pulumi's plugins notice within two seconds that they are nobody's.
    const left = await noneWithin(5, () => processesNaming(this.root));
    await rm(this.root, { recursive: true, force: true });
    if (left.length > 0) throw new Error(`still running: ${left.map(({ command }) => command).join("\n")}`);
    if (run !== undefined && run.exitCode !== 0)
      throw new Error(`pulumi destroy: exit code ${run.exitCode}\n${run.text}`);
  }

  /** Every process whose working directory, program or arguments lie in this stack's directory. */
  async processes(): Promise<{ pid: number; command: string }[]> {
    return (await processesNaming(this.directory)).filter(({ pid }) => pid !== process.pid);
  }

  private command<T extends Options>(args: readonly string[], options: T) {
    const [program = "node", ...before] = [...this.prefix, "node", join(this.checkout, "toolchain/pulumi/main.ts")];
    const surroundings = {
      cwd: this.root,
      env: { ...this.env, ...options.env },
      preferLocal: true,
      localDir: this.checkout,
    } as const;
    return execa(program, [...before, ...args], { ...options, ...surroundings });
  }

  private async writeConfig(): Promise<void> {
    const salt = (await readSalt(this.configFile)) ?? {};
    const config = Object.fromEntries(Object.entries(this.config).map(([key, value]) => [`karmada:${key}`, value]));
    await writeFile(this.configFile, stringify({ ...salt, config }));
    if (this.owner !== undefined) await chown(this.configFile, this.owner, this.owner);
  }

  private get configFile(): string {
    return join(this.root, `Pulumi.${this.name}.yaml`);
  }
}

/** Asks until the answer is empty, at most so many seconds; the last answer. */
async function noneWithin<T>(seconds: number, ask: () => Promise<T[]>): Promise<T[]> {
  const end = Date.now() + seconds * 1000;
  let found = await ask();
  while (found.length > 0 && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    found = await ask();
  }
  return found;
}

/** Processes of this machine that name a path, told from /proc. */
export async function processesNaming(path: string): Promise<{ pid: number; command: string }[]> {
  const found: { pid: number; command: string }[] = [];
  for (const entry of await readdir("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const command = (await readFile(`/proc/${entry}/cmdline`, "utf8").catch(() => "")).replaceAll("\0", " ").trim();
    const cwd = await readlink(`/proc/${entry}/cwd`).catch(() => "");
    if (`${command} ${cwd}`.includes(path)) found.push({ pid: Number(entry), command });
  }
  return found;
}

async function readSalt(file: string): Promise<{ encryptionsalt: string } | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  const salt = text === undefined ? undefined : (parse(text) as { encryptionsalt?: string })?.encryptionsalt;
  return salt === undefined ? undefined : { encryptionsalt: salt };
}
