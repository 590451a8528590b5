import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { SourceTextModule } from "node:vm";
import { execa } from "execa";

const checkout = join(import.meta.dirname, "../..");

/** The tests are compiled by swc; the product is not, so what only swc understands would be found by nobody else. */
test("every source file is what Node.js itself can take the types from", async () => {
  const { stdout } = await execa("git", ["ls-files", "*.ts"], { cwd: checkout });
  const sources = stdout.split("\n").filter((file) => !file.startsWith("tests/"));
  expect(sources.length).toBeGreaterThan(200);
  expect(sources.flatMap(syntaxError)).toEqual([]);
});

function syntaxError(file: string): string[] {
  try {
    new SourceTextModule(stripTypeScriptTypes(readFileSync(join(checkout, file), "utf8")));
    return [];
  } catch (error) {
    return [`${file}: ${(error as Error).message}`];
  }
}
