import { execFileSync, spawn } from "node:child_process";
import { createInterface } from "node:readline";

const START_DEADLINE_MS = 30_000;
const STOP_DEADLINE_MS = 10_000;

/** A plugin process that has said its port. */
export interface PluginProcess {
  readonly port: number;
  readonly pid: number;
  /** What it wrote to standard error so far. */
  stderr(): string;
  /** Interrupts it as the engine does and waits for its end. */
  stop(): Promise<{ code: number | null; signal: NodeJS.Signals | null; seconds: number }>;
}

/** Starts a plugin and reads the port from the first line it prints. */
export async function startProcess(
  command: string,
  args: readonly string[],
  { env = {}, cwd }: { env?: Record<string, string>; cwd?: string } = {},
): Promise<PluginProcess> {
  const child = spawn(command, args, { env: { ...process.env, ...env }, cwd, stdio: ["ignore", "pipe", "pipe"] });
  let stderr = "";
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once("exit", (code, signal) => resolve({ code, signal })),
  );
  const port = await new Promise<number>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`${command}: no port within ${START_DEADLINE_MS} ms\n${stderr}`)),
      START_DEADLINE_MS,
    );
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${command}: ended with ${code} before it said a port\n${stderr}`)));
    createInterface(child.stdout).once("line", (line) => {
      clearTimeout(timer);
      resolve(Number(line));
    });
  });
  return {
    port,
    pid: child.pid!,
    stderr: () => stderr,
    async stop() {
      const started = performance.now();
      child.kill("SIGINT");
      const kill = setTimeout(() => child.kill("SIGKILL"), STOP_DEADLINE_MS);
      const end = await exited;
      clearTimeout(kill);
      return { ...end, seconds: (performance.now() - started) / 1000 };
    },
  };
}

/** Whether a process runs; one that has ended but whose end nobody asked for does not. */
export function isRunning(pid: number): boolean {
  try {
    return !execFileSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).startsWith("Z");
  } catch {
    return false; // ps knows no such process
  }
}
