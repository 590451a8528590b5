import type { z } from "zod";
import type { Context } from "./context.ts";
import { allMembers, checkDirectories, memberGroups } from "./members/groups.ts";
import { checkNames } from "./members/members.ts";
import { allPolicies } from "./policies/policy-templates.ts";
import { type Problem, SpecError } from "./problems.ts";
import { parseSections, type SectionSchemas } from "./sections.ts";
import { checkDates } from "./values/dates.ts";
import { parse } from "./wording.ts";

type Parsed<S extends SectionSchemas> = { [K in keyof S]: z.output<S[K]> };

/** A stack file whose sections have been checked each by itself. */
export interface ReadStack<S extends SectionSchemas> {
  /** Those that are valid by themselves. */
  readonly valid: Partial<Parsed<S>>;
  /**
   * All sections, once nothing is wrong with them.
   * @param across what was found wrong across sections
   * @throws SpecError with every problem at once
   */
  withoutProblems(across: readonly Problem[]): Parsed<S>;
}

/**
 * Reads a stack file that has members and policies: those of groups are among the members, those made from templates
 * among the policies.
 */
export function readStack<S extends SectionSchemas>(sections: S, config: unknown, context: Context): ReadStack<S> {
  const typed = (config ?? {}) as Readonly<Record<string, unknown>>;
  const groups = parse(memberGroups, typed["memberGroups"], ["memberGroups"]);
  const all = allMembers(groups.problems.length === 0 ? typed : { members: typed["members"] }, context.directories);
  const made = allPolicies(typed, context.templates);
  const { parsed, problems } = parseSections(sections, { ...typed, members: all.members, policies: made.policies });
  problems.push(...made.problems);
  // Without those that could not be made, the others would shift in the list.
  if (made.problems.length > 0) delete (parsed as { policies?: unknown }).policies;
  problems.push(...checkNames(all.members, all.place), ...checkDirectories(groups.value ?? [], context.directories));
  return {
    valid: parsed,
    withoutProblems: (across) => {
      const placed = [...problems, ...across].map((each) => all.place(made.place(each)));
      placed.push(...checkDates(typed, placed));
      if (placed.length === 0) return parsed as Parsed<S>;
      throw new SpecError(context.stack, inOrder(placed, Object.keys(sections)));
    },
  };
}

/** By section, in the order of the schema. */
const inOrder = (problems: readonly Problem[], order: readonly string[]): Problem[] =>
  problems.toSorted((a, b) => order.indexOf(String(a.path[0])) - order.indexOf(String(b.path[0])));

/** A value, frozen deeply. */
export function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}
