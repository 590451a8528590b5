import type { Difference, OnChange } from "../implementation.ts";
import type { LocalProcessInputs } from "../local-process.ts";

/** Inputs of a process on this machine, whoever starts it. */
type Declared = Omit<LocalProcessInputs, "probe" | "startSeconds" | "stopSeconds" | "dataVersion" | "follows">;

/** What a change of each means. */
export const declaredInputs: Readonly<Record<keyof Declared, OnChange>> = {
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
};

export const declaredId = ({ directory, name }: Pick<Declared, "directory" | "name">): string => `${directory}/${name}`;

/** Drift as a difference, told to the operator: a sentence a line. */
export function differenceOf({ name }: Pick<Declared, "name">, drift: readonly string[]): Difference {
  if (drift.length > 0) console.log(drift.map((sentence) => `${name}: ${sentence}`).join("\n"));
  return { changes: drift.length > 0 };
}
