/** The user's own conditions: the annotation pulumi.com/waitFor. */
import { JSONPath } from "jsonpath-plus";
import { at, isObject } from "../object.ts";
import type { Field, KubeObject } from "../object.ts";
import { conditionsOf, numberAt } from "./rule.ts";
import type { Rule, Status, Verdict } from "./rule.ts";

/** A rule from `condition=Ready`, `jsonpath={.status.phase}=Running` or a JSON list of such. @throws Error for any other */
export function waitForRule(text: string): Rule {
  const expressions = parseList(text);
  if (expressions.length === 0) throw new Error("at least one condition must be specified");
  const tests = expressions.map(parseExpression);
  return {
    judge({ object }) {
      const verdicts = tests.map((test) => test(object));
      return {
        ready: verdicts.every(({ ready }) => ready),
        failed: verdicts.some(({ failed }) => failed),
        status: verdicts.flatMap(({ status = [] }) => status),
        problems: verdicts.flatMap(({ problems = [] }) => problems),
      };
    },
  };
}

function parseList(text: string): string[] {
  try {
    const list = JSON.parse(text) as unknown;
    if (Array.isArray(list) && list.every((each) => typeof each === "string")) return list;
  } catch {
    // not a list: one expression
  }
  return [text];
}

type Test = (object: KubeObject) => Verdict;

function parseExpression(expression: string): Test {
  if (expression.startsWith("jsonpath=")) return jsonPathTest(expression.slice("jsonpath=".length));
  if (expression.startsWith("condition=")) return conditionTest(expression.slice("condition=".length));
  throw new Error(`expected a "jsonpath=" or "condition=" prefix, got ${JSON.stringify(expression)}`);
}

/** `Ready` or `Ready=False`. */
function conditionTest(expression: string): Test {
  const [type = "", wanted = "True"] = expression.split(/=(.*)/s);
  return (object) => {
    if (at(object, "status", "conditions") === undefined) {
      return { ready: false, status: [["warning", "Has no .status.conditions"]] };
    }
    const condition = conditionsOf(object).find((each) => each.type.toLowerCase() === type.toLowerCase());
    if (condition === undefined) return { ready: false };
    const generation = numberAt(object, "metadata", "generation");
    const observed = condition.observedGeneration ?? at(object, "status", "observedGeneration");
    if (typeof observed === "number" && observed < generation) {
      return { ready: false, status: [["info", `Generation ${observed} is less than expected ${generation}`]] };
    }
    const ready = condition.status.toLowerCase() === wanted.toLowerCase();
    const message = `Resource has condition ${type}=${condition.status} (want ${wanted})`;
    return ready ? { ready } : { ready, status: [["info", message]] };
  };
}

/** `{.path}` or `{.path}=value`. */
function jsonPathTest(expression: string): Test {
  const { path, value, query } = parseJsonPath(expression);
  const words = value === "" ? path : `${path}=${value}`;
  return (object) => {
    const observed = at(object, "status", "observedGeneration");
    if (typeof observed === "number" && observed < numberAt(object, "metadata", "generation")) return { ready: false };
    const [found] = JSONPath({ path: query, json: object, eval: "safe" }) as Field[];
    const info = (message: string): Status[] => [["info", message]];
    if (found === undefined) return { ready: false, status: info(`${path} selected nothing`) };
    if (value !== "" && (Array.isArray(found) || isObject(found))) {
      return { ready: false, failed: true, problems: [`${JSON.stringify(path)} has a non-primitive value`] };
    }
    if (value === "" || String(found) === value) return { ready: true, status: info(`Found ${words}`) };
    return { ready: false, status: info(`Waiting for ${words} (found ${JSON.stringify(String(found))})`) };
  };
}

function parseJsonPath(expression: string): { path: string; value: string; query: string } {
  const [path = "", value, ...rest] = expression.split(/(?<!=)=(?!=)/);
  if (rest.length > 0) {
    throw new Error(`format should be {.path}=value or {.path}, got ${JSON.stringify(expression)}`);
  }
  if (value === "") throw new Error(`${path}= requires a value`);
  if (/^'.*'$/.test(path)) throw new Error(`${path} should omit shell quotes`);
  const inner = /\{\s*(.*?)\s*\}/.exec(path)?.[1];
  if (inner === undefined) throw new Error(`${path} should be wrapped in brackets { ... }`);
  return { path, value: value ?? "", query: inner.startsWith("$") ? inner : `$${inner}` };
}
