import { spawn, type ChildProcessWithoutNullStreams, type SpawnOptions } from "node:child_process";
import type https from "node:https";
import type { KubeConfig } from "@kubernetes/client-node";
import { messageOf } from "../wait.ts";
import { UnreachableError } from "./error.ts";
import { execInfo } from "./exec-info.ts";
import type { Connection } from "./kubeconfig.ts";

/**
 * The credentials of a kubeconfig's user, as the vendor's library finds them. A program that provides them (`exec`) has
 * a time limit and no terminal: the library would wait for it without end, and does not report one that fails silently.
 *
 * @throws UnreachableError naming the server, the program and its outcome, with a code that stops retries
 */
export async function logIn(config: KubeConfig, connection: Connection, seconds = 30): Promise<https.RequestOptions> {
  const options: https.RequestOptions = {};
  const run: Run = { said: "", isLate: false };
  const late = Promise.withResolvers<never>();
  watch(config, connection, run);
  const timer = setTimeout(() => {
    run.isLate = true;
    end(run);
    late.reject(new Error("no end"));
  }, seconds * 1000);
  try {
    await Promise.race([config.applyToHTTPSOptions(options), late.promise]);
    return options;
  } catch (error) {
    const message = `${connection.server}: ${sentence(config, run, error, seconds)}`;
    throw new UnreachableError(message, "ERR_LOGIN", { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** A run of a login program. */
interface Run {
  program?: ChildProcessWithoutNullStreams;
  said: string;
  isLate: boolean;
}

/** The library's authenticator for exec plugins starts them with `execFn`. */
type Starter = (command: string, args?: readonly string[], options?: SpawnOptions) => ChildProcessWithoutNullStreams;

/** Private parts of the library that are needed. */
interface Library {
  readonly authenticators?: { execFn?: Starter }[];
  readonly agentCache?: Map<string, unknown>;
}

function watch(config: KubeConfig, connection: Connection, run: Run): void {
  const start: Starter = (command, args = [], options = {}) => {
    // In a process group of its own, so that what a wrapper started ends with it.
    const env = { ...(options.env ?? process.env), ...execInfo(config, connection) };
    const program = spawn(command, args, { ...options, env, stdio: "pipe", detached: true });
    program.stdin.on("error", () => undefined).end();
    program.stderr.on("data", (data: Buffer | string) => (run.said = `${run.said}${data}`.slice(-shown)));
    run.program = program;
    return program;
  };
  const { authenticators = [], agentCache } = config as unknown as Library;
  // It caches an agent with the certificate of the first login.
  agentCache?.clear();
  for (const each of authenticators) if (each.execFn !== undefined) each.execFn = start;
}

/** Characters at the end of a program's output that are shown. */
const shown = 500;

function end({ program }: Run): void {
  if (program?.pid === undefined) return;
  try {
    process.kill(-program.pid, "SIGKILL");
  } catch {
    // It has just ended by itself.
  }
}

/** Its arguments and its standard output are not repeated: they may hold secrets. */
function sentence(config: KubeConfig, { program, said, isLate }: Run, error: unknown, seconds: number): string {
  const { exec, authProvider } = (config.getCurrentUser() ?? {}) as {
    readonly exec?: { readonly command?: string };
    readonly authProvider?: { readonly name?: string };
  };
  const by = exec?.command ?? authProvider?.name ?? "the kubeconfig";
  if (program === undefined)
    return `cannot log in by ${by}: ${isLate ? `no answer in ${seconds} s` : messageOf(error)}`;
  const words = said.trim().replaceAll(/\s*\n\s*/g, "; ");
  const what = outcome(program, isLate, error, seconds);
  return `cannot log in by ${by}, as its kubeconfig says: ${what}${words === "" ? "" : `: ${words}`}`;
}

function outcome(program: ChildProcessWithoutNullStreams, isLate: boolean, error: unknown, seconds: number): string {
  const { exitCode, signalCode, pid } = program;
  if (isLate) return `it had not ended after ${seconds} s, and nobody answers what it asks; log in by it before`;
  if (pid === undefined)
    return (error as NodeJS.ErrnoException).code === "ENOENT"
      ? "there is no such program on this machine; install it, or give a kubeconfig that needs none"
      : messageOf(error);
  if (signalCode !== null) return `it was ended by ${signalCode}`;
  if (exitCode !== 0) return `it ended with exit code ${exitCode}`;
  return "it printed no ExecCredential with a status";
}
