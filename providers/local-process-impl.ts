import { existsSync } from "node:fs";
import { sha256 } from "../lib/supervisor/atomic-file.ts";
import { ensureProcess, removeProcess } from "../lib/supervisor/client.ts";
import type { ProcessDescription } from "../lib/supervisor/description.ts";
import { HalfDone, implement } from "./implementation.ts";
import { checkLocalProcess, checkMove, checkPorts } from "./local-process-check.ts";
import { processPaths, remember, removeProcessFiles, writeFiles } from "./local-process-files.ts";
import { observe } from "./local-process-observe.ts";
import { waitUntilReady } from "./local-process-ready.ts";
import type { LocalProcessInputs, LocalProcessOutputs } from "./local-process.ts";

const implemented = implement<LocalProcessInputs, LocalProcessOutputs>({
  inputs: {
    directory: "replace",
    name: "replace",
    program: "update",
    programSha256: "update",
    args: "update",
    env: "update",
    files: "update",
    fileModes: "update",
    address: "update",
    ports: "update",
    probe: "update",
    startSeconds: "ignore",
    stopSeconds: "ignore",
    restart: "update",
  },
  deleteBeforeReplace: true,
  id: ({ directory, name }) => `${directory}/${name}`,
  check: checkLocalProcess,
  async diff(state) {
    const { drift } = await observe(state);
    if (drift.length > 0) console.log(drift.map((sentence) => `${state.name}: ${sentence}`).join("\n"));
    return { changes: drift.length > 0 };
  },
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

/** What a program would put in order for its next start goes with it: two seconds to end its connections must do. */
const deleteSeconds = 2;

/**
 * Contents come in, digests go on: into the state, and into previews, which can so name the file that changes without
 * showing a key. Whoever holds a digest already (a test, an older state) may hand it in as `files`.
 */
export const provider: typeof implemented = {
  ...implemented,
  async check(olds, { contents, ...news }) {
    const { inputs, failures = [] } = await implemented.check(olds, { ...news, files: digests(contents, news.files) });
    return { inputs, failures: [...checkMove(olds ?? {}, news), ...failures] };
  },
};

function digests(contents: unknown, files: unknown): unknown {
  if (typeof contents !== "object" || contents === null) return contents ?? files ?? {};
  return Object.fromEntries(
    Object.entries(contents).map(([key, content]) => [key, content === unknown ? content : remember(content)]),
  );
}

/** How Pulumi marks a value that is not known in a preview (`@pulumi/pulumi/runtime/rpc`, unknownValue). */
const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Brings a process to what is declared, from whatever is there. One that runs already as declared is not touched. */
async function ensure(
  inputs: LocalProcessInputs,
  filesBefore?: LocalProcessInputs["files"],
): Promise<LocalProcessOutputs> {
  const problems = await checkPorts(inputs);
  if (problems.length > 0) throw new Error(problems.map(({ reason }) => reason).join("\n"));
  writeFiles(inputs, filesBefore);
  const description = describe(inputs);
  const { running } = await ensureProcess(inputs.directory, description, inputs.restart);
  const pendingRestart = running !== undefined && running.revision !== description.revision;
  const outputs = { pendingRestart, log: description.log };
  if (pendingRestart) return outputs;
  try {
    await waitUntilReady(inputs, description);
  } catch (error) {
    throw new HalfDone((error as Error).message, outputs, { cause: error });
  }
  return outputs;
}

/** What the supervisor needs to know. */
function describe(inputs: LocalProcessInputs): ProcessDescription {
  const { name, program, programSha256, args, env, files, ports, stopSeconds } = inputs;
  const { own, log } = processPaths(inputs);
  const sorted = (record: Readonly<Record<string, string>>) =>
    Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
  const revision = sha256(JSON.stringify([program, programSha256, args, sorted(env), sorted(files)]));
  return {
    name,
    command: program,
    args,
    env,
    workingDirectory: own,
    log,
    ports: Object.values(ports),
    stopSeconds,
    revision,
  };
}
