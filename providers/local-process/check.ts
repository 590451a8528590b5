import { existsSync } from "node:fs";
import { mkdtemp, rmdir } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ephemeralPorts, isFree, listenerOn } from "../../lib/listener.ts";
import { supervisorLayout } from "../../lib/supervisor/layout.ts";
import { isMarked } from "../../lib/supervisor/marker.ts";
import { runningRecord, wantedDescription } from "../../lib/supervisor/records.ts";
import type { Problem } from "../implementation.ts";
import type { LocalProcessInputs } from "../local-process.ts";

type Known = Partial<LocalProcessInputs>;

/** Everything that can be said against a process before anything is started; a preview says it too. */
export async function checkLocalProcess(inputs: Known, others?: Parameters<typeof checkPorts>[1]): Promise<Problem[]> {
  return [...(await checkDirectory(inputs)), ...checkFiles(inputs), ...(await checkPorts(inputs, others))];
}

const reserved = ["logs", ".supervisor"];

/** A directory that cannot be used, and names that are taken in it. */
export async function checkDirectory({ directory, name }: Known): Promise<Problem[]> {
  if (directory === undefined) return [];
  if (!isAbsolute(directory)) return [{ property: "directory", reason: `got "${directory}", want an absolute path` }];
  const problems: Problem[] = [];
  const nearest = nearestExisting(directory);
  const refusal = await refusalToHold(nearest);
  if (refusal !== undefined) {
    problems.push({
      property: "directory",
      reason: `${directory}: cannot be written to, ${nearest} refuses it (${refusal})\nchoose another placement.directory, or give yourself write permission`,
    });
  }
  if (name !== undefined && reserved.includes(name)) {
    problems.push({ property: "name", reason: `got "${name}", which names a directory of the supervisor` });
  }
  return problems;
}

const answerMilliseconds = 5000;

/**
 * Tried for real: root passes every check of permissions, and a file system can still refuse (/proc, a read-only
 * mount, a full disk) or not answer at all (a network share that is away).
 */
async function refusalToHold(directory: string): Promise<string | undefined> {
  const timer = new AbortController();
  const silence = sleep(answerMilliseconds, `no answer within ${answerMilliseconds / 1000} s`, timer).catch(
    () => undefined,
  );
  try {
    return await Promise.race([tryDirectory(directory), silence]);
  } finally {
    timer.abort();
  }
}

async function tryDirectory(parent: string): Promise<string | undefined> {
  try {
    await rmdir(await mkdtemp(join(parent, ".karmada-try-")));
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}

/** The directory itself, or the one above it that it would be made in. */
export function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));
}

function checkFiles({ files = {} }: Known): Problem[] {
  return Object.keys(files)
    .filter((key) => isAbsolute(key) || key.split("/").includes("..") || key.split("/")[0] === "data")
    .map((key) => ({ property: "files", reason: `got "${key}", want a relative path outside of data/` }));
}

/**
 * A port somebody else listens on. The process's own do not count while it runs, nor do those of `others`, which are
 * processes of the same deployment unless it says otherwise: an update that moves a port from one to another ends the
 * first one itself.
 */
export async function checkPorts(
  { directory, name, address, ports = {} }: Known,
  others: "of the deployment" | "none" = "of the deployment",
): Promise<Problem[]> {
  if (directory === undefined || name === undefined || address === undefined) return [];
  const own = ownPorts(directory, name);
  const answers = await Promise.all(
    Object.entries(ports).map(async ([key, port]): Promise<Problem[]> => {
      if (own.includes(port)) return [];
      try {
        if (await isFree(address, port)) return [];
      } catch (error) {
        return [
          { property: "address", reason: `${name}: nobody can listen on ${address}: ${(error as Error).message}` },
        ];
      }
      // A supervisor that comes back, as after a reboot, starts what it was told to keep running while it is asked here.
      if (ownPorts(directory, name).includes(port)) return [];
      const listener = listenerOn(address, port);
      const layout = supervisorLayout(directory);
      const ours = listener.pid !== undefined && !listener.connection && isMarked(listener.pid, layout.directory);
      if (ours && others === "of the deployment") return [];
      const remedy = ours && !existsSync(layout.own) ? remedyForLeft(layout.directory) : remedyFor(port);
      const reason = `${name}: port ${port} (${key}) on ${address} is in use by ${listener.description}\n${remedy}`;
      return [{ property: "ports", reason }];
    }),
  );
  return answers.flat();
}

/** Its supervisor ends with the directory, its programs do not. */
const remedyForLeft = (directory: string): string =>
  `it is of this deployment, left running when ${directory} was moved or deleted; move that back, or, where it is gone for good, stop it`;

function remedyFor(port: number): string {
  const given = ephemeralPorts();
  if (given === undefined || port < given.first || port > given.last)
    return "stop it, or choose another placement.basePort";
  return `choose another placement.basePort: this machine gives ports from ${given.first} to ${given.last} to outgoing connections`;
}

/** The ports a process has as it runs; none while it does not. */
function ownPorts(directory: string, name: string): readonly number[] {
  if (runningRecord(directory, name) === undefined) return [];
  return wantedDescription(directory, name)?.ports ?? [];
}
