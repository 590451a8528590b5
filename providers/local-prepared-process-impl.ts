import { existsSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { preparedFile, readPrepared, writePrepared } from "../lib/supervisor/prepared.ts";
import { processPaths } from "../lib/supervisor/process-paths.ts";
import { runningRecord } from "../lib/supervisor/records.ts";
import { withDigests } from "./file-contents.ts";
import { implement, type Problem } from "./implementation.ts";
import type { LocalPreparedProcessInputs } from "./local-prepared-process.ts";
import { revisionIfKnown } from "./prepared-revision.ts";
import { checkLocalProcess, checkPorts } from "./local-process/check.ts";
import { declaredId, declaredInputs, differenceOf } from "./local-process/declared.ts";
import { describe, revisionOf } from "./local-process/description.ts";
import { fileDrift, filesAsTheyAre, removeProcessFiles, writeFiles } from "./local-process/files.ts";

interface Outputs {
  readonly log: string;
}

const implemented = implement<LocalPreparedProcessInputs, Outputs>({
  inputs: {
    ...declaredInputs,
    rereads: "update",
    revision: "update",
    stopSeconds: "update",
  },
  deleteBeforeReplace: true,
  id: declaredId,
  check: async (inputs) => [...(await checkLocalProcess(inputs, "none")), ...checkKeys(inputs)],
  diff: (state) => differenceOf(state, driftOf(state)),
  create: (inputs) => prepare(inputs),
  async read(state) {
    if (!existsSync(processPaths(state).own)) return undefined;
    const drift = driftOf(state);
    return { state: drift.length > 0 ? { files: filesAsTheyAre(state) } : {}, drift };
  },
  update: (inputs, state) => prepare(inputs, state.files),
  async delete(state) {
    if (runningRecord(state.directory, state.name) === undefined) return removeProcessFiles(state);
    console.log(`${state.name}: still runs, its data stay until it has ended and the deployment goes`);
  },
});

/** The revision is computed with the digests, so that a preview knows it as soon as it knows the rest. */
export const provider = withDigests(implemented, (inputs) => {
  const { program, programSha256, args, env, files, rereads } = inputs as unknown as LocalPreparedProcessInputs;
  return { revision: revisionIfKnown({ program, programSha256, args, env, files, rereads }, revisionOf) };
});

function checkKeys({ files = {} }: Partial<LocalPreparedProcessInputs>): Problem[] {
  return preparedFile in files ? [{ property: "files", reason: `got "${preparedFile}", which is a name of ours` }] : [];
}

async function prepare(inputs: LocalPreparedProcessInputs, filesBefore?: LocalPreparedProcessInputs["files"]) {
  const problems = await checkPorts(inputs, "none");
  if (problems.length > 0) throw new Error(problems.map(({ reason }) => reason).join("\n"));
  writeFiles(inputs, filesBefore);
  const description = describe(inputs, inputs.revision);
  writePrepared(inputs.directory, description);
  return { log: description.log };
}

function driftOf(state: LocalPreparedProcessInputs): string[] {
  const prepared = readPrepared(state.directory, state.name);
  if (isDeepStrictEqual(prepared, describe(state, state.revision))) return fileDrift(state);
  return [...fileDrift(state), `${preparedFile} ${prepared === undefined ? "is gone" : "was changed by hand"}`];
}
