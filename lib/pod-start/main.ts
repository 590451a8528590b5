/**
 * Runs a program of ours in a pod, with whatever Node.js its image has:
 *
 *     node -e <this> -- <program> <tools> <directory> <argument>...
 *
 * The program is one compressed file. The tools it runs, comma-separated names, are in the image of another container
 * of the pod, which has no shell and nothing to copy with; so they are read from there, which a shared process
 * namespace allows (https://kubernetes.io/docs/tasks/configure-pod-container/share-process-namespace/).
 */
import { accessSync, constants, copyFileSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import { setTimeout as sleep } from "node:timers/promises";

/** For a tool to show up in another container. */
const waitSeconds = 300;
const [program = "", tools = "", directory = "", ...args] = process.argv.slice(1);

for (const tool of tools.split(",").filter((name) => name !== "")) await bring(tool);
const file = join(tmpdir(), "program.mjs");
writeFileSync(file, gunzipSync(readFileSync(program)));
process.argv = [process.execPath, file, ...args];
await import(pathToFileURL(file).href);

/** The other container may still have to start: its image is being pulled, or it is restarting. */
async function bring(tool: string): Promise<void> {
  const end = performance.now() + waitSeconds * 1000;
  for (;;) {
    const found = readdirSync("/proc").filter((entry) => /^\d+$/.test(entry) && entry !== String(process.pid));
    const path = found.flatMap((pid) => pathsOf(pid, tool)).find(isExecutable);
    if (path !== undefined) {
      const to = join(directory, tool);
      copyFileSync(path, `${to}.part`);
      renameSync(`${to}.part`, to);
      return;
    }
    if (performance.now() > end) {
      throw new Error(`no other container of this pod has shown ${tool} in ${waitSeconds} s`);
    }
    await sleep(100);
  }
}

/** Where a process finds its programs, as seen from here; nothing for a process of another user. */
function pathsOf(pid: string, tool: string): string[] {
  try {
    const variables = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    const path = variables.find((variable) => variable.startsWith("PATH="))?.slice("PATH=".length) ?? "";
    return path.split(":").map((folder) => join(`/proc/${pid}/root`, folder, tool));
  } catch {
    return [];
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
