import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fieldRows } from "../../cli/docs/field-table.ts";
import { readmeWith, schemaText } from "../../cli/docs/generated.ts";

const root = join(import.meta.dirname, "..", "..");
const textOf = (path: string) => readFile(join(root, path), "utf8");

test("the README has the table of fields as spec/ has them (npm run docs)", async () => {
  const readme = await textOf("README.md");
  expect(readme).toBe(readmeWith(readme));
});

test("the JSON schema is the one spec/ gives (npm run docs)", async () => {
  expect(await textOf("schema/stack.schema.json")).toBe(await schemaText());
});

test("every field says what it means", () => {
  expect(fieldRows().filter(({ meaning }) => !/^[A-Z].*\.$/.test(meaning))).toEqual([]);
});

test("the table has the fields of every arm of a union, and those of all components once", () => {
  const paths = fieldRows().map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      "etcd.kind: managed",
      "etcd.members",
      "etcd.kind: external",
      "etcd.endpoints",
      "controlPlane.propagateRbac",
      "controlPlane.<component>.resources.memory",
      "controlPlane.<component>.enabled",
      "members[].credentials.kind: simulated",
      "members[].credentials.nodes",
    ]),
  );
  const rows = fieldRows().map((row) => JSON.stringify(row));
  expect(new Set(rows).size).toBe(rows.length);
});

test("a README without the markers is refused", () => {
  expect(() => readmeWith("# Karmada")).toThrow("README.md: no <!-- fields --> ... <!-- /fields -->");
});
