import type { FoundProcess } from "../../lib/hosts/found.ts";
import { dataOf, programPath, userOf } from "../../lib/hosts/layout.ts";
import { sha256 } from "../../lib/sha256.ts";
import type { Declared } from "./declared.ts";
import { fileDrift } from "./files.ts";
import { unitOfProcess } from "./unit.ts";

/** A sentence for each difference from what was declared. A program that crashed and was restarted is none. */
export function driftOf(inputs: Declared, found: FoundProcess): string[] {
  const { text, revision } = unitOfProcess(inputs);
  const drift = [
    ...accountDrift(inputs, found),
    ...dataDrift(inputs, found),
    ...fileDrift(inputs, found),
    ...unitDrift(inputs, found, text),
  ];
  if (found.pid === undefined) drift.push(`it does not run: ${found.state} (${found.result})`);
  else if (found.revision !== revision) drift.push("it runs with older settings");
  return drift;
}

/**
 * The drift (see {@link driftOf}) that only somebody else can have caused since the last run; empty if another revision
 * runs: an interrupted `up`, or another version of this program, started that one.
 */
export function driftSince(before: Declared, found: FoundProcess): string[] {
  const isSame = found.revision === undefined || found.revision === unitOfProcess(before).revision;
  return isSame ? driftOf(before, found) : [];
}

/**
 * Whether the unit, or a file that is read only at start, differs from the declaration. If the declared revision runs
 * nevertheless, somebody has edited them, and the process may have been restarted with the edit, which nothing would
 * show once the edit is reverted.
 *
 * @param text the unit's expected text
 */
export function isEdited(
  inputs: Declared,
  { files, unit }: FoundProcess,
  text: string = unitOfProcess(inputs).text,
): boolean {
  const { rereads = [] } = inputs;
  const isOther = (key: string) => files[key] !== undefined && files[key].sha256 !== inputs.files[key];
  const isOtherUnit = unit !== undefined && unit !== sha256(text);
  return isOtherUnit || Object.keys(inputs.files).some((key) => !rereads.includes(key) && isOther(key));
}

/**
 * Drift of the system user and of who owns the data; files of a deleted or recreated user belong to a bare number.
 */
export function accountDrift({ component }: Pick<Declared, "component">, found: FoundProcess): string[] {
  const user = userOf(component);
  if (found.account !== user) return [`its user or group ${user} is gone`];
  const owner = `${user}:${user}`;
  if (found.dataOwner === undefined || found.dataOwner === owner) return [];
  return [`its data belong to ${found.dataOwner}, want ${owner}`];
}

/** Drift of where the data directory is. */
export function dataDrift({ name, dataDirectory }: Declared, { data }: FoundProcess): string[] {
  const wanted = dataOf(name, dataDirectory);
  if (data === wanted) return [];
  return [data === undefined ? `its directory of data is gone: ${wanted}` : `its data are in ${data}, want ${wanted}`];
}

/**
 * Drift of the systemd unit and of the program that it starts.
 *
 * @param text the unit's expected text
 */
export function unitDrift(inputs: Declared, found: FoundProcess, text: string): string[] {
  const drift: string[] = [];
  if (found.unit === undefined) drift.push("its unit is gone");
  else if (found.unit !== sha256(text)) drift.push("its unit was changed by hand");
  else if (!found.enabled) drift.push("it would not start with the host");
  if (found.program === undefined) drift.push("its program is gone");
  else if (found.program !== programPath(inputs.programSha256, inputs.program)) drift.push("it has another program");
  return drift;
}
