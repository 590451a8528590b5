import { unitText } from "../lib/hosts/unit.ts";
import { sha256 } from "../lib/supervisor/atomic-file.ts";
import type { HostProcessInputs } from "./host-process.ts";

type Declared = Omit<HostProcessInputs, "host" | "probe" | "startSeconds">;

/** The unit of a process, and the revision in it: a digest of the program, the unit itself, and files that are read once. */
export function unitOfProcess(inputs: Declared): { readonly revision: string; readonly text: string } {
  const { files, rereads = [], programSha256 } = inputs;
  const counted = Object.entries(files)
    .filter(([file]) => !rereads.includes(file))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const revision = sha256(JSON.stringify([programSha256, unitText({ ...inputs, revision: "" }), counted]));
  return { revision, text: unitText({ ...inputs, revision }) };
}
