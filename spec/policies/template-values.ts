import type { Problem } from "../problems.ts";
import { anyOf, shown, unknownKey } from "../wording.ts";
import type { Parameter } from "./policy-template.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What is wrong with the values that a policy gives to the parameters of a template. */
export function checkValues(parameters: readonly Parameter[], given: Fields, at: Problem["path"]): Problem[] {
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
export function wrongValue(parameter: Parameter, value: unknown): string | undefined {
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

/** A gap within a text; another `$` in front escapes it. */
export const gap = /\$?\$\(([A-Za-z][-\w]*)\)/g;

/** Replaces gaps by values. */
export function filled(body: unknown, values: Fields): unknown {
  if (Array.isArray(body)) return body.map((each) => filled(each, values));
  if (typeof body === "object" && body !== null)
    return Object.fromEntries(Object.entries(body).map(([key, each]) => [textOf(key, values), filled(each, values)]));
  if (typeof body !== "string") return body;
  const whole = /^\$\(([A-Za-z][-\w]*)\)$/.exec(body)?.[1];
  return whole === undefined ? textOf(body, values) : values[whole];
}

const textOf = (body: string, values: Fields): string =>
  body.replaceAll(gap, (found, name: string) => (found.startsWith("$$") ? found.slice(1) : String(values[name])));
