import { z } from "zod";
import { closest } from "../closest.ts";
import { words } from "../field.ts";
import { pathText, type Problem } from "../problems.ts";
import { parse } from "../wording.ts";
import { objectName } from "./placement-policy.ts";
import { policyTemplate, type Template } from "./policy-template.ts";
import { templateProblems } from "./template-check.ts";
import { checkValues, filled } from "./template-values.ts";

type Fields = Readonly<Record<string, unknown>>;
type Path = Problem["path"];

export const policyTemplates = z
  .array(policyTemplate)
  .default([])
  .describe(
    "Policies with gaps, made once for all who fill them in (`policies[].template`), also in stacks that name this one.",
  );

export const policyTemplatesFrom = z
  .array(words("the name of a stack"))
  .default([])
  .describe(
    "Stacks whose `policyTemplates` policies here are made of too, as they were when those stacks were last brought up: `stack`, `project/stack` or `organization/project/stack`. Files that a template names are files of this stack.",
  );

/** A policy made by a template. */
export const fromTemplate = z.strictObject({
  template: words("the name of a template").describe(
    "Name of one of `policyTemplates`, here or in one of `policyTemplatesFrom`, in the place of `kind`.",
  ),
  parameters: z.record(z.string(), z.unknown()).default({}).describe("Values of its parameters."),
  name: objectName.optional().describe("Name of the object. Default: that of the template's body."),
  namespace: objectName.optional().describe("Its namespace. Default: that of the template's body."),
});

/** Every policy of a stack file, templates filled in. */
export interface AllPolicies {
  /** As typed or made; not checked. */
  readonly policies: unknown;
  /** Problems of templates, and of what was made from them before there is a policy. */
  readonly problems: readonly Problem[];
  /** Where the operator typed what is wrong with a policy. */
  place(problem: Problem): Problem;
}

/**
 * Makes policies from templates, as far as what was typed makes sense.
 * @param offered templates of other stacks, by the stack's name as typed
 */
export function allPolicies(typed: Fields, offered: Fields = {}): AllPolicies {
  const own = typed["policies"];
  const read = parse(policyTemplates, typed["policyTemplates"], ["policyTemplates"]);
  const mine = read.value ?? [];
  const theirs = readOffered(typed["policyTemplatesFrom"], offered, mine);
  const templates = [...mine, ...theirs.templates];
  const faults = [...templateProblems(mine), ...theirs.problems];
  if (!Array.isArray(own)) return { policies: own, problems: faults, place: (problem) => problem };
  const usable = read.value !== undefined && faults.length === 0;
  const made = own.map((entry: unknown, i): Made => {
    if (!isFromTemplate(entry)) return { fields: entry };
    return usable ? filledIn(entry, ["policies", i], templates) : {};
  });
  const kept = made.flatMap(({ fields }, i) => (fields === undefined ? [] : [{ fields, i }]));
  return {
    policies: kept.map(({ fields }) => fields),
    problems: [...faults, ...made.flatMap(({ problems = [] }) => problems)],
    place(problem) {
      const [section, k, ...rest] = problem.path;
      const i = section === "policies" && typeof k === "number" ? kept[k]?.i : undefined;
      if (i === undefined) return problem;
      const entry: unknown = own[i];
      if (!isFromTemplate(entry) || rest.length === 0 || String(rest[0]) in entry)
        return { ...problem, path: ["policies", i, ...rest] };
      const message = `"${String(entry["template"])}" makes ${pathText(rest)}: ${problem.message}`;
      return { path: ["policies", i, "template"], message };
    },
  };
}

interface Offered {
  readonly templates: readonly Template[];
  readonly problems: readonly Problem[];
}

/** Templates offered by other stacks, which have checked them. */
function readOffered(stacks: unknown, offered: Fields, own: readonly Template[]): Offered {
  const owners = new Map(own.map(({ name }) => [name, "policyTemplates"]));
  const read = (Array.isArray(stacks) ? (stacks as unknown[]) : []).map((stack, i): Offered => {
    const path = ["policyTemplatesFrom", i];
    const { value = [], problems } = parse(policyTemplates, offered[String(stack)], path);
    const [first] = problems;
    if (first !== undefined) {
      const where = pathText(first.path.slice(path.length));
      const message = `got "${String(stack)}", whose templates another version of this program made: ${where}: ${first.message}`;
      return { templates: [], problems: [{ path, message }] };
    }
    const taken = value.flatMap(({ name }): Problem[] => {
      const owner = owners.get(name);
      owners.set(name, String(stack));
      if (owner === undefined) return [];
      return [
        {
          path,
          message: `got "${String(stack)}", whose template "${name}" is one of ${owner} too, want one of that name`,
        },
      ];
    });
    return { templates: value, problems: taken };
  });
  return { templates: read.flatMap(({ templates }) => templates), problems: read.flatMap(({ problems }) => problems) };
}

const isFromTemplate = (entry: unknown): entry is Fields =>
  typeof entry === "object" && entry !== null && "template" in entry;

interface Made {
  /** Absent if there is nothing that could be a policy. */
  readonly fields?: unknown;
  readonly problems?: readonly Problem[];
}

function filledIn(entry: Fields, at: Path, templates: readonly Template[]): Made {
  const { value, problems } = parse(fromTemplate, entry, at);
  if (value === undefined) return { problems };
  const { template: name, parameters, ...own } = value;
  const template = templates.find((each) => each.name === name);
  if (template === undefined) {
    const names = templates.map((each) => each.name);
    const meant = closest(name, names);
    const want =
      meant === undefined
        ? `want one of ${names.join(", ") || "policyTemplates, which has none"}`
        : `did you mean "${meant}"?`;
    return { problems: [{ path: [...at, "template"], message: `got "${name}", which is no template, ${want}` }] };
  }
  const wrong = checkValues(template.parameters, parameters, [...at, "parameters"]);
  if (wrong.length > 0) return { problems: wrong };
  const values = Object.fromEntries(
    template.parameters.map(({ name, default: fallback }) => [name, parameters[name] ?? fallback]),
  );
  return { fields: { ...(filled(template.body, values) as Fields), ...own } };
}
