import { closest } from "../../spec/closest.ts";
import { simpleName, stackFileName } from "../../toolchain/pulumi/stack-name.ts";
import { startCommand } from "./start-command.ts";

/**
 * Says that there is no such stack, and what there is instead.
 *
 * @param known names of the others, as pulumi lists them
 * @param hasFile whether there is a stack file of this name
 */
export function missingStack(stack: string, known: readonly string[], hasFile: boolean): string {
  const names = known.map(simpleName);
  const meant = closest(simpleName(stack), names);
  const hint = meant === undefined ? "" : `did you mean "${meant}"? `;
  const others = names.length === 0 ? "and no other" : `${hint}there are ${names.join(", ")}`;
  return `stack ${stack}: there is none of this name, ${others}; ${remedy(stack, names, hasFile)}`;
}

function remedy(stack: string, names: readonly string[], hasFile: boolean): string {
  const start = startCommand(stack);
  if (hasFile) return `${start} makes it from ${stackFileName(stack)}`;
  return names.length > 0 ? "choose one with --stack" : `write ${stackFileName(stack)}, then ${start} makes it`;
}
