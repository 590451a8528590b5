import type { z } from "zod";
import { closest } from "./closest.ts";
import { type FieldNote, fieldNotes } from "./field.ts";
import type { Problem } from "./problems.ts";

/** Checks a value against a schema: what it gives, or every problem with it in the operator's words. */
export function parse<S extends z.ZodType>(
  schema: S,
  value: unknown,
  path: readonly (string | number)[],
): { readonly value?: z.output<S>; readonly problems: readonly Problem[] } {
  const result = schema.safeParse(value, { error: wording });
  if (result.success) return { value: result.data, problems: [] };
  return { problems: result.error.issues.flatMap((issue) => problemsOf(issue, path)) };
}

/** Says that a key is unknown, and which one was probably meant. */
export function unknownKey(key: string, known: readonly string[]): string {
  const meant = closest(key, known);
  return meant ? `unknown key, did you mean "${meant}"?` : `unknown key, want one of ${known.join(", ")}`;
}

/** One problem for each issue, and one for each key when keys are unknown: their wording has a line each. */
function problemsOf(issue: z.core.$ZodIssue, base: readonly (string | number)[]): Problem[] {
  const path = [...base, ...issue.path.map((part) => (typeof part === "symbol" ? String(part) : part))];
  if (issue.code !== "unrecognized_keys") return [{ path, message: issue.message }];
  return issue.message.split("\n").map((message, i) => ({ path: [...path, issue.keys[i]!], message }));
}

function wording(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => unknownKey(key, keysOf(issue.inst))).join("\n");
    case "invalid_value":
      return `${got(issue)}, want ${wanted(issue) ?? anyOf(issue.values.map(shown))}`;
    case "invalid_union":
      return unionWording(issue);
    case "invalid_key":
      return `this key is not allowed, want ${issue.issues.map((inner) => inner.message.replace(/^.*?, want /, "")).join(", ")}`;
    case "invalid_type":
      return `${got(issue)}, want ${wanted(issue) ?? typeWords[issue.expected] ?? issue.expected}`;
    case "too_small":
    case "too_big":
      return `${got(issue)}, want ${wanted(issue) ?? atLeastOne}`;
    case "invalid_format":
      return `${got(issue)}, want ${wanted(issue) ?? `text like ${issue.pattern}`}`;
    default:
      return undefined; // rules of ours come with their words
  }
}

function unionWording(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  const options = "options" in issue && Array.isArray(issue.options) ? anyOf(issue.options.map(shown)) : undefined;
  const tag = "discriminator" in issue ? String(issue.discriminator) : undefined;
  if (tag === undefined || options === undefined) return `${got(issue)}, want ${wanted(issue) ?? "another type"}`;
  const given = (issue.input as Record<string, unknown>)[tag];
  return `${given === undefined ? "missing" : `got ${shown(given)}`}, want ${options}`;
}

const atLeastOne = "at least one";

const typeWords: Readonly<Record<string, string>> = {
  object: "an object",
  record: "an object",
  array: "a list",
  boolean: "true or false",
  string: "text",
  number: "a number",
};

const noteOf = (issue: z.core.$ZodRawIssue): FieldNote | undefined => {
  const schema = ("schema" in issue ? issue.schema : issue.inst) as z.core.$ZodType | undefined;
  return schema && fieldNotes.get(schema);
};
const wanted = (issue: z.core.$ZodRawIssue): string | undefined => noteOf(issue)?.want;

/** The value found. A secret is never repeated, whatever its type. */
function got(issue: z.core.$ZodRawIssue): string {
  if (issue.input === undefined || issue.input === null) return "missing";
  const note = noteOf(issue);
  return `got ${note?.secret || note?.hidden ? "something else (not shown: a secret)" : shown(issue.input)}`;
}

/**
 * A value as an operator would type it, shortened, and an address without its login. Lists, objects and multi-line texts
 * are named by their type, without their content: a key pasted into the wrong field is still a secret.
 */
export function shown(value: unknown): string {
  if (typeof value === "string" && value.includes("\n")) return `a text of ${value.trimEnd().split("\n").length} lines`;
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "object" && value !== null) return "an object";
  const text = (JSON.stringify(value) ?? String(value)).replace(unseen, escaped).replace(login, "//***@");
  return text.length > 80 ? `${text.slice(0, 60)}..." (${String(value).length} characters)` : text;
}

/** Invisible or blank-looking characters that came along with copied text. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

/** User and password of an address. */
const login = /\/\/[^/\s]*@/g;

const escaped = (character: string): string => `\\u${character.codePointAt(0)!.toString(16).padStart(4, "0")}`;

export const anyOf = (words: readonly string[]): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;

const keysOf = (schema: unknown): string[] => Object.keys((schema as z.ZodObject | undefined)?.shape ?? {});
