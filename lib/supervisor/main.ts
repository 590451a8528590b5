/**
 * The supervisor of one deployment: `node main.ts <directory>`. Started by the client when it is needed, detached from
 * it; ends when the last program is removed. Ended in any other way, it leaves its programs running: they end only when
 * they are removed, and the next supervisor adopts them.
 */
import { rmSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { connect } from "node:net";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { removeIfEmpty } from "../remove-if-empty.ts";
import { prepareLayout, supervisorLayout, type Layout } from "./layout.ts";
import { tryLock, type Lock } from "./lock.ts";
import { serve } from "./server.ts";
import { Supervisor } from "./supervisor.ts";

const lockSeconds = 15;
const tickSeconds = 5;
/** A supervisor nobody gives anything to within this time was started in vain. */
const idleSeconds = 60;

const layout = supervisorLayout(process.argv[2]!);
process.umask(0o077);
// A disk that is full takes no more lines; programs have to be kept running all the same.
process.stdout.on("error", () => {});
const lock = await takeLock(layout);
if (lock === undefined) process.exit(0);
await run(layout, lock);

/** Two that are started at once: one serves, the other finds the lock taken. One that is just ending gives it up. */
async function takeLock(layout: Layout): Promise<Lock | undefined> {
  const deadline = Date.now() + lockSeconds * 1000;
  while (Date.now() < deadline) {
    prepareLayout(layout);
    const lock = tryLock(layout.lock);
    if (lock !== undefined) return lock;
    await sleep(50);
    if (await isServed(layout.socket)) return undefined;
  }
  return undefined;
}

function isServed(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket, () => resolve(true)).on("error", () => resolve(false));
    connection.on("connect", () => connection.destroy());
  });
}

async function run(layout: Layout, lock: Lock): Promise<void> {
  const supervisor = new Supervisor(layout, log, () => lock.stands());
  log(`supervisor ${process.pid} began`);
  await supervisor.begin();

  const server = serve(supervisor, end);
  prepareLayout(layout);
  rmSync(layout.socket, { force: true });
  server.listen(layout.socket);
  flushCompileCache();

  const began = Date.now();
  setInterval(() => {
    if (!lock.stands()) return leave();
    supervisor.rotateLogs();
    if (supervisor.isEmpty && Date.now() - began > idleSeconds * 1000) end();
  }, tickSeconds * 1000);

  /** Another supervisor may serve at its paths by now, and an orderly end would take the socket there away. */
  function leave(): void {
    log(`supervisor ${process.pid} ends: ${layout.directory} was moved or deleted; its programs run on`);
    process.kill(process.pid, "SIGKILL");
  }

  function end(): void {
    server.close();
    log(`supervisor ${process.pid} ends`);
    if (supervisor.isEmpty) removeTraces(layout);
    else rmSync(layout.socket, { force: true });
    lock.release();
    process.exit(0);
  }
}

function removeTraces(layout: Layout): void {
  rmSync(layout.socket, { force: true });
  rmSync(layout.own, { recursive: true, force: true });
  removeIfEmpty(dirname(layout.socket));
  removeIfEmpty(layout.directory);
}

/** Standard output is the supervisor's log. */
function log(line: string): void {
  process.stdout.write(`${new Date().toISOString()} ${line}\n`);
}
