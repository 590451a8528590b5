import { restartForDropIns } from "../lib/hosts/drop-ins.ts";
import { observeOrBegin } from "../lib/hosts/found-on-host.ts";
import type { FoundProcess } from "../lib/hosts/found.ts";
import { hostAt } from "../lib/hosts/hosts.ts";
import { hostProcessPaths, programPath, unitOf, userOf } from "../lib/hosts/layout.ts";
import { endOtherReplicas, linkScript, removeProcess, takeUp, takeUpNew } from "../lib/hosts/process.ts";
import { replaceFile } from "../lib/hosts/replace-files.ts";
import { sha256 } from "../lib/sha256.ts";
import { withDigests } from "./file-contents.ts";
import type { HostProcessInputs, HostProcessOutputs } from "./host-process.ts";
import { declaredId, declaredInputs, declaredPlace, otherHost } from "./host-process/declared.ts";
import { accountDrift, driftOf, driftSince, isEdited } from "./host-process/drift.ts";
import { checkFiles, filesScript, goneFiles } from "./host-process/files.ts";
import { observe, readProcess } from "./host-process/observe.ts";
import { isReady, waitUntilReady } from "./host-process/ready.ts";
import { unitOfProcess } from "./host-process/unit.ts";
import { warnOfHands } from "./hosts/changed-by-hand.ts";
import { staysByOtherAddress } from "./hosts/other-address.ts";
import { removeWhereReachable } from "./hosts/out-of-reach.ts";
import { HalfDone, implement } from "./implementation.ts";
import { sparingDeclared } from "./still-declared.ts";

const implemented = implement<HostProcessInputs, HostProcessOutputs>({
  inputs: { ...declaredInputs, probe: "update", startSeconds: "ignore", follows: "follow" },
  deleteBeforeReplace: true,
  id: declaredId,
  check: (inputs) => checkFiles(inputs),
  derive: async (inputs, before) => {
    await warnOfHands(inputs, before, driftSince);
    return { inputs: {} };
  },
  diff: otherHost,
  create: (inputs) => begin(inputs),
  read: (state) => readProcess(state, driftOf),
  update: (inputs, state) => ensure(inputs, state.files),
  delete: (state) =>
    removeWhereReachable(state.host, async () => {
      if (await staysByOtherAddress(state)) return;
      await removeProcess(hostAt(state.host), state, Math.min(state.stopSeconds, deleteSeconds));
    }),
});

/** It needs no time to tidy up: its state is removed with it. */
const deleteSeconds = 2;

export const provider = sparingDeclared(withDigests(implemented), declaredPlace);

/** Brings a process to its declaration: with one command if nothing of it exists, else from what there is. */
async function begin(inputs: HostProcessInputs): Promise<HostProcessOutputs> {
  const { host, name, component } = inputs;
  const fromNothing = script(inputs, nothing, []);
  const found = await observeOrBegin(hostAt(host), name, userOf(component), fromNothing, setUpSeconds(inputs));
  if (found !== undefined) await change(inputs, found);
  return untilReady(inputs);
}

/** Brings a process to its declaration from whatever is there. One that already runs as declared is not touched. */
async function ensure(inputs: HostProcessInputs, before: HostProcessInputs["files"]): Promise<HostProcessOutputs> {
  await change(inputs, await observe(inputs), goneFiles(before, inputs));
  return untilReady(inputs);
}

async function change(inputs: HostProcessInputs, found: FoundProcess, gone: readonly string[] = []): Promise<void> {
  const { host, name } = inputs;
  if (gone.length === 0 && driftOf(inputs, found).length === 0 && !hasFailed(found)) return readDropIns(inputs);
  await hostAt(host).run(`setting up ${name}`, script(inputs, found, gone), { seconds: setUpSeconds(inputs) });
}

/** What runs as declared may lack what a drop-in gives it, as after an `up` before that. One that is ready lacks nothing. */
async function readDropIns(inputs: HostProcessInputs): Promise<void> {
  const host = hostAt(inputs.host);
  const { revision } = unitOfProcess(inputs);
  if (await isReady(host, inputs, revision)) return;
  const dropIns = await restartForDropIns(host, inputs.name, setUpSeconds(inputs));
  if (dropIns !== undefined)
    console.log(`${host.label}: ${inputs.name} was started before ${dropIns}: starting it again`);
}

/** Another replica may have to stop first. */
const setUpSeconds = ({ stopSeconds }: HostProcessInputs): number => stopSeconds + 60;

async function untilReady(inputs: HostProcessInputs): Promise<HostProcessOutputs> {
  const { revision } = unitOfProcess(inputs);
  const outputs = { revision, unit: unitOf(inputs.name) };
  try {
    await waitUntilReady(hostAt(inputs.host), inputs, revision);
  } catch (error) {
    throw new HalfDone((error as Error).message, outputs, { cause: error });
  }
  return outputs;
}

/** A process of which nothing exists. */
const nothing: FoundProcess = { files: {}, state: "inactive", result: "success", enabled: false, restarts: 0 };

/** Everything that differs, in one go: what is already right is left alone. */
function script(inputs: HostProcessInputs, found: FoundProcess, gone: readonly string[]): string {
  const { name, program, programSha256 } = inputs;
  const { unit, unitFile } = hostProcessPaths(name);
  const { revision, text } = unitOfProcess(inputs);
  const isLinked = found.program === programPath(programSha256, program);
  // systemd may not know yet of a unit whose text is in place, if an `up` was interrupted in between.
  const isTakenUp = found.unit === sha256(text) && found.enabled && found.revision === revision;
  return [
    // Another replica that is about to move away has the ports, or has had them since an `up` that failed for that.
    ...(found.pid === undefined || hasFailed(found) ? [endOtherReplicas(name, inputs.component)] : []),
    filesScript(inputs, found, gone),
    ...(isLinked ? [] : [linkScript(name, { name: program, sha256: programSha256 }, found === nothing)]),
    ...(found.unit === sha256(text) ? [] : [replaceFile(unitFile, text, "644", "root:root", found.unit === undefined)]),
    ...(isTakenUp ? [] : [found === nothing ? takeUpNew(unit) : takeUp(unit)]),
    ...startScript(inputs, found, revision),
  ].join("\n");
}

/** Starts it, unless what runs is as declared. */
function startScript(inputs: HostProcessInputs, found: FoundProcess, revision: string): string[] {
  const { unit, unitFile } = hostProcessPaths(inputs.name);
  const isOfRevision = found.pid !== undefined && found.revision === revision;
  if (isOfRevision && accountDrift(inputs, found).length === 0 && !isEdited(inputs, found)) return [];
  return [
    // What mends it may be a drop-in that systemd has not read.
    ...(hasFailed(found) ? [`[ ! -e ${unitFile}.d ] || systemctl daemon-reload`] : []),
    ...(hasFailed(found) ? [`systemctl reset-failed ${unit} 2>/dev/null || true`] : []),
    // It answers the probe until it ends, and by its revision nobody could tell it from the next one.
    ...(isOfRevision ? [`systemctl stop ${unit}`] : []),
    // A program that never serves must not hold the connection: readiness is determined by its probe.
    `systemctl restart --no-block ${unit}`,
  ];
}

/** systemd may have given up on it, or have counted many exits. */
const hasFailed = ({ state, restarts }: FoundProcess): boolean => state === "failed" || restarts > 0;
