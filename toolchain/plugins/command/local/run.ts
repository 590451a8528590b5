import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";
import type { Properties } from "../../server/index.ts";
import type { Run } from "../command-type.ts";
import { goQuote } from "../go-quote.ts";
import { OutputCollector } from "../output.ts";
import { previousOutput } from "../previous-output.ts";
import { findAssets } from "./assets.ts";
import { assetArchive } from "./asset-archive.ts";
import { startError } from "./start-error.ts";

/**
 * Runs a command to its end; cancelling kills it.
 * @throws Error with the command and all it wrote when it does not end with status 0
 */
export async function runLocally({ command, inputs, previous, log, signal }: Run): Promise<Properties> {
  const [program = "/bin/sh", ...args] = interpreter(inputs);
  const dir = (inputs["dir"] as string | undefined) ?? process.cwd();
  const child = start(program, [...args, command], dir, { inputs, previous });
  if (child instanceof Error) {
    throw new Error(`${await startError(child, program, dir)}: running ${goQuote(command)}:\n`);
  }
  const collected = new OutputCollector(
    { stdout: child.stdout!, stderr: child.stderr! },
    inputs["logging"] as string,
    log,
  );
  child.stdin?.on("error", () => {}); // a command need not read what it is given
  child.stdin?.end(inputs["stdin"]);
  const kill = () => child.kill("SIGKILL");
  signal.addEventListener("abort", kill, { once: true });
  const failure = await ended(child, program, dir).finally(() => signal.removeEventListener("abort", kill));
  const output = collected.finish();
  if (failure !== undefined) throw new Error(`${failure}: running ${goQuote(command)}:\n${collected.everything()}`);
  return { ...output, ...(await files(inputs, dir)) };
}

/** The process, or what kept it from starting where Node says so at once. */
function start(
  program: string,
  args: readonly string[],
  dir: string,
  { inputs, previous }: Pick<Run, "inputs" | "previous">,
): ChildProcess | Error {
  const environment = inputs["environment"] as Record<string, string> | undefined;
  try {
    return spawn(program, args, {
      cwd: dir,
      env: { ...process.env, ...environment, ...previousOutput(inputs, previous) },
      stdio: [inputs["stdin"] ? "pipe" : "ignore", "pipe", "pipe"],
    });
  } catch (error) {
    return error as Error;
  }
}

function interpreter(inputs: Properties): readonly string[] {
  const configured = (inputs["interpreter"] as readonly string[] | undefined) ?? [];
  if (configured.length > 0) return configured;
  return process.platform === "win32" ? ["cmd", "/C"] : ["/bin/sh", "-c"];
}

/** `undefined` for status 0, otherwise what happened in Go's words. */
function ended(child: ChildProcess, program: string, dir: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    child.once("error", (error) => void startError(error, program, dir).then(resolve));
    child.once("close", (code, signal) => {
      if (signal) resolve(`signal: ${SIGNAL_NAMES[signal] ?? `signal ${constants.signals[signal]}`}`);
      else if (code !== null && code >= 0) resolve(code === 0 ? undefined : `exit status ${code}`);
    });
  });
}

const SIGNAL_NAMES: Partial<Record<NodeJS.Signals, string>> = {
  SIGHUP: "hangup",
  SIGINT: "interrupt",
  SIGQUIT: "quit",
  SIGABRT: "aborted",
  SIGKILL: "killed",
  SIGSEGV: "segmentation fault",
  SIGPIPE: "broken pipe",
  SIGTERM: "terminated",
};

async function files(inputs: Properties, dir: string): Promise<Properties> {
  const assets = inputs["assetPaths"] as readonly string[] | undefined;
  const archive = inputs["archivePaths"] as readonly string[] | undefined;
  return {
    ...(assets && { assets: await findAssets(dir, assets) }),
    ...(archive && { archive: await assetArchive(await findAssets(dir, archive)) }),
  };
}
