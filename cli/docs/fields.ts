import { isDeepStrictEqual } from "node:util";
import { componentNames } from "../../spec/control-plane/component-names.ts";
import type { FieldRow } from "./field-row.ts";
import { recurring } from "./recurring.ts";
import { configurationSchema, type JsonSchema } from "./stack-schema.ts";

/** A top-level key of the stack file. */
export interface Section {
  readonly key: string;
  /** The common fields, then those of each `kind`. */
  readonly parts: readonly Part[];
}

export interface Part {
  /** `placement.kind: hosts`; the key itself for the common fields. */
  readonly title: string;
  readonly meaning: string;
  readonly rows: readonly FieldRow[];
  /** Fields identical to those of an earlier part, which has their rows. */
  readonly asBefore: readonly string[];
}

/** The stack file by its top-level keys; what is the same in several places is described once. */
export function fieldSections(): Section[] {
  const { properties = {}, required = [] } = configurationSchema({ want: true });
  const sections = Object.entries(properties).map(([key, schema]) => ({
    key,
    parts: onceEach(key, partsOf(key, schema, required.includes(key))),
  }));
  const shown = recurring(sections.flatMap(({ parts }) => parts.flatMap(({ rows }) => rows)));
  const inPart = (part: Part) => ({ ...part, rows: part.rows.flatMap((row) => shown(row)) });
  return sections.map(({ key, parts }) => ({ key, parts: parts.map(inPart) }));
}

type WholePart = Omit<Part, "asBefore">;

function partsOf(key: string, schema: JsonSchema, required: boolean): WholePart[] {
  const { oneOf: kinds = [], ...always } = schema.items ?? schema;
  const path = schema.items ? `${key}[]` : key;
  const itself = { title: key, meaning: schema.description ?? "" };
  return [
    { ...itself, rows: [rowOf(key, schema, required), ...childrenOf(path, always)] },
    ...kinds.map((kind) => kindOf(path, kind)),
  ];
}

function kindOf(path: string, kind: JsonSchema): WholePart {
  const { tag, meaning, own } = untagged(kind);
  return {
    title: tag === undefined ? `${path}.${kind.required?.[0]}` : `${path}.kind: ${tag}`,
    meaning,
    rows: childrenOf(path, own),
  };
}

/** Leaves out rows that are the same in an earlier part, or earlier in this one. */
function onceEach(key: string, parts: readonly WholePart[]): Part[] {
  const before: FieldRow[] = [];
  return parts.map((part) => {
    const fresh = part.rows.filter((row, i) => part.rows.findIndex((other) => isDeepStrictEqual(other, row)) === i);
    const isKnown = (row: FieldRow) => before.some((other) => isDeepStrictEqual(other, row));
    const [known, rows] = [fresh.filter(isKnown), fresh.filter((row) => !isKnown(row) && !ofGroups.test(row.path))];
    before.push(...rows);
    return { ...part, rows, asBefore: known.map(({ path }) => path).filter((path) => depth(path) === depth(key) + 1) };
  });
}

const depth = (path: string): number => path.split(".").length;

/** The fields of a member again. */
const ofGroups = /^memberGroups\[\]\.(defaults|members\[\])\./;

function childrenOf(path: string, schema: JsonSchema): FieldRow[] {
  const required = new Set(schema.required);
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([key, child]) => {
      const at = `${path}.${settingsOf(path, key)}`;
      return [rowOf(at, child, required.has(key)), ...childrenOf(at, child)];
    }),
    ...(schema.oneOf ?? []).flatMap((arm) => armRows(path, arm)),
    ...(schema.items ? childrenOf(`${path}[]`, schema.items) : []),
    ...(typeof schema.additionalProperties === "object"
      ? childrenOf(`${path}.<name>`, schema.additionalProperties)
      : []),
  ];
}

const settingsOf = (path: string, key: string): string =>
  path === "controlPlane" && (componentNames as readonly string[]).includes(key) ? "<component>" : key;

const rowOf = (path: string, schema: JsonSchema, required: boolean): FieldRow => ({
  path,
  values: valuesOf(schema),
  default: required ? "required" : defaultOf(schema.default),
  meaning: path === "controlPlane.<component>" ? componentsMeaning : (schema.description ?? ""),
});

const componentsMeaning = `One of ${componentNames.map((name) => `\`${name}\``).join(", ")}.`;

/** An arm of a union: a row for its tag, if it has one, then its own fields. */
function armRows(path: string, arm: JsonSchema): FieldRow[] {
  const { tag, meaning, own } = untagged(arm);
  const tagRow = { path: `${path}.kind: ${tag}`, values: "", default: "", meaning };
  return [...(tag === undefined ? [] : [tagRow]), ...childrenOf(path, own)];
}

/** An arm of a union without its `kind`. */
function untagged(arm: JsonSchema): { tag?: string; meaning: string; own: JsonSchema } {
  const { kind, ...properties } = arm.properties ?? {};
  if (kind?.const === undefined) return { meaning: "", own: arm };
  return { tag: String(kind.const), meaning: kind.description ?? "", own: { ...arm, properties } };
}

function valuesOf(schema: JsonSchema): string {
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(", ");
  if (schema.oneOf) return "an object, by `kind`";
  if (schema.type === "array") return `a list${schema.items?.want ? `: each ${schema.items.want}` : ""}`;
  if (schema.type === "object") return schema.properties ? "an object" : `an object: ${entriesOf(schema)}`;
  if (schema.type === "boolean") return "`true`, `false`";
  return schema.want ?? schema.type ?? "";
}

/** What the keys and the values are of an object whose keys are free. */
function entriesOf({ propertyNames, additionalProperties }: JsonSchema): string {
  const key = propertyNames?.description ?? propertyNames?.want ?? "any key";
  const value = typeof additionalProperties === "object" ? valuesOf(additionalProperties) : "";
  return `${key} to ${value === "" ? "any value" : value}`;
}

function defaultOf(value: unknown): string {
  if (value === undefined) return "";
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map((each) => `\`${String(each)}\``).join(", ");
  if (typeof value === "object" && value !== null) return "kind" in value ? `\`kind: ${String(value.kind)}\`` : "";
  return `\`${String(value)}\``;
}
