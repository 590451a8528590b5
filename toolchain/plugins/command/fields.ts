import { Archive, Asset, isList, isMap, Secret, Unknown } from "../server/index.ts";
import type { CheckFailure, Properties, Value } from "../server/index.ts";

/** What an input may be, in the words of Go. */
export type Field =
  | {
      readonly type: "string" | "number" | "boolean" | "strings" | "string-map" | "list" | "asset";
      readonly required?: true;
    }
  | { readonly type: "object"; readonly name: string; readonly fields: Fields; readonly required?: true };
export type Fields = Readonly<Record<string, Field>>;

interface Complaint {
  readonly path: string;
  readonly reason: string;
}

/**
 * What is wrong with inputs, as https://github.com/pulumi/pulumi-go-provider/tree/v1.3.0/infer says it.
 * @param name Go's name of the inputs' type, for instance `local.CommandInputs`
 */
export function checkFields(inputs: Properties, fields: Fields, name: string): CheckFailure[] {
  return complaints(inputs, fields, name).map(({ path, reason }) => ({ property: path, reason }));
}

function complaints(inputs: Properties, fields: Fields, name: string): Complaint[] {
  const known = Object.entries(fields).flatMap(([key, field]) => {
    const value = open(inputs[key]);
    if (value !== null && value !== undefined) return checkValue(value, field, key, name);
    return field.required ? [{ path: key, reason: `Missing required field '${key}' on '${name}'` }] : [];
  });
  const unknown = Object.keys(inputs).filter((key) => !(key in fields) && !isInternal(key));
  return [...known, ...unknown.map((key) => ({ path: key, reason: `Unrecognized field '${key}' on '${name}'` }))];
}

function checkValue(value: Value, field: Field, path: string, name: string): Complaint[] {
  if (value instanceof Unknown) return [];
  const must = (type: string, got: Value, at = path): Complaint[] => [
    { path: at, reason: `Field '${at}' on '${name}' must be a '${type}'; got '${goType(got)}' instead` },
  ];
  switch (field.type) {
    case "string":
      return typeof value === "string" ? [] : must("string", value);
    case "number":
      return typeof value === "number" ? [] : must("float64", value);
    case "boolean":
      return typeof value === "boolean" ? [] : must("bool", value);
    case "list":
      return isList(value) ? [] : must("[]interface {}", value);
    case "strings":
      if (!isList(value)) return must("[]string", value);
      return value.flatMap((each, i) => (isText(each) ? [] : must("string", each, `${path}[${i}]`)));
    case "string-map":
      if (!isMap(value)) return must("map[string]string", value);
      return Object.entries(value).flatMap(([key, each]) =>
        isText(each) ? [] : must("string", each, `${path}[${key}]`),
      );
    case "asset":
      return [];
    case "object":
      return isMap(value) ? nested(value, field, path, name) : must("map[string]interface {}", value);
  }
}

function nested(value: Properties, field: Field & { type: "object" }, path: string, name: string): Complaint[] {
  const inside = complaints(value, field.fields, field.name);
  if (inside.length === 0) return [];
  const type = name.replace(/^.*\./, "");
  const lines = inside.map((each) => `\n\t${each.path}: ${each.reason}`).join("");
  return [
    { path, reason: `An error occurred decoding '${type}.${path}': ${inside.length} failures decoding:${lines}` },
  ];
}

function isText(value: Value): boolean {
  const opened = open(value);
  return typeof opened === "string" || opened instanceof Unknown;
}

function open(value: Value): Value {
  return value instanceof Secret ? open(value.value) : value;
}

/** What the engine adds to inputs for itself. */
export function isInternal(key: string): boolean {
  return key === "version" || key.startsWith("__");
}

function goType(value: Value): string {
  if (isList(value)) return "[]interface {}";
  if (value instanceof Asset) return "*asset.Asset";
  if (value instanceof Archive) return "*archive.Archive";
  return { string: "string", number: "float64", boolean: "bool" }[typeof value as string] ?? "map[string]interface {}";
}
