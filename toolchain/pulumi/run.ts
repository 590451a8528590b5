import { spawn } from "node:child_process";
import type { StdioOptions } from "node:child_process";
import { constants } from "node:os";
import { pulumiEnvironment } from "./environment.ts";
import { processStat } from "../process-stat.ts";
import { clearAfterKill, noteRun } from "./killed.ts";
import { withSecretsProvider } from "./secrets-provider.ts";
import { whyFailed } from "./why-failed.ts";

export interface RunOptions {
  /** Where Pulumi.yaml lies. @default the current directory */
  readonly cwd?: string;
  /** @default process.env */
  readonly env?: NodeJS.ProcessEnv;
  /** @default "inherit" */
  readonly stdio?: StdioOptions;
  /** Whether to leave out the line that says which pulumi and plugins run. @default false */
  readonly quiet?: boolean;
  /** Interrupts pulumi, which then ends the operations under way. */
  readonly signal?: AbortSignal;
  /** Once it is aborted pulumi is not started any more; one that runs has the interrupt by itself. */
  readonly unless?: AbortSignal;
}

/**
 * Runs pulumi to its end. Interrupts reach it as they reach this process.
 *
 * @returns its exit code; 128 and the signal's number when a signal ended it
 * @throws when there is no pulumi and none can be had
 */
export async function runPulumi(args: readonly string[], options: RunOptions = {}): Promise<number> {
  const { cwd, env = process.env, stdio = "inherit", quiet = false, signal, unless } = options;
  const command = await pulumiEnvironment({ env, args, ...(cwd !== undefined && { cwd }) });
  if (!quiet) console.error(command.summary);
  const backend = command.env["PULUMI_BACKEND_URL"];
  for (const cleared of await clearAfterKill(backend)) console.error(`pulumi: ${cleared}`);
  const all = await withSecretsProvider(args, command.cwd);
  signal?.throwIfAborted();
  unless?.throwIfAborted();
  const child = spawn(command.path, all, { cwd: command.cwd, env: command.env, stdio });
  const forget = noteRun(child.pid, backend);

  const interrupt = () => void (isInForeground() || child.kill("SIGINT"));
  const terminate = () => void child.kill("SIGTERM");
  const abort = () => void child.kill("SIGINT");
  process.on("SIGINT", interrupt).on("SIGTERM", terminate);
  signal?.addEventListener("abort", abort);
  try {
    const exitCode = await new Promise<number>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, name) => resolve(code ?? 128 + (name ? constants.signals[name] : 0)));
    });
    if (child.signalCode !== null) return exitCode;
    forget();
    const why = exitCode === 0 ? undefined : await whyFailed(command.env, command.cwd, args);
    if (why !== undefined) console.error(`pulumi: ${why}`);
    return exitCode;
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", terminate);
    signal?.removeEventListener("abort", abort);
  }
}

/**
 * Whether this process is in the foreground of a terminal, wherever its standard input comes from. That sends Ctrl-C to
 * pulumi itself as well, and a second interrupt makes it drop what is under way.
 */
function isInForeground(): boolean {
  const stat = processStat(process.pid);
  return stat === undefined ? process.stdin.isTTY : stat.group === stat.foreground;
}
