import { closest } from "../../spec/closest.ts";
import { startCommand } from "./start-command.ts";

/**
 * Says that there is no such stack, and what there is instead.
 *
 * @param known names of the others, as pulumi lists them
 * @param hasFile whether there is a stack file of this name
 */
export function missingStack(stack: string, known: readonly string[], hasFile: boolean): string {
  const names = known.map((name) => name.slice(name.lastIndexOf("/") + 1));
  const meant = closest(stack, names);
  const hint = meant === undefined ? "" : `did you mean "${meant}"? `;
  const others = names.length === 0 ? "and no other" : `${hint}there are ${names.join(", ")}`;
  return `stack ${stack}: there is none of this name, ${others}; ${remedy(stack, names, hasFile)}`;
}

function remedy(stack: string, names: readonly string[], hasFile: boolean): string {
  const start = startCommand(stack);
  if (hasFile) return `${start} makes it from Pulumi.${stack}.yaml`;
  return names.length > 0 ? "choose one with --stack" : `write Pulumi.${stack}.yaml, then ${start} makes it`;
}
