import type { z } from "zod";
import type { Problem } from "./problems.ts";
import { parse, unknownKey } from "./wording.ts";

/** The keys of a stack file, each with what it may hold. */
export type SectionSchemas = Readonly<Record<string, z.ZodType>>;

/** Checks each key by itself: the valid ones, and every problem with the rest. */
export function parseSections<S extends SectionSchemas>(
  sections: S,
  config: unknown,
): { readonly parsed: Partial<{ [K in keyof S]: z.output<S[K]> }>; readonly problems: Problem[] } {
  const typed = (config ?? {}) as Readonly<Record<string, unknown>>;
  const problems: Problem[] = Object.keys(typed)
    .filter((key) => !Object.hasOwn(sections, key))
    .map((key) => ({ path: [key], message: unknownKey(key, Object.keys(sections)) }));
  const parsed: Partial<{ [K in keyof S]: z.output<S[K]> }> = {};
  for (const [key, schema] of Object.entries(sections)) {
    const section = parse(schema, typed[key], [key]);
    problems.push(...section.problems);
    if (section.problems.length === 0) Object.assign(parsed, { [key]: section.value });
  }
  return { parsed, problems };
}
