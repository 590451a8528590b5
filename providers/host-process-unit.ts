import { unitText, type UnitDescription } from "../lib/hosts/unit.ts";
import { sha256 } from "../lib/supervisor/atomic-file.ts";
import type { Declared } from "./host-process-declared.ts";

/**
 * The unit of a process, and the revision in it: a digest of the program, the unit itself, and files that are read once.
 *
 * @param more settings of the unit that are not declared
 */
export function unitOfProcess(
  inputs: Omit<Declared, "host">,
  more: Pick<UnitDescription, "environmentFile" | "needs" | "programAt"> = {},
): { readonly revision: string; readonly text: string } {
  const { files, rereads = [], programSha256 } = inputs;
  const counted = Object.entries(files)
    .filter(([file]) => !rereads.includes(file))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const unit = { ...inputs, ...more };
  const revision = sha256(JSON.stringify([programSha256, unitText({ ...unit, revision: "" }), counted]));
  return { revision, text: unitText({ ...unit, revision }) };
}
