import { cp, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { execa } from "execa";
import { sweptAtLast } from "../../support/swept.ts";

/** What npm answered; `text` is all it said. */
export interface Answer {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly text: string;
}

const original = join(import.meta.dirname, "../../..");
const own = [".git", ".pulumi", ".karmada", "node_modules", "coverage"];

/** A copy of this checkout, and a user in it without any pulumi settings whose state is kept apart. */
export class CopiedCheckout {
  /** Of the test: the copy is in it, and so is the user's state. */
  readonly directory: string;
  readonly path: string;
  /** What the commands get beside the environment of the tests. */
  readonly env: Record<string, string> = {};

  private constructor(directory: string) {
    this.directory = directory;
    this.path = join(directory, "checkout");
  }

  static async make(name: string): Promise<CopiedCheckout> {
    const copy = new CopiedCheckout(await realpath(await mkdtemp(join(tmpdir(), `${name}-`))));
    sweptAtLast(copy.directory);
    const filter = (source: string) => !own.includes(relative(original, source).split("/")[0]!);
    await cp(original, copy.path, { recursive: true, filter });
    await symlink(await realpath(join(original, "node_modules")), join(copy.path, "node_modules"));
    return copy;
  }

  async npm(...args: string[]): Promise<Answer> {
    const inherited = Object.entries(process.env).filter(([name]) => !/^(PULUMI_|NODE_OPTIONS$)/.test(name));
    const { exitCode, stdout, stderr } = await execa("npm", [...args], {
      cwd: this.path,
      env: { ...Object.fromEntries(inherited), XDG_STATE_HOME: join(this.directory, "state"), ...this.env },
      extendEnv: false,
      reject: false,
      stdin: "ignore",
      timeout: 500_000,
    });
    return { exitCode, stdout, stderr, text: `${stdout}\n${stderr}` };
  }

  /** Says how long it took and what was said. @returns all of it */
  async succeed(...args: string[]): Promise<string> {
    const began = performance.now();
    const { exitCode, text } = await this.npm(...args);
    console.info(`npm ${args.slice(0, 4).join(" ")}: ${((performance.now() - began) / 1000).toFixed(1)} s\n${text}`);
    if (exitCode !== 0) throw new Error(`npm ${args.join(" ")}: exit code ${exitCode}\n${text}`);
    return text;
  }

  async remove(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }
}
