import { existsSync } from "node:fs";
import { ensureProcess, removeProcess } from "../lib/supervisor/client.ts";
import { processPaths } from "../lib/supervisor/process-paths.ts";
import { withDigests } from "./file-contents.ts";
import { HalfDone, implement } from "./implementation.ts";
import type { LocalProcessInputs, LocalProcessOutputs } from "./local-process.ts";
import { checkLocalProcess, checkPorts } from "./local-process/check.ts";
import { checkData } from "./local-process/data.ts";
import { declaredId, declaredInputs, differenceOf } from "./local-process/declared.ts";
import { describe, revisionOf } from "./local-process/description.ts";
import { removeProcessFiles, writeFiles } from "./local-process/files.ts";
import { observe } from "./local-process/observe.ts";
import { waitUntilReady } from "./local-process/ready.ts";

const implemented = implement<LocalProcessInputs, LocalProcessOutputs>({
  inputs: {
    ...declaredInputs,
    probe: "update",
    startSeconds: "ignore",
    stopSeconds: "ignore",
    // It changes together with the program.
    dataVersion: "ignore",
    follows: "follow",
  },
  deleteBeforeReplace: true,
  id: declaredId,
  check: checkLocalProcess,
  derive: async (inputs, before) => ({ inputs: {}, problems: checkData(inputs, before) }),
  diff: async (state) => differenceOf(state, (await observe(state)).drift),
  create: (inputs) => ensure(inputs),
  async read(state) {
    if (!existsSync(processPaths(state).own)) return undefined;
    const { files, drift } = await observe(state);
    return { state: drift.length > 0 ? { files } : {}, drift };
  },
  update: (inputs, state) => ensure(inputs, state.files),
  async delete(state) {
    await removeProcess(state.directory, state.name, Math.min(state.stopSeconds, deleteSeconds));
    removeProcessFiles(state);
  },
});

/** It needs no time to tidy up, since its state is removed with it: two seconds to end its connections must suffice. */
const deleteSeconds = 2;

export const provider = withDigests(implemented);

/** Brings a process to its declaration, from whatever exists. One that already runs as declared is not touched. */
async function ensure(
  inputs: LocalProcessInputs,
  filesBefore?: LocalProcessInputs["files"],
): Promise<LocalProcessOutputs> {
  const problems = await checkPorts(inputs);
  if (problems.length > 0) throw new Error(problems.map(({ reason }) => reason).join("\n"));
  writeFiles(inputs, filesBefore);
  const description = describe(inputs, revisionOf(inputs));
  await ensureProcess(inputs.directory, description);
  const outputs = { log: description.log };
  try {
    await waitUntilReady(inputs, description);
  } catch (error) {
    throw new HalfDone((error as Error).message, outputs, { cause: error });
  }
  return outputs;
}
