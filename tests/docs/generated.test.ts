import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { FieldRow } from "../../cli/docs/field-row.ts";
import { fieldTables } from "../../cli/docs/field-tables.ts";
import { fieldSections } from "../../cli/docs/fields.ts";
import { referenceWith, schemaText } from "../../cli/docs/generated.ts";
import { recurring } from "../../cli/docs/recurring.ts";
import { configurationSchema, type JsonSchema } from "../../cli/docs/stack-schema.ts";
import { componentNames } from "../../spec/control-plane/component-names.ts";
import { sectionsOf } from "../../spec/program-sections.ts";

const root = join(import.meta.dirname, "..", "..");
const textOf = (path: string) => readFile(join(root, path), "utf8");
const rows = fieldSections().flatMap(({ parts }) => parts.flatMap((part) => part.rows));

test("docs/stack-file.md has the fields as spec/ has them (npm run docs)", async () => {
  const page = await textOf("docs/stack-file.md");
  expect(page).toBe(referenceWith(page));
});

test("the JSON schema is the one spec/ gives (npm run docs)", async () => {
  expect(await textOf("schema/stack.schema.json")).toBe(await schemaText());
});

test.each(Object.entries(sectionsOf))("the JSON schema has each field of a stack of the program %s", (_, sections) => {
  const completed = new Set(pathsOf("", configurationSchema({ want: false })));
  const own = z.toJSONSchema(z.strictObject(sections), { io: "input" }) as JsonSchema;
  // Where keys are free, as in placement.components, a program may name its own.
  const free = rows.filter(({ values }) => values.startsWith("an object: ")).map(({ path }) => path);
  const isOfFree = (path: string) => free.includes(path.slice(0, path.lastIndexOf(".")));
  expect(pathsOf("", own).filter((path) => !completed.has(path) && !isOfFree(path))).toEqual([]);
});

test("every field says what it means", () => {
  expect(rows.filter(({ meaning }) => !/^[A-Z].*\.$/.test(meaning))).toEqual([]);
});

test("every field of the stack file has a row, or one of a place that has the same fields", () => {
  const shown = new Set(rows.map(({ path }) => path));
  const standIns = rows.filter(({ path }) => path.endsWith(".*"));
  expect(standIns.length).toBeGreaterThan(5);
  for (let before = 0; before < shown.size;) {
    before = shown.size;
    for (const { path, meaning } of standIns) {
      const home = /^The fields of `(.+)`\.$/.exec(meaning)![1]!;
      const fields = [...shown].filter((other) => other.startsWith(`${home}.`));
      fields.forEach((field) => shown.add(path.slice(0, -2) + field.slice(home.length)));
    }
  }
  const missing = pathsOf("", configurationSchema({ want: false })).filter((path) => !shown.has(path));
  expect(missing.filter((path) => !/^memberGroups\[\]\.(defaults|members\[\])\./.test(path))).toEqual([]);
});

test("where keys are free, it is said what they are, and what their values are", () => {
  const valuesOf = (path: string) => rows.find((row) => row.path === path)?.values;
  expect(valuesOf("members[].labels")).toMatch(/^an object: a label key such as .* to a label value: /);
  expect(valuesOf("placement.components")).toBe(
    "an object: the name of a component to a list: each the name of a host",
  );
  expect(valuesOf("etcd.replace")).toBe("an object: the name of a member to a whole number from 1 to 1000000");
  expect(valuesOf("controlPlane.<component>.featureGates")).toMatch(/ to `true`, `false`$/);
  expect(valuesOf("placement.pods")).toBe("an object: the name of a program to an object");
  expect(valuesOf("placement.pods.<name>.priorityClass")).toBe("the name of a priority class");
  const unsaid = rows.filter(({ values }) => values.includes("any key to any value")).map(({ path }) => path);
  expect(unsaid).toEqual([
    ...["addons[].source.values", "policies[].spec", "policies[].parameters", "policyTemplates[].body"],
  ]);
});

test("no row is there twice", () => {
  const texts = rows.map((row) => JSON.stringify(row));
  expect(texts.filter((text, i) => texts.indexOf(text) < i)).toEqual([]);
});

test("each top-level key has its heading, in the order of the list of contents, and each kind one of its own", () => {
  const keys = Object.keys(configurationSchema({ want: false }).properties!);
  const headings = [...fieldTables().matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!);
  expect(headings.filter((heading) => !heading.startsWith("`"))).toEqual(keys);
  expect(headings).toEqual(
    expect.arrayContaining(["`placement.kind: hosts`", "`etcd.kind: external`", "`policies[].template`"]),
  );
});

test("each top-level key says which page explains it", () => {
  const sections = fieldTables().split(/^## /m).slice(1);
  expect(sections.filter((text) => !/^\w+\n\nExplained in \[/.test(text)).map((text) => text.split("\n")[0])).toEqual(
    [],
  );
});

test("what an earlier kind has is named, not told again", () => {
  const policies = fieldSections().find(({ key }) => key === "policies")!;
  const [propagation, clusterWide] = policies.parts.slice(1);
  expect(propagation!.rows.map(({ path }) => path)).toContain("policies[].resourceSelectors");
  expect(clusterWide).toMatchObject({
    title: "policies[].kind: ClusterPropagationPolicy",
    rows: [],
    asBefore: [
      "policies[].name",
      "policies[].resourceSelectors",
      "policies[].placement",
      "policies[].schedulerName",
      "policies[].spec",
    ],
  });
});

test("fields that are all those of a place with a shorter path are said to be so, others stay", () => {
  const row = (path: string): FieldRow => ({ path, values: "", default: "", meaning: "Means something." });
  const [long, short] = [
    ["host", "user", "port", "key"],
    ["user", "port", "key"],
  ];
  const all = [...long.map((key) => row(`hosts[].login.${key}`)), ...short.map((key) => row(`ssh.${key}`))];
  const other = { ...row("proxy.user"), meaning: "Means something else." };
  const shown = recurring([...all, other]);
  expect([...all, other].flatMap((each) => shown(each))).toEqual([
    row("hosts[].login.host"),
    { ...row("hosts[].login.*"), meaning: "The fields of `ssh`." },
    ...short.map((key) => row(`ssh.${key}`)),
    other,
  ]);
});

test("a page without the markers is refused", () => {
  expect(() => referenceWith("# Fields")).toThrow("docs/stack-file.md: no <!-- fields --> ... <!-- /fields -->");
});

/** Where a stack file can have something, in the form of the tables. */
function pathsOf(path: string, { properties = {}, oneOf = [], items, additionalProperties }: JsonSchema): string[] {
  const at = (key: string) => [...(path === "" ? [] : [path]), component(path, key)].join(".");
  return [
    ...Object.entries(properties)
      .filter(([, { const: tag }]) => tag === undefined)
      .flatMap(([key, child]) => [at(key), ...pathsOf(at(key), child)]),
    ...oneOf.flatMap((arm) => pathsOf(path, arm)),
    ...(items ? pathsOf(`${path}[]`, items) : []),
    ...(typeof additionalProperties === "object" ? pathsOf(`${path}.<name>`, additionalProperties) : []),
  ];
}

const component = (path: string, key: string): string =>
  path === "controlPlane" && (componentNames as readonly string[]).includes(key) ? "<component>" : key;
