/**
 * The fields of Kubernetes' own Go types, from fields.txt: a line for each type, `name field:code...`. A code is `@` and
 * the name of a type, `[]` or `{}` and the code of the elements, or a scalar; fields/main.go writes it.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface FieldType {
  /** `?`: left out when it is the zero value, `*`: left out when it is null. */
  readonly omits: "" | "?" | "*";
  /** How a strategic merge patch treats it. `~`: its keys must all be named, `=`: it is replaced as a whole. */
  readonly merges: "" | "~" | "=";
  readonly code: string;
}

/** The fields of a type by name, `undefined` when there is no such type; of an object the name is `apps/v1/Deployment`. */
export function fieldsOf(type: string): ReadonlyMap<string, FieldType> | undefined {
  lines ??= readLines();
  const line = lines.get(type);
  if (line === undefined) return undefined;
  let fields = parsed.get(type);
  if (fields === undefined) {
    fields = new Map(line.split(" ").map(parseField));
    parsed.set(type, fields);
  }
  return fields;
}

/** Of a list's code: the code of its elements, and by which of their fields they are merged (`+`: by themselves). */
export function listType(code: string): { readonly element: string; readonly mergeKey: string } | undefined {
  const [, mergeKey, element] = /^\[([^\]]*)\](.*)$/.exec(code) ?? [];
  return element === undefined ? undefined : { element, mergeKey: mergeKey! };
}

let lines: Map<string, string> | undefined;
const parsed = new Map<string, Map<string, FieldType>>();

function readLines(): Map<string, string> {
  const text = readFileSync(join(import.meta.dirname, "fields.txt"), "utf8");
  return new Map(text.split("\n").map((line) => line.split(/ (.*)/s, 2) as [string, string]));
}

function parseField(text: string): [string, FieldType] {
  const [, name, omits, merges, code] = /^([^:]+):([?*]?)([~=]?)(.*)$/.exec(text)!;
  return [name!, { omits, merges, code } as FieldType];
}
