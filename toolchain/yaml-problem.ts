/**
 * What is wrong with a text as YAML, and where, in one line: `map keys must be unique at line 2, column 1`. The further
 * lines of the parser's message quote the text, which may hold secrets.
 */
export function yamlProblem({ message }: Error): string {
  const [line = ""] = message.split("\n");
  return line.charAt(0).toLowerCase() + line.slice(1).replace(/:$/, "");
}
