import type { Context } from "../spec/context.ts";
import { allPolicies } from "../spec/policies/policy-templates.ts";
import { fileContent } from "./named-files.ts";

type Files = NonNullable<Context["files"]>;

/** With what stacks offer, and with the scripts and authorities that policies name, those made of templates too, by path as typed. */
export const withPolicies = (
  context: Context,
  typed: Readonly<Record<string, unknown>>,
  templates: Context["templates"] = {},
): Context => ({
  ...context,
  templates,
  files: { ...context.files, ...filesIn(allPolicies(typed, templates).policies, context.directory) },
});

function filesIn(value: unknown, directory: string): Files {
  if (typeof value !== "object" || value === null) return {};
  const found = Object.entries(value).map(([key, each]: [string, unknown]): Files =>
    (key === "luaFile" || key === "caFile") && typeof each === "string"
      ? { [each]: fileContent(each, directory) }
      : filesIn(each, directory),
  );
  return Object.assign({}, ...found) as Files;
}
