import { z } from "zod";
import { stackName } from "../stack-name.ts";

/** Stacks of members that a deployment serves. */
export const teams = z
  .array(stackName("maps"))
  .default([])
  .describe(
    "Stacks of members (`program: members`) for whose members this stack does what only it can: it runs their estimators, and starts programs again that have read a token which such a stack has replaced, or a way to a member that is another one now. As those stacks were when they were last brought up.",
  );

/** A member of another stack, as reported by that stack. */
export interface TeamMember<Secret = string> {
  readonly name: string;
  /** The kubeconfig for its estimator; absent where it has made none. */
  readonly estimator?: Secret;
  /** When the control plane's replacement token was made, RFC 3339. */
  readonly replaced?: string;
  /** When that took the place of another one there, RFC 3339; absent where an older program made the stack. */
  readonly written?: string;
  /** Changes when the control plane is to reach it differently; absent where an older program made the stack. */
  readonly way?: Secret;
}

/** The output of a stack of members for the deployment that serves it, by the member's name. */
export interface Served {
  readonly estimators?: Readonly<Record<string, string>>;
  readonly replacedTokens?: Readonly<Record<string, string>>;
  readonly writtenTokens?: Readonly<Record<string, string>>;
  readonly ways?: Readonly<Record<string, string>>;
}

/** The members of such stacks. */
export function teamMembers(served: readonly Served[]): TeamMember[] {
  return served.flatMap(({ estimators = {}, replacedTokens = {}, writtenTokens = {}, ways = {} }) =>
    [...new Set([estimators, replacedTokens, ways].flatMap(Object.keys))].sort().map((name) => ({
      name,
      ...(estimators[name] !== undefined && { estimator: estimators[name] }),
      ...(replacedTokens[name] !== undefined && { replaced: replacedTokens[name] }),
      ...(writtenTokens[name] !== undefined && { written: writtenTokens[name] }),
      ...(ways[name] !== undefined && { way: ways[name] }),
    })),
  );
}

/** Whether the stack of a name is among those that a deployment serves. @param served as typed there */
export const isServed = (stack: string, served: readonly string[]): boolean =>
  served.some((typed) => typed.split("/").at(-1) === stack);
