import type { Context } from "./context.ts";
import type { Problem } from "./problems.ts";
import type { Program } from "./program.ts";
import { name } from "./values/name.ts";
import { parse } from "./wording.ts";

/** Finds another program than the stack has been of: nothing that is there would be kept, the data of etcd least of all. */
export function checkKeptProgram(now: Program, { programBefore = now }: Context): Problem[] {
  if (now === programBefore) return [];
  const wanted = `want ${programBefore}, of which this stack is`;
  const reason = "all that is there would be deleted, with the data of etcd";
  return [
    { path: ["program"], message: `got "${now}", ${wanted} (${reason}; to do that, run \`pulumi destroy\` first)` },
  ];
}

/** Finds a name that does not serve, or another one than the deployment of the stack has. @param typed undefined: none was */
export const checkOwnName = (typed: string | undefined, { stack, deployedAs }: Context): Problem[] => [
  ...(typed === undefined ? checkDefaultName(stack) : []),
  ...checkKeptName(typed ?? stack, deployedAs),
];

function checkDefaultName(stack: string): Problem[] {
  const [problem] = parse(name, stack, ["name"]).problems;
  if (!problem) return [];
  return [{ ...problem, message: `missing, and the name of the stack does not serve: ${problem.message}` }];
}

/**
 * Directories, namespaces and all resources are named after it: under another name nothing existing would be kept, and
 * all of it deleted.
 */
function checkKeptName(now: string, before = now): Problem[] {
  if (now === before) return [];
  const reason = "under another name all of it would be made anew, without its data";
  const wanted = `want karmada:name: ${before}, as the deployment of this stack is called`;
  return [{ path: ["name"], message: `got "${now}", ${wanted} (${reason}; to do that, run \`pulumi destroy\` first)` }];
}
