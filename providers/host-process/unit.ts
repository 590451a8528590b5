import { unitText, type UnitDescription } from "../../lib/hosts/unit.ts";
import { sha256 } from "../../lib/sha256.ts";
import type { Declared } from "./declared.ts";

/** The revision of a process to be restarted although nothing in it has changed. @param times how often that was so */
export const revisionAgain = (revision: string, times: number): string =>
  times === 0 ? revision : sha256(`${revision} ${times}`);

/**
 * The unit of a process, and the revision in it: a digest of the program, the unit itself, and files that are read once.
 *
 * @param more undeclared settings of the unit, and the count for {@link revisionAgain}
 */
export function unitOfProcess(
  inputs: Omit<Declared, "host">,
  { times = 0, ...more }: Pick<UnitDescription, "environmentFile" | "needs" | "programAt"> & { times?: number } = {},
): { readonly revision: string; readonly text: string } {
  const { files, rereads = [], programSha256 } = inputs;
  const counted = Object.entries(files)
    .filter(([file]) => !rereads.includes(file))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const unit = { ...inputs, ...more };
  const digest = sha256(JSON.stringify([programSha256, unitText({ ...unit, revision: "" }), counted]));
  const revision = revisionAgain(digest, times);
  return { revision, text: unitText({ ...unit, revision }) };
}
