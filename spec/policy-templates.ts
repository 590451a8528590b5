import { z } from "zod";
import { closest } from "./closest.ts";
import { text, words } from "./field.ts";
import { objectName } from "./placement-policy.ts";
import { pathText, type Problem } from "./problems.ts";
import { anyOf, parse, shown, unknownKey } from "./wording.ts";

type Fields = Readonly<Record<string, unknown>>;
type Path = Problem["path"];

const parameter = z.strictObject({
  name: text(/^[A-Za-z][-\w]*$/, 'a name of letters, digits, "-" and "_"').describe(
    "Its name; `$(name)` stands for its value in the body.",
  ),
  type: z
    .enum(["string", "number", "boolean", "list"])
    .default("string")
    .describe("What a value is; a list is of texts."),
  description: words("a sentence").optional().describe("What it is for, told to who gives no value or a wrong one."),
  default: z.unknown().optional().describe("Value where none is given. Default: one has to be given."),
  allowed: z.array(z.unknown()).min(1).optional().describe("The values there are; of a list, what may be in it."),
});

type Parameter = z.output<typeof parameter>;

const template = z.strictObject({
  name: words("a name of the template").describe("What policies call it."),
  parameters: z.array(parameter).default([]).describe("What a policy says itself."),
  body: z
    .record(z.string(), z.unknown())
    .describe(
      "A policy with the fields of `policies`. `$(name)` alone is the value of that parameter, within a text its text; `$$(name)` is left as `$(name)`.",
    ),
});

type Template = z.output<typeof template>;

export const policyTemplates = z
  .array(template)
  .default([])
  .describe("Policies with gaps, made once for all who fill them in (`policies[].template`).");

/** A policy made by a template. */
export const fromTemplate = z.strictObject({
  template: words("the name of a template").describe("Name of one of `policyTemplates`, in the place of `kind`."),
  parameters: z.record(z.string(), z.unknown()).default({}).describe("Values of its parameters."),
  name: objectName.optional().describe("Name of the object. Default: that of the template's body."),
  namespace: objectName.optional().describe("Its namespace. Default: that of the template's body."),
});

/** Every policy of a stack file, templates filled in. */
export interface AllPolicies {
  /** As typed or made; not checked. */
  readonly policies: unknown;
  /** What is wrong with templates, and with what was made of them before there is a policy. */
  readonly problems: readonly Problem[];
  /** Where the operator typed what is wrong with a policy. */
  place(problem: Problem): Problem;
}

/** Makes policies of templates, as far as what was typed makes sense. */
export function allPolicies(typed: Fields): AllPolicies {
  const own = typed["policies"];
  const read = parse(policyTemplates, typed["policyTemplates"], ["policyTemplates"]);
  const templates = read.value ?? [];
  const faults = [...twice(templates), ...templates.flatMap(checkTemplate)];
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

const isFromTemplate = (entry: unknown): entry is Fields =>
  typeof entry === "object" && entry !== null && "template" in entry;

interface Made {
  /** Absent where there is nothing that could be a policy. */
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
    const want = meant === undefined ? "want the name of one of policyTemplates" : `did you mean "${meant}"?`;
    return { problems: [{ path: [...at, "template"], message: `got "${name}", which is no template, ${want}` }] };
  }
  const wrong = checkValues(template.parameters, parameters, [...at, "parameters"]);
  if (wrong.length > 0) return { problems: wrong };
  const values = Object.fromEntries(
    template.parameters.map(({ name, default: fallback }) => [name, parameters[name] ?? fallback]),
  );
  return { fields: { ...(filled(template.body, values) as Fields), ...own } };
}

function checkValues(parameters: readonly Parameter[], given: Fields, at: Path): Problem[] {
  const names = parameters.map(({ name }) => name);
  const unknown = Object.keys(given).filter((key) => !names.includes(key));
  return [
    ...unknown.map((key) => ({
      path: [...at, key],
      message: names.length === 0 ? "unknown key, want none: the template has no parameters" : unknownKey(key, names),
    })),
    ...parameters.flatMap((parameter) => {
      const { name, description } = parameter;
      const value = given[name] ?? parameter.default;
      const problem = value === undefined ? `missing, want ${wanted(parameter)}` : wrongValue(parameter, value);
      if (problem === undefined) return [];
      return [{ path: [...at, name], message: description === undefined ? problem : `${problem} (${description})` }];
    }),
  ];
}

