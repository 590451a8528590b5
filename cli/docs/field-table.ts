import { isDeepStrictEqual } from "node:util";
import { componentNames } from "../../spec/component-names.ts";
import { configurationSchema, type JsonSchema } from "./stack-schema.ts";

/** One field of the stack file. */
export interface FieldRow {
  /** `members[].name`; `<component>` stands for each component of the control plane. */
  readonly path: string;
  readonly values: string;
  readonly default: string;
  readonly meaning: string;
}

/** Every field of the stack file as a Markdown table. */
export function fieldTable(): string {
  const lines = fieldRows().map(({ path, values, default: fallback, meaning }) =>
    [`\`${path}\``, values, fallback, meaning].map((cell) => cell.replaceAll("|", "\\|")).join(" | "),
  );
  return ["| Field | Values | Default | Meaning |", "|---|---|---|---|", ...lines.map((line) => `| ${line} |`)].join(
    "\n",
  );
}

/** Every field, from the schema itself; those that are the same in several places, or kinds, appear once. */
export function fieldRows(): FieldRow[] {
  const rows = childrenOf("", configurationSchema({ want: true })).filter(
    ({ path }) => !ofGroups.test(path) && !ofAffinities.test(path),
  );
  return rows.filter((row, i) => rows.findIndex((other) => isDeepStrictEqual(other, row)) === i);
}

/** The fields of a member again. */
const ofGroups = /^memberGroups\[\]\.(defaults|members\[\])\./;

/** The fields of a clusterAffinity again. */
const ofAffinities =
  /^policies\[\].*\.(clusterAffinities\[\]|targetCluster)\.(clusterNames|exclude|labelSelector|fieldSelector)/;

function childrenOf(path: string, schema: JsonSchema): FieldRow[] {
  const required = new Set(schema.required);
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([key, child]) =>
      rowsOf(path === "" ? key : `${path}.${settingsOf(path, key)}`, child, required.has(key)),
    ),
    ...(schema.oneOf ?? []).flatMap((arm) => armRows(path, arm)),
    ...(schema.items ? childrenOf(`${path}[]`, schema.items) : []),
  ];
}

const settingsOf = (path: string, key: string): string =>
  path === "controlPlane" && (componentNames as readonly string[]).includes(key) ? "<component>" : key;

function rowsOf(path: string, schema: JsonSchema, required: boolean): FieldRow[] {
  const row = {
    path,
    values: valuesOf(schema),
    default: required ? "required" : defaultOf(schema.default),
    meaning: path === "controlPlane.<component>" ? componentsMeaning : (schema.description ?? ""),
  };
  return [row, ...childrenOf(path, schema)];
}

const componentsMeaning = `One of ${componentNames.map((name) => `\`${name}\``).join(", ")}.`;

/** An arm of a union: a row for its tag, should it have one, then its own fields. */
function armRows(path: string, arm: JsonSchema): FieldRow[] {
  const { kind, ...properties } = arm.properties ?? {};
  if (kind?.const === undefined) return childrenOf(path, arm);
  const tag = String(kind?.const);
  const tagRow = { path: `${path}.kind: ${tag}`, values: "", default: "", meaning: kind?.description ?? "" };
  return [tagRow, ...childrenOf(path, { ...arm, properties })];
}

function valuesOf(schema: JsonSchema): string {
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(", ");
  if (schema.oneOf) return "an object, by `kind`";
  if (schema.type === "array") return `a list${schema.items?.want ? `: each ${schema.items.want}` : ""}`;
  if (schema.type === "object") return schema.properties ? "an object" : "an object: any keys";
  if (schema.type === "boolean") return "`true`, `false`";
  return schema.want ?? schema.type ?? "";
}

function defaultOf(value: unknown): string {
  if (value === undefined) return "";
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map((each) => `\`${String(each)}\``).join(", ");
  if (typeof value === "object" && value !== null) return "kind" in value ? `\`kind: ${String(value.kind)}\`` : "";
  return `\`${String(value)}\``;
}
