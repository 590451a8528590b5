import { dataVariable } from "../lib/etcd/bootstrap-variables.ts";
import type { FoundProcess } from "../lib/hosts/found.ts";
import { CommandFailed } from "../lib/hosts/host.ts";
import { hostAt } from "../lib/hosts/hosts.ts";
import { hostProcessPaths, programPath, unitOf } from "../lib/hosts/layout.ts";
import { installPrepared, preparedFiles } from "../lib/hosts/prepared.ts";
import { accessOf, dataRefusal, removeProcess } from "../lib/hosts/process.ts";
import { replaceFile } from "../lib/hosts/replace-files.ts";
import { Unreachable } from "../lib/hosts/transport.ts";
import { sha256 } from "../lib/sha256.ts";
import { messageOf } from "../lib/wait.ts";
import { withDigests } from "./file-contents.ts";
import type { HostPreparedProcessInputs } from "./host-prepared-process.ts";
import { declaredId, declaredInputs, declaredPlace, otherHost, type Declared } from "./host-process/declared.ts";
import { accountDrift, dataDrift, isEdited, unitDrift } from "./host-process/drift.ts";
import { checkFiles, fileDrift, filesScript, goneFiles } from "./host-process/files.ts";
import { observe, readProcess } from "./host-process/observe.ts";
import { revisionAgain, unitOfProcess } from "./host-process/unit.ts";
import { aboutToPutBack, warnOfHands } from "./hosts/changed-by-hand.ts";
import { isOtherHost } from "./hosts/identity.ts";
import { staysByOtherAddress } from "./hosts/other-address.ts";
import { removeWhereReachable } from "./hosts/out-of-reach.ts";
import { type Before, implement, type Problem } from "./implementation.ts";
import { revisionIfKnown } from "./prepared-revision.ts";
import { isDeclaredAt, notingDeclared } from "./still-declared.ts";

interface Outputs {
  readonly unit: string;
}

const implemented = implement<HostPreparedProcessInputs, Outputs>({
  inputs: { ...declaredInputs, revision: "update", timesEdited: "ignore" },
  deleteBeforeReplace: true,
  id: declaredId,
  check: (inputs) => checkFiles(inputs, Object.values(preparedFiles)),
  derive: async (inputs, before) => {
    await warnOfHands(inputs, before, driftSince);
    return { inputs: await countEdits(inputs, before), problems: await checkData(inputs, before.inputs) };
  },
  diff: otherHost,
  create: (inputs) => prepare(inputs),
  read: (state) => readProcess(state, driftOf),
  update: (inputs, state) => prepare(inputs, state.files),
  // A host that got another name still has it: what differs is written over, and its data stay.
  async delete(state) {
    if (isDeclaredAt(declaredPlace(state))) return;
    await removeWhereReachable(state.host, () => remove(state));
  },
});

/** The revision is computed with the digests, so that a preview knows it as soon as it knows the rest. */
export const provider = notingDeclared(
  withDigests(implemented, (inputs) => {
    const { host: _, ...parts } = inputs as unknown as Declared;
    return { revision: revisionIfKnown(parts, (parts) => unitOfPrepared(parts).revision) };
  }),
  declaredPlace,
);

/** A revision that is unknown in a preview is left so. */
async function countEdits(
  inputs: Partial<HostPreparedProcessInputs>,
  before: Before<HostPreparedProcessInputs>,
): Promise<Partial<HostPreparedProcessInputs>> {
  const found = await aboutToPutBack(inputs, before);
  const edited = found !== undefined && isEditedSince(before.inputs as HostPreparedProcessInputs, found);
  const timesEdited = (before.inputs?.timesEdited ?? 0) + Number(edited);
  if (timesEdited === 0) return {};
  const { revision } = inputs;
  return { timesEdited, ...(revision !== undefined && { revision: revisionAgain(revision, timesEdited) }) };
}

function isEditedSince(before: HostPreparedProcessInputs, found: FoundProcess): boolean {
  const { text, revision } = unitOfPrepared(before);
  return found.revision === revision && isEdited(before, found, text);
}

/** Another directory is refused already in the preview while the data lie elsewhere. */
async function checkData(
  { host, name, dataDirectory }: Partial<Declared>,
  before: Partial<Declared> | undefined,
): Promise<Problem[]> {
  if (host === undefined || name === undefined || before === undefined) return [];
  if (dataDirectory === before.dataDirectory || isOtherHost(host, before.host)) return [];
  try {
    await hostAt(host).run(`looking for the data of ${name}`, dataRefusal(name, dataDirectory));
  } catch (error) {
    if (error instanceof CommandFailed) return [{ property: "dataDirectory", reason: messageOf(error) }];
    if (!(error instanceof Unreachable)) throw error;
  }
  return [];
}

async function remove(state: Declared): Promise<void> {
  const { host, name, stopSeconds } = state;
  if (await staysByOtherAddress(state)) return;
  const { pid } = await observe(state);
  if (pid === undefined) return removeProcess(hostAt(host), state, stopSeconds);
  console.log(`${name}: still runs on ${host.name}, so it and its data stay there\nend it, and remove it by hand`);
}

/**
 * Writes what differs. What runs is not touched, except that its installed unit is corrected if it differs from the
 * prepared one.
 */
async function prepare(inputs: HostPreparedProcessInputs, before: Declared["files"] = {}): Promise<Outputs> {
  const { name, component } = inputs;
  const found = await observe(inputs);
  const gone = goneFiles(before, inputs);
  if (gone.length > 0 || driftOf(inputs, found).length > 0) {
    const { file } = hostProcessPaths(name);
    const { text } = unitOfPrepared(inputs);
    const owner = accessOf("", component).trim();
    const script = [
      filesScript(inputs, found, gone),
      replaceFile(file(preparedFiles.unit), text, unitMode, owner),
      ...(installedDrift(inputs, found).length > 0 ? [installPrepared(name)] : []),
    ];
    await hostAt(inputs.host).run(`preparing ${name}`, script.join("\n"));
  }
  return { unit: unitOf(name) };
}

function driftOf(inputs: HostPreparedProcessInputs, found: FoundProcess): string[] {
  const { text } = unitOfPrepared(inputs);
  const withUnit = {
    component: inputs.component,
    files: { ...inputs.files, [preparedFiles.unit]: sha256(text) },
    fileModes: { ...inputs.fileModes, [preparedFiles.unit]: unitMode },
  };
  return [
    ...accountDrift(inputs, found),
    ...dataDrift(inputs, found),
    ...fileDrift(withUnit, found),
    ...installedDrift(inputs, found),
  ];
}

/** A process that runs as something else is still to be restarted as prepared. */
const driftSince = (before: HostPreparedProcessInputs, found: FoundProcess): string[] =>
  found.revision === unitOfPrepared(before).revision ? driftOf(before, found) : [];

/** What runs as prepared has its unit installed. Whether it runs at all, and as what, is for others to report. */
function installedDrift(inputs: HostPreparedProcessInputs, found: FoundProcess): string[] {
  const { text, revision } = unitOfPrepared(inputs);
  return found.revision === revision ? unitDrift(inputs, found, text) : [];
}

const unitMode = "640";

const unitOfPrepared = (inputs: Omit<Declared, "host"> & Pick<HostPreparedProcessInputs, "timesEdited">) =>
  unitOfProcess(inputs, {
    ...(inputs.timesEdited !== undefined && { times: inputs.timesEdited }),
    environmentFile: hostProcessPaths(inputs.name).file(preparedFiles.variables),
    needs: dataVariable,
    programAt: programPath(inputs.programSha256, inputs.program),
  });
