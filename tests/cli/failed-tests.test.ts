/** What a run of jest has to say of each test that failed, with a small jest project of its own. */
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runJest } from "../../cli/test/jest.ts";

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "failed-tests-")));
  symlinkSync(join(import.meta.dirname, "..", "..", "node_modules"), join(root, "node_modules"));
  // Without a report, which would look as if tests of this project had failed.
  writeFileSync(join(root, "package.json"), JSON.stringify({ jest: { reporters: [] } }));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (name: string, text: string) => writeFileSync(join(root, name), text);

test("each test that failed is named with how its error begins, and so is a file that cannot be loaded", async () => {
  write(
    "some.test.js",
    `test("adds", () => {});
     describe("a plane", () => {
       test("answers", () => { throw new Error("it said\\n  nothing") });
       test.skip("is left out", () => {});
     });`,
  );
  write("other.test.js", `require("./not-there");`);
  const results = await runJest(root, []);
  expect(results.get(join(root, "some.test.js"))).toEqual({
    passed: 1,
    failed: 1,
    skipped: 1,
    failures: ["a plane answers: Error: it said | nothing"],
  });
  const { failures, ...counts } = results.get(join(root, "other.test.js"))!;
  expect(counts).toEqual({ passed: 0, failed: 1, skipped: 0 });
  expect(failures).toEqual([expect.stringContaining("Cannot find module './not-there' from 'other.test.js'")]);
}, 60_000);

test("a jest that gives no result is a failure by its last argument", async () => {
  write("package.json", "{");
  const failures = ["no result, see above: --runInBand"];
  expect(await runJest(root, ["--runInBand"])).toEqual(
    new Map([["jest", { passed: 0, failed: 1, skipped: 0, failures }]]),
  );
}, 60_000);
