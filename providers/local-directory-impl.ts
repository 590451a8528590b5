import { existsSync } from "node:fs";
import { removeAll, startSupervisor } from "../lib/supervisor/client.ts";
import { implement } from "./implementation.ts";
import type { LocalDirectoryInputs } from "./local-directory.ts";
import { checkDirectory } from "./local-process-check.ts";
import { removeProcessFiles } from "./local-process-files.ts";

export const provider = implement<LocalDirectoryInputs, Record<never, never>>({
  inputs: { directory: "replace" },
  id: ({ directory }) => directory,
  check: checkDirectory,
  create: begin,
  async read({ directory }) {
    return existsSync(directory) ? { state: {} } : undefined;
  },
  update: begin,
  async delete({ directory }) {
    const names = await removeAll(directory, 2);
    for (const name of names) removeProcessFiles({ directory, name });
  },
});

/** The processes come a moment later, and find their supervisor waiting. */
async function begin({ directory }: LocalDirectoryInputs) {
  await startSupervisor(directory);
  return {};
}
