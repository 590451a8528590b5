/**
 * What the operator meant by the text of a key of the stack's configuration, as Pulumi passes it: objects, numbers and
 * booleans are JSON, also in a stack file that a program or `pulumi config set` has written.
 * @param key without the project's name
 */
export function typedText(key: string, text: string): unknown {
  return textKeys.has(key) && text !== nothing ? text : parsed(text);
}

/** Keys that hold a single text: `name: 123` is a name, not a number. */
const textKeys: ReadonlySet<string> = new Set(["program", "name", "deployment"]);

/** What Pulumi passes for a key without a value. */
const nothing = "null";

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // text where something else is wanted: the checks say so
  }
}
