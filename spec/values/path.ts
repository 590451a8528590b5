import { isAbsolute, join, resolve } from "node:path";
import type { Context } from "../context.ts";

/** A path as typed in a stack file, made absolute: `~` is the home of the user, and relative paths start at the stack file. */
export function absolutePath(typed: string, context: Context): string {
  if (typed.startsWith("~/") && context.home !== undefined) return join(context.home, typed.slice(2));
  return isAbsolute(typed) ? typed : resolve(context.directory, typed);
}
