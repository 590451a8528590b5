import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { listProcesses, removeProcess } from "../../../lib/supervisor/client.ts";
import type { ProcessDescription, ProcessStatus } from "../../../lib/supervisor/description.ts";
import { markedProcesses } from "../../../lib/supervisor/marker.ts";
import { sweptAtLast } from "../../support/swept.ts";

/** A directory for one test's deployment, and what is needed to look into it. */
export class Deployment {
  readonly directory = join(realpathSync(mkdtempSync(join(tmpdir(), "supervised-"))), "dev");

  constructor() {
    sweptAtLast(dirname(this.directory));
  }

  /** A program written in JavaScript; what is not given is the quietest choice. */
  program(name: string, code: string, change: Partial<ProcessDescription> = {}): ProcessDescription {
    return {
      name,
      command: process.execPath,
      args: ["-e", code],
      env: {},
      workingDirectory: join(this.directory, name),
      log: join(this.directory, "logs", `${name}.log`),
      ports: [],
      stopSeconds: 5,
      revision: "1",
      ...change,
    };
  }

  async status(name: string): Promise<ProcessStatus | undefined> {
    return (await listProcesses(this.directory))?.find(({ description }) => description.name === name);
  }

  async pid(name: string): Promise<number | undefined> {
    return (await this.status(name))?.running?.pid;
  }

  /** Programs of this deployment that run, whoever knows of them. */
  running(name?: string): number[] {
    return markedProcesses(this.directory, name);
  }

  supervisors(): number[] {
    return processesWith(["lib/supervisor/main.ts", this.directory]);
  }

  log(name: string): string {
    return readFileSync(join(this.directory, "logs", `${name}.log`), "utf8");
  }

  /** Waits until a program has written this. */
  async logged(name: string, text: string): Promise<void> {
    await until(
      `${name} to write ${text}`,
      () => this.log(name),
      (log) => log.includes(text),
    );
  }

  supervisorLog(): string {
    return readFileSync(join(this.directory, ".supervisor", "supervisor.log"), "utf8");
  }

  async clear(): Promise<void> {
    for (const { description } of (await listProcesses(this.directory)) ?? []) {
      await removeProcess(this.directory, description.name, 0);
    }
    for (const pid of [...this.supervisors(), ...this.running()]) process.kill(pid, "SIGKILL");
    rmSync(join(this.directory, ".."), { recursive: true, force: true });
  }
}

/** Runs until stopped. */
export const quiet = "setInterval(() => {}, 1000)";

/** Runs until killed, and says when it is up and when it is asked to stop. */
export const deaf = `process.on("SIGTERM", () => console.log("asked")); ${quiet}; console.log("up")`;

/** Waits for something to become true, and fails with what it is instead. */
export async function until<T>(what: string, look: () => T | Promise<T>, good: (value: T) => boolean): Promise<T> {
  const deadline = Date.now() + 20_000;
  let value = await look();
  while (!good(value)) {
    if (Date.now() > deadline) throw new Error(`waited 20s for ${what}; it is ${JSON.stringify(value)}`);
    await sleep(20);
    value = await look();
  }
  return value;
}

function processesWith(words: readonly string[]): number[] {
  return execFileSync("ps", ["-ww", "-eo", "pid=,stat=,args="], { encoding: "utf8" })
    .split("\n")
    .map((line) => /^\s*(\d+) (\S+)\s+(.*)$/.exec(line))
    .filter((found) => found !== null && !found[2]!.startsWith("Z"))
    .filter((found) => words.every((word) => found![3]!.includes(word)) && !found![3]!.includes("jest"))
    .map((found) => Number(found![1]));
}
