/**
 * Handles files in a pod during a member's restore, run by whatever Node.js its image has:
 *
 * - `await <file> <directory> <seconds>`: removes the directory, and waits until somebody has brought the file.
 * - `receive <file> <bytes> <sha256>`: writes so much of its standard input to the file, which has its name once it is whole.
 * - `send <file>`: writes the file to its standard output.
 * - `hold <seconds>`: waits, so that the pod can be used.
 */
import { createHash } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const [command, ...args] = process.argv.slice(1) as [string, ...string[]];
// The first process of a container ignores signals without a handler.
process.once("SIGTERM", () => process.exit(143));
try {
  await run(command, args);
  process.exit(0);
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}

async function run(name: string, [file = "", second = "", third = ""]: readonly string[]): Promise<void> {
  switch (name) {
    case "await":
      return awaitFile(file, second, Number(third));
    case "receive":
      return receive(file, Number(second), third);
    case "send":
      return send(file);
    case "hold":
      return sleep(Number(file) * 1000);
    default:
      throw new Error(`got the command "${name}", want await, receive, send or hold`);
  }
}

async function awaitFile(file: string, remove: string, seconds: number): Promise<void> {
  await rm(remove, { recursive: true, force: true });
  const end = performance.now() + seconds * 1000;
  while (!existsSync(file)) {
    if (performance.now() > end) throw new Error(`nobody has brought ${file} in ${seconds} s`);
    await sleep(50);
  }
  // When its first process ends, a container kills what still runs in it: the sender of the file would see a failure.
  const patience = performance.now() + 10_000;
  while (performance.now() < patience && (await isRunning(bringerOf(file)))) await sleep(20);
}

/** PID file of the process that received a file. */
function bringerOf(file: string): string {
  return `${file}.bringer`;
}

async function isRunning(file: string): Promise<boolean> {
  try {
    process.kill(Number(await readFile(file, "utf8")), 0);
    return true;
  } catch {
    return false;
  }
}

async function receive(file: string, bytes: number, sha256: string): Promise<void> {
  const part = `${file}.part`;
  const handle = await open(part, "w", 0o600);
  const hash = createHash("sha256");
  let got = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    hash.update(chunk);
    await handle.writeFile(chunk);
    got += chunk.length;
    if (got >= bytes) break;
  }
  await handle.close();
  const digest = hash.digest("hex");
  if (got !== bytes) throw new Error(`${got} bytes came, want ${bytes}`);
  if (digest !== sha256) throw new Error(`the SHA-256 of what came is ${digest}, want ${sha256}`);
  await writeFile(bringerOf(file), String(process.pid));
  await rename(part, file);
}

/** Returns when the last byte has been taken: what a process has still to write when it exits is lost. */
async function send(file: string): Promise<void> {
  const write = promisify<Buffer, void>(process.stdout.write.bind(process.stdout));
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) await write(chunk);
}
