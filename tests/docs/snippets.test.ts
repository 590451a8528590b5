import { parse } from "yaml";
import { configurationSchema, type JsonSchema } from "../../cli/docs/stack-schema.ts";
import { documents, snippetsOf } from "../support/documents.ts";
import { configOf, programOf, resolveExample } from "../support/example-stacks.ts";

const schema = configurationSchema({ want: true });
const yaml = documents.flatMap(snippetsOf).filter(({ language }) => language === "yaml");

/** Those that say in their first line which other file they are of are not of a stack file. */
const ofStackFiles = yaml.filter(({ text }) => !/^# [\w.-]+\.yml;/.test(text));
const whole = ofStackFiles.filter(({ text }) => /^config:$/m.test(text));

/** Members of a team and a restore take what another stack gives out. */
const byThemselves = whole.filter(({ text }) => ["karmada", "etcd", "snapshots"].includes(programOf(configOf(text))));

test.each(ofStackFiles)("what the stack file of $at says, there is", ({ text }) => {
  expect(unknownIn("", schema, keysOf(text))).toEqual([]);
});

test.each(byThemselves)("the stack file of $at resolves", async ({ text }) => {
  expect(await resolveExample(text)).toMatchObject({ program: programOf(configOf(text)) });
});

test("the README has a stack file for each way to run", () => {
  const kinds = byThemselves
    .filter(({ at }) => at.startsWith("README.md:"))
    .map(({ text }) => (configOf(text)["placement"] as { kind: string } | undefined)?.kind);
  expect(kinds).toEqual([undefined, "hosts", "kubernetes"]);
});

test("keys and values that a stack file cannot have are found", () => {
  const found = (text: string) => unknownIn("", schema, keysOf(text));
  expect(found("karmada:member: []")).toEqual(["member"]);
  expect(found("karmada:members: [{ name: paris, colour: red }]")).toEqual(["members[].colour"]);
  expect(found("karmada:etcd: { kind: managed, prefix: /registry }")).toEqual(["etcd.prefix"]);
  expect(found("karmada:etcd: { kind: extern }")).toEqual(["etcd.kind: extern"]);
  expect(found("karmada:versions: { karmada: 1.2.3 }")).toEqual(["versions.karmada: 1.2.3"]);
  expect(() => found("etcd: { members: 5 }")).toThrow("etcd: got no namespace, want karmada:etcd");
});

/** The keys of the project that a snippet has, below `config:` or without it. */
function keysOf(text: string): Record<string, unknown> {
  const parsed = parse(text) as Record<string, unknown>;
  const keys = (parsed["config"] ?? parsed) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(keys).map(([key, value]) => {
      if (!key.startsWith("karmada:")) throw new Error(`${key}: got no namespace, want karmada:${key}`);
      return [key.slice("karmada:".length), value];
    }),
  );
}

/** Keys that the schema does not have, and values that are none of those there are. */
function unknownIn(path: string, schema: JsonSchema, value: unknown): string[] {
  if (Array.isArray(value))
    return schema.items ? value.flatMap((each) => unknownIn(`${path}[]`, schema.items!, each)) : [];
  if (typeof value !== "object" || value === null) return isAllowed(schema, value) ? [] : [`${path}: ${String(value)}`];
  if ("secure" in value) return [];
  const { kind } = value as { kind?: unknown };
  const arms = [schema, ...(schema.oneOf ?? [])].filter(({ properties: { kind: tag } = {} }) => !isOther(tag, kind));
  if (schema.oneOf && kind !== undefined && arms.length === 1) return [`${path}.kind: ${String(kind)}`];
  const properties = Object.assign({}, ...arms.map(({ properties }) => properties)) as Record<string, JsonSchema>;
  if (Object.keys(properties).length === 0) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    const at = path === "" ? key : `${path}.${key}`;
    return properties[key] ? unknownIn(at, properties[key], child) : [at];
  });
}

const isAllowed = ({ enum: values }: JsonSchema, value: unknown): boolean =>
  values === undefined || values.includes(value);

const isOther = (tag: JsonSchema | undefined, kind: unknown): boolean =>
  kind !== undefined && tag?.const !== undefined && tag.const !== kind;
