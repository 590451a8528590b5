import type { SyntaxNode } from "@lezer/common";
import { parser } from "@prometheus-io/lezer-promql";

/** What an expression chooses: series of one name. */
export interface Selector {
  readonly metric: string;
  readonly matchers: readonly { readonly label: string; readonly op: string; readonly value: string }[];
}

/** What is read out of an expression of PromQL by Prometheus' own grammar. */
export interface Expression {
  readonly selectors: readonly Selector[];
  /** Labels that are grouped by, each time. */
  readonly by: readonly (readonly string[])[];
}

/** @throws with the place of what is not PromQL */
export function readPromql(text: string): Expression {
  const selectors: Selector[] = [];
  const by: string[][] = [];
  parser.parse(text).iterate({
    enter: ({ type, node, from, to }) => {
      if (type.isError) throw new Error(`${text.slice(0, from)}<HERE>${text.slice(from)}`);
      if (type.name === "VectorSelector") selectors.push(selectorOf(node, text));
      if (type.name === "GroupingLabels") by.push(namesIn(text.slice(from, to)));
    },
  });
  return { selectors, by };
}

function selectorOf(node: SyntaxNode, text: string): Selector {
  const part = (of: SyntaxNode, name: string) => {
    const found = of.getChild(name);
    if (found === null) throw new Error(`${text.slice(of.from, of.to)}: no ${name}`);
    return text.slice(found.from, found.to);
  };
  const matchers = node.getChild("LabelMatchers")?.getChildren("UnquotedLabelMatcher") ?? [];
  return {
    metric: part(node, "Identifier"),
    matchers: matchers.map((matcher) => ({
      label: part(matcher, "LabelName"),
      op: part(matcher, "MatchOp"),
      value: JSON.parse(part(matcher, "StringLiteral")) as string,
    })),
  };
}

const namesIn = (list: string): string[] =>
  list
    .replace(/[()\s]/g, "")
    .split(",")
    .filter((name) => name !== "");
