import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { programPath } from "./programs.ts";
import { sweptAtLast } from "./swept.ts";

/** A program that should run has ended. */
export class ProgramEnded extends Error {}

/** A program started for a test. */
export interface Running {
  readonly name: string;
  /** @throws {@link ProgramEnded} when it has ended, with the last lines it wrote */
  expectRunning(): void;
  /** Ends it at once, and returns when it has ended. */
  kill(): Promise<void>;
  /** Asks it to end, and returns when it has. */
  terminate(): Promise<void>;
}

/** Programs of one test, with a directory for their files. */
export class Programs {
  readonly directory: string;
  readonly #running: Running[] = [];
  readonly #last: (() => void)[] = [];

  constructor(directory: string) {
    this.directory = directory;
    sweptAtLast(directory);
  }

  /** Writes a file and gives its path. */
  write(path: string, content: string): string {
    const absolute = join(this.directory, path);
    mkdirSync(dirname(absolute), { recursive: true });
    writeFileSync(absolute, content, { mode: 0o600 });
    return absolute;
  }

  /** `args`: flags by name, or the arguments as they are. `env`: beyond what this process has. */
  async start(
    program: string,
    args: Readonly<Record<string, string | number | boolean>> | readonly string[],
    name = program,
    env: Readonly<Record<string, string>> = {},
  ): Promise<Running> {
    const list = Array.isArray(args) ? args : Object.entries(args).map(([flag, value]) => `--${flag}=${value}`);
    const path = await programPath(program);
    const log = openSync(join(this.directory, `${name}.log`), "a");
    const child = spawn(path, list, {
      stdio: ["ignore", log, log],
      cwd: this.directory,
      env: { ...process.env, ...env },
    });
    closeSync(log);
    const expectRunning = () => {
      if (!hasEnded(child)) return;
      throw new ProgramEnded(
        `${name} ended (${child.signalCode ?? `exit code ${child.exitCode}`}):\n${this.log(name)}`,
      );
    };
    const running = { name, expectRunning, kill: () => end(child, "SIGKILL"), terminate: () => end(child, "SIGTERM") };
    this.#running.push(running);
    return running;
  }

  /** The last lines a program wrote. */
  log(name: string): string {
    return readFileSync(join(this.directory, `${name}.log`), "utf8")
      .split("\n")
      .slice(-15)
      .join("\n");
  }

  async stop(): Promise<void> {
    await Promise.all(this.#running.map((running) => running.kill()));
  }

  /** What to do when they have ended. */
  afterwards(undo: () => void): void {
    this.#last.push(undo);
  }

  /** Ends them and takes their files away. */
  async remove(): Promise<void> {
    await this.stop();
    for (const undo of this.#last.splice(0)) undo();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (hasEnded(child)) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill(signal);
  await ended;
}
