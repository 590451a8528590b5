import { accessSync, constants, existsSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { isFree, listenerOn } from "../lib/listener.ts";
import { readJson } from "../lib/supervisor/atomic-file.ts";
import type { ProcessDescription } from "../lib/supervisor/description.ts";
import { isAlive } from "../lib/supervisor/identity.ts";
import type { RunningRecord } from "../lib/supervisor/instance.ts";
import { supervisorLayout } from "../lib/supervisor/layout.ts";
import { isMarked } from "../lib/supervisor/marker.ts";
import type { Problem } from "./implementation.ts";
import type { LocalProcessInputs } from "./local-process.ts";

type Known = Partial<LocalProcessInputs>;

/** Everything that can be said against a process before anything is started; a preview says it too. */
export async function checkLocalProcess(inputs: Known): Promise<Problem[]> {
  return [...checkDirectory(inputs), ...checkFiles(inputs), ...(await checkPorts(inputs))];
}

const reserved = ["logs", ".supervisor"];

/** A directory that cannot be used, and names that are taken in it. */
export function checkDirectory({ directory, name }: Known): Problem[] {
  if (directory === undefined) return [];
  if (!isAbsolute(directory)) return [{ property: "directory", reason: `got "${directory}", want an absolute path` }];
  const problems: Problem[] = [];
  const nearest = nearestExisting(directory);
  try {
    accessSync(nearest, constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    problems.push({
      property: "directory",
      reason: `${directory}: cannot be written to, ${nearest} refuses it (${code})\nchoose another placement.directory, or give yourself write permission`,
    });
  }
  if (name !== undefined && reserved.includes(name)) {
    problems.push({ property: "name", reason: `got "${name}", which names a directory of the supervisor` });
  }
  return problems;
}

function nearestExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExisting(dirname(path));
}

function checkFiles({ files = {} }: Known): Problem[] {
  return Object.keys(files)
    .filter((key) => isAbsolute(key) || key.split("/").includes("..") || key.split("/")[0] === "data")
    .map((key) => ({ property: "files", reason: `got "${key}", want a relative path outside of data/` }));
}

/**
 * A port somebody else listens on. The process's own do not count while it runs, nor do those of other processes of the
 * same deployment: an update that moves a port from one to another ends the first one itself.
 */
export async function checkPorts({ directory, name, address, ports = {} }: Known): Promise<Problem[]> {
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
      const listener = listenerOn(port);
      if (listener.pid !== undefined && isMarked(listener.pid, supervisorLayout(directory).directory)) return [];
      const reason = `${name}: port ${port} (${key}) on ${address} is in use by ${listener.description}\nstop it, or choose another placement.basePort`;
      return [{ property: "ports", reason }];
    }),
  );
  return answers.flat();
}

/** The ports a process has as it runs; none while it does not. */
function ownPorts(directory: string, name: string): readonly number[] {
  const { running, wanted } = supervisorLayout(directory);
  const record = readJson<RunningRecord>(join(running, `${name}.json`));
  if (record === undefined || !isAlive(record.pid, record.start)) return [];
  return readJson<ProcessDescription>(join(wanted, `${name}.json`))?.ports ?? [];
}
