import { stepProblem } from "../../spec/upgrade-path.ts";
import type { Before, Problem } from "../implementation.ts";
import type { LocalProcessInputs } from "../local-process.ts";

/** A version of a program that does not read the data which another one has written for it. */
export function checkData(
  { directory, name, dataVersion: to }: Partial<LocalProcessInputs>,
  { inputs: then }: Pick<Before<LocalProcessInputs>, "inputs">,
): Problem[] {
  const from = then?.dataVersion;
  if (from === undefined || to === undefined || directory !== then?.directory) return [];
  const problem = stepProblem({ from, to });
  if (problem === undefined) return [];
  const remedy = `stay at ${from}, or take away first what has its data there`;
  return [{ property: "dataVersion", reason: `${name}: ${problem}\n${remedy}` }];
}