/** What is wrong with a value. */
function wrongValue(parameter: Parameter, value: unknown): string | undefined {
  const { type, allowed } = parameter;
  const right = type === "list" ? isTexts(value) : typeof value === type;
  if (!right) return `got ${shown(value)}, want ${wanted(parameter)}`;
  const other = (Array.isArray(value) ? (value as unknown[]) : [value]).find(
    (each) => allowed?.includes(each) === false,
  );
  return other === undefined ? undefined : `got ${shown(other)}, want ${wanted(parameter)}`;
}

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => typeof each === "string" && each !== "");

function wanted({ type, allowed }: Parameter): string {
  const words = { string: "a text", number: "a number", boolean: "true or false", list: "a list of texts" }[type];
  if (allowed === undefined) return words;
  return type === "list" ? `a list of ${anyOf(allowed.map(shown))}` : anyOf(allowed.map(shown));
}

const gap = /\$?\$\(([A-Za-z][-\w]*)\)/g;

/** With values in the place of gaps. */
function filled(body: unknown, values: Fields): unknown {
  if (Array.isArray(body)) return body.map((each) => filled(each, values));
  if (typeof body === "object" && body !== null)
    return Object.fromEntries(Object.entries(body).map(([key, each]) => [textOf(key, values), filled(each, values)]));
  if (typeof body !== "string") return body;
  const whole = /^\$\(([A-Za-z][-\w]*)\)$/.exec(body)?.[1];
  return whole === undefined ? textOf(body, values) : values[whole];
}

const textOf = (body: string, values: Fields): string =>
  body.replaceAll(gap, (found, name: string) => (found.startsWith("$$") ? found.slice(1) : String(values[name])));

function twice(templates: readonly Template[]): Problem[] {
  return templates.flatMap(({ name }, t) => {
    const before = templates.findIndex((each) => each.name === name);
    const message = `got "${name}", want another name: policyTemplates[${before}] has it`;
    return before === t ? [] : [{ path: ["policyTemplates", t, "name"], message }];
  });
}

/** Finds parameters that contradict themselves, and gaps that nothing fills. */
function checkTemplate({ parameters, body }: Template, t: number): Problem[] {
  const at = ["policyTemplates", t];
  const names = parameters.map(({ name }) => name);
  const gaps = gapsIn(body, [...at, "body"]);
  return [
    ...parameters.flatMap((parameter, p) => checkParameter(parameter, names.indexOf(parameter.name), p, at)),
    ...gaps
      .filter(({ name }) => !names.includes(name))
      .map(({ name, path }) => ({
        path,
        message: `got $(${name}), want one of its parameters: ${names.join(", ") || "it has none"}`,
      })),
    ...names.flatMap((name, p) =>
      gaps.some((each) => each.name === name)
        ? []
        : [
            {
              path: [...at, "parameters", p, "name"],
              message: `got "${name}", which the body has nowhere as $(${name})`,
            },
          ],
    ),
  ];
}

function checkParameter(parameter: Parameter, first: number, p: number, at: Path): Problem[] {
  const path = [...at, "parameters", p];
  const { name, type, default: fallback, allowed = [] } = parameter;
  const each = { ...parameter, type: type === "list" ? ("string" as const) : type, allowed: undefined };
  const problem = fallback === undefined ? undefined : wrongValue(parameter, fallback);
  return [
    ...(first === p
      ? []
      : [{ path: [...path, "name"], message: `got "${name}", want another name: parameters[${first}] has it` }]),
    ...(problem === undefined ? [] : [{ path: [...path, "default"], message: problem }]),
    ...allowed.flatMap((value, a) => {
      const wrong = wrongValue(each, value);
      return wrong === undefined ? [] : [{ path: [...path, "allowed", a], message: wrong }];
    }),
  ];
}

/** The gaps of a body, each where it is. */
function gapsIn(body: unknown, path: Path): { readonly name: string; readonly path: Path }[] {
  if (typeof body === "string")
    return [...body.matchAll(gap)].flatMap(([found, name]) => (found.startsWith("$$") ? [] : [{ name: name!, path }]));
  if (typeof body !== "object" || body === null) return [];
  return Object.entries(body).flatMap(([key, each]) => {
    const at = [...path, Array.isArray(body) ? Number(key) : key];
    return [...(Array.isArray(body) ? [] : gapsIn(key, at)), ...gapsIn(each, at)];
  });
}
