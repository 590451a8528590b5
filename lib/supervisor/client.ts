import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { protocol, type Answer, type ProcessDescription, type ProcessStatus, type Request } from "./description.ts";
import { environment, killRemains } from "./instance.ts";
import { isAlive, startOf } from "./identity.ts";
import { namesIn } from "./records.ts";
import { prepareLayout, supervisorLayout, type Layout } from "./layout.ts";

/** What is supervised in a directory; undefined when no supervisor runs there. */
export async function listProcesses(directory: string): Promise<readonly ProcessStatus[] | undefined> {
  const answer = await ask(supervisorLayout(directory), { do: "list" }, 10);
  return answer?.ending === true ? undefined : answer?.processes;
}

/** Keeps a program running as described, from now on; starts a supervisor when there is none. */
export async function ensureProcess(directory: string, description: ProcessDescription): Promise<ProcessStatus> {
  const { processes } = await askWithSupervisor(directory, { do: "ensure", description }, description.stopSeconds);
  return statusOf(processes, description.name);
}

/** Stops a program and starts it as it is wanted now. */
export async function restartProcess(directory: string, name: string, stopSeconds: number): Promise<ProcessStatus> {
  const { processes } = await askWithSupervisor(directory, { do: "restart", name }, stopSeconds);
  return statusOf(processes, name);
}

/** Stops a program for good. With the last one the supervisor ends too, and this waits for that. */
export async function removeProcess(directory: string, name: string, stopSeconds: number): Promise<void> {
  const layout = supervisorLayout(directory);
  if (!existsSync(layout.own)) return killRemains(name, layout.directory);
  const { pid, processes } = await askWithSupervisor(directory, { do: "remove", name, stopSeconds }, stopSeconds);
  if (processes.length === 0) await waitForEnd(pid);
}

/** Starts a supervisor where none runs; it ends by itself when it is given nothing within a minute. */
export function startSupervisor(directory: string): Promise<void> {
  return supervisorRuns(supervisorLayout(directory));
}

/**
 * Stops everything that is supervised in a directory, known to any state or not, and the supervisor.
 *
 * @returns the names of what was there
 */
export async function removeAll(directory: string, stopSeconds: number): Promise<string[]> {
  const layout = supervisorLayout(directory);
  if (!existsSync(layout.own)) return [];
  const { pid } = await askWithSupervisor(directory, { do: "list" }, 0);
  // By the disk: the supervisor does not list a program whose description is lost.
  const names = namesIn(layout.wanted);
  // A supervisor without a program would stay a while, waiting for one.
  if (names.length === 0) await handOver(layout, pid);
  await Promise.all(names.map((name) => removeProcess(directory, name, stopSeconds)));
  // It ends with its last program, and takes what is its own in the directory with it.
  await waitForEnd(pid);
  return names;
}

function statusOf(processes: readonly ProcessStatus[], name: string): ProcessStatus {
  const status = processes.find(({ description }) => description.name === name);
  if (status === undefined) throw new Error(`${name}: the supervisor took it and does not know it any more`);
  return status;
}

const graceSeconds = 30;

/** Asks, starting a supervisor first when none answers, and again when one was just ending. */
async function askWithSupervisor(directory: string, request: Request, stopSeconds: number): Promise<Answer> {
  const layout = supervisorLayout(directory);
  const deadline = Date.now() + (stopSeconds + graceSeconds) * 1000;
  while (Date.now() < deadline) {
    await supervisorRuns(layout);
    const answer = await ask(layout, request, (deadline - Date.now()) / 1000);
    if (answer === undefined || answer.ending === true) continue;
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  }
  throw new Error(
    `${layout.directory}: waited ${stopSeconds + graceSeconds}s for the supervisor to ${request.do}${tail(layout)}`,
  );
}

const starting = new Map<string, Promise<void>>();

/** One start at a time and directory; two programs that start one at once are told apart by its lock. */
function supervisorRuns(layout: Layout): Promise<void> {
  const running = starting.get(layout.directory) ?? makeRun(layout).finally(() => starting.delete(layout.directory));
  starting.set(layout.directory, running);
  return running;
}

const startSeconds = 20;

async function makeRun(layout: Layout): Promise<void> {
  const deadline = Date.now() + startSeconds * 1000;
  let spawned = false;
  let pause = 5;
  while (Date.now() < deadline) {
    const answer = await ask(layout, { do: "list" }, 5);
    if (answer !== undefined && answer.ending !== true) {
      if (answer.protocol === protocol) return;
      await handOver(layout, answer.pid);
    } else if (!spawned) {
      spawnSupervisor(layout);
      spawned = true;
    }
    await sleep(pause);
    pause = Math.min(pause * 1.3, 100);
  }
  throw new Error(`${layout.directory}: waited ${startSeconds}s for a supervisor to start${tail(layout)}`);
}

function spawnSupervisor(layout: Layout): void {
  prepareLayout(layout);
  const log = openSync(layout.log, "a", 0o600);
  const main = fileURLToPath(new URL("main.ts", import.meta.url));
  // Reading TypeScript costs 17 MB that a process never gives back; with a cache only the very first one pays it.
  const cache = fileURLToPath(new URL("../../node_modules/.cache/node-compile-cache", import.meta.url));
  const flags = ["--disable-warning=ExperimentalWarning", "--max-semi-space-size=1", "--optimize-for-size"];
  const child = spawn(process.execPath, [...flags, main, layout.directory], {
    cwd: "/",
    detached: true,
    stdio: ["ignore", log, log],
    env: { ...environment(process.env), NODE_COMPILE_CACHE: cache },
  });
  child.on("error", () => undefined);
  child.unref();
  closeSync(log);
}

/** @returns undefined when nobody answers on the socket. */
function ask(layout: Layout, request: Request, seconds: number): Promise<Answer | undefined> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(layout.socket, () => socket.write(`${JSON.stringify(request)}\n`));
    socket.setEncoding("utf8");
    socket.setTimeout(Math.max(1, seconds) * 1000, () => socket.destroy());
    socket.on("data", (part: string) => (text += part));
    socket.on("error", () => undefined);
    socket.on("close", () => {
      try {
        resolve(text === "" ? undefined : (JSON.parse(text) as Answer));
      } catch (error) {
        reject(new Error(`${layout.socket}: unreadable answer from the supervisor`, { cause: error }));
      }
    });
  });
}

/** Has a supervisor end. One without a program leaves nothing behind, others leave their programs running. */
async function handOver(layout: Layout, pid: number): Promise<void> {
  await ask(layout, { do: "hand-over" }, 5);
  await waitForEnd(pid);
}

const endSeconds = 5;

async function waitForEnd(pid: number): Promise<void> {
  const start = startOf(pid);
  const deadline = Date.now() + endSeconds * 1000;
  while (start !== undefined && isAlive(pid, start) && Date.now() < deadline) await sleep(5);
}

/** The last lines of the supervisor's log, to say why. */
function tail(layout: Layout): string {
  try {
    return `\n${readFileSync(join(layout.log), "utf8").trimEnd().split("\n").slice(-5).join("\n")}`;
  } catch {
    return "";
  }
}
