import { spawn } from "node:child_process";

/** How long a cancelled program may take to end before it is killed. */
const STOP_DEADLINE_MS = 5000;

/**
 * Runs node with what it prints going straight to the user. Aborting interrupts it.
 *
 * @returns the exit code, -1 when a signal ended it, and whether node said that it ran out of memory
 */
export function runNode(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<{ code: number; outOfMemory: boolean }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", "inherit", "pipe"] });
    let outOfMemory = false;
    let killing: NodeJS.Timeout | undefined;
    const stop = () => {
      child.kill("SIGINT");
      killing = setTimeout(() => child.kill("SIGKILL"), STOP_DEADLINE_MS);
    };
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    child.stderr.on("data", (chunk: Buffer) => {
      // The second is what V8 says when the inspector is in use (pulumi/pulumi#16596).
      outOfMemory ||= chunk.includes("<--- Last few GCs --->");
      outOfMemory ||= chunk.includes("Check failed: needs_context && current_scope_ == closure_scope_");
      process.stderr.write(chunk);
    });
    child.once("error", (error) =>
      reject(new Error(`Problem executing program (could not run language executor): ${error.message}`)),
    );
    const end = (code: number | null) => {
      clearTimeout(killing);
      signal.removeEventListener("abort", stop);
      resolve({ code: code ?? -1, outOfMemory });
    };
    child.once("close", end);
    // A process the program left behind may hold standard error open.
    child.once("exit", (code) => setTimeout(() => end(code), STOP_DEADLINE_MS).unref());
  });
}
