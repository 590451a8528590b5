import { existsSync } from "node:fs";
import { join } from "node:path";
import { order, patient } from "../../cli/test/end-to-end.ts";

test("every file that has a place in the order is there, and has one place", () => {
  const names = [...order, ...patient.flat()];
  const file = (name: string) => join(import.meta.dirname, "../e2e", `${name}.test.ts`);
  expect(names.filter((name) => !existsSync(file(name)))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});
