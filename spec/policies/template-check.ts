import type { Problem } from "../problems.ts";
import type { Parameter, Template } from "./policy-template.ts";
import { gap, wrongValue } from "./template-values.ts";

type Path = Problem["path"];

/** Problems of templates before they are filled in. */
export const templateProblems = (templates: readonly Template[]): Problem[] => [
  ...twice(templates),
  ...templates.flatMap(checkTemplate),
];

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
