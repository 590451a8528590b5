import { isAbsolute } from "node:path";
import { hostAt } from "../lib/hosts/hosts.ts";
import { hostProcessPaths, programPath, unitOf } from "../lib/hosts/layout.ts";
import {
  linkScript,
  observeProcess,
  removeProcess,
  replaceFile,
  writeScript,
  type FoundProcess,
} from "../lib/hosts/process.ts";
import { sha256 } from "../lib/supervisor/atomic-file.ts";
import { contentOf, digests } from "./file-contents.ts";
import { isOtherHost } from "./host-identity.ts";
import { differingFiles, driftOf, modeOf } from "./host-process-drift.ts";
import { waitUntilReady } from "./host-process-ready.ts";
import { unitOfProcess } from "./host-process-unit.ts";
import type { HostProcessInputs, HostProcessOutputs } from "./host-process.ts";
import { HalfDone, implement } from "./implementation.ts";

const implemented = implement<HostProcessInputs, HostProcessOutputs>({
  inputs: {
    host: "update",
    name: "replace",
    component: "replace",
    program: "update",
    programSha256: "update",
    args: "update",
    env: "update",
    files: "update",
    fileModes: "update",
    rereads: "update",
    probe: "update",
    startSeconds: "ignore",
    stopSeconds: "update",
    memoryBytes: "update",
    cores: "update",
    notifies: "update",
  },
  deleteBeforeReplace: true,
  id: ({ host, name }) => `${host.name}/${name}`,
  check: ({ files = {} }) =>
    Object.keys(files)
      .filter((key) => isAbsolute(key) || key.split("/").includes("..") || /\s/.test(key))
      .map((key) => ({ property: "files", reason: `got "${key}", want a relative path without spaces` })),
  diff: ({ host }, inputs) => ({ replaces: isOtherHost(host, inputs.host) ? ["host"] : [] }),
  create: (inputs) => ensure(inputs),
  async read(state) {
    const found = await observeProcess(hostAt(state.host), state.name, Object.keys(state.files));
    if (found.unit === undefined && Object.keys(found.files).length === 0) return undefined;
    return { state: {}, drift: driftOf(state, found) };
  },
  update: (inputs, state) => ensure(inputs, state.files),
  delete: ({ host, name, component, stopSeconds }) =>
    removeProcess(hostAt(host), name, component, Math.min(stopSeconds, deleteSeconds)),
});

/** What a program would put in order for its next start goes with it. */
const deleteSeconds = 2;

/** Contents come in, digests go on: into the state, and into previews, which name the file that changes. */
export const provider: typeof implemented = {
  ...implemented,
  check: (olds, { contents, ...news }) => implemented.check(olds, { ...news, files: digests(contents, news.files) }),
};

/** Brings a process to what is declared, from whatever is there. One that runs already as declared is not touched. */
async function ensure(inputs: HostProcessInputs, before: HostProcessInputs["files"] = {}): Promise<HostProcessOutputs> {
  const host = hostAt(inputs.host);
  const found = await observeProcess(host, inputs.name, Object.keys(inputs.files));
  const { revision, text } = unitOfProcess(inputs);
  const outputs = { revision, unit: unitOf(inputs.name) };
  const gone = Object.keys(before).filter((key) => !(key in inputs.files));
  if (gone.length > 0 || driftOf(inputs, found).length > 0) {
    await host.run(`setting up ${inputs.name}`, script(inputs, found, gone, text, revision), {
      seconds: inputs.stopSeconds + 60,
    });
  }
  try {
    await waitUntilReady(host, inputs, revision);
  } catch (error) {
    throw new HalfDone((error as Error).message, outputs, { cause: error });
  }
  return outputs;
}

/** All that differs, in one go: what is there already is left alone. */
function script(
  inputs: HostProcessInputs,
  found: FoundProcess,
  gone: readonly string[],
  text: string,
  revision: string,
): string {
  const { name, component, program, programSha256 } = inputs;
  const { unit, unitFile } = hostProcessPaths(name);
  const files = differingFiles(inputs, found).map((key) => ({
    key,
    content: contentOf(inputs.files[key]!, `${name}: ${key}`),
    mode: modeOf(inputs, key),
  }));
  const isLinked = found.program === programPath(programSha256, program);
  return [
    writeScript({ name, component, files, gone }),
    ...(isLinked ? [] : [linkScript(name, { name: program, sha256: programSha256 })]),
    ...(found.unit === sha256(text)
      ? []
      : [replaceFile(unitFile, text, "644", "root:root"), "systemctl daemon-reload"]),
    ...(found.enabled ? [] : [`systemctl enable --quiet ${unit}`]),
    // A program that never comes to serve must not hold the connection: whoever waits for it asks its probe.
    ...(found.pid !== undefined && found.revision === revision
      ? []
      : [`systemctl reset-failed ${unit} 2>/dev/null || true`, `systemctl restart --no-block ${unit}`]),
  ].join("\n");
}
