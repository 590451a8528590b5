import { spawn } from "node:child_process";

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal | undefined;
  readonly deadlineSeconds: number;
  /** Called with each whole line of standard error. */
  readonly onErrorLine?: (line: string) => void;
}

export interface RunResult {
  /** Exit code; -1 when a signal ended it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a command to its end.
 * @throws when it cannot be started (the cause has the system's code), is interrupted, or passes its deadline
 */
export function run(command: string, args: readonly string[], options: RunOptions): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    options.signal?.throwIfAborted();
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: options.env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let stdout = "";
    let stderr = "";
    let line = "";
    let end: Error | undefined;
    const stop = (reason: Error) => {
      end ??= reason;
      child.kill("SIGINT");
      setTimeout(() => child.kill("SIGKILL"), 3_000).unref();
    };
    const deadline = setTimeout(
      () => stop(new Error(`${command} ${args.join(" ")}: not done within ${options.deadlineSeconds}s`)),
      options.deadlineSeconds * 1000,
    );
    const abort = () =>
      stop(options.signal?.reason instanceof Error ? options.signal.reason : new Error("interrupted"));
    options.signal?.addEventListener("abort", abort, { once: true });
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk));
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      stderr += chunk;
      const lines = (line + chunk).split("\n");
      line = lines.pop() ?? "";
      for (const whole of lines) options.onErrorLine?.(whole);
    });
    const cleanUp = () => {
      clearTimeout(deadline);
      options.signal?.removeEventListener("abort", abort);
    };
    child.on("error", (cause) => {
      cleanUp();
      reject(new Error(`${command}: ${cause.message}`, { cause }));
    });
    child.on("close", (code) => {
      cleanUp();
      if (end) reject(end);
      else resolve({ code: code ?? -1, stdout, stderr });
    });
  });
}
