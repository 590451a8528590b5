import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

const program = `
  import { failPoint } from ${JSON.stringify(new URL("../../lib/fail-point.ts", import.meta.url).href)};
  console.log("before");
  failPoint("membership/added");
  console.log("after");
`;

const run = (point?: string) =>
  spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    env: { ...process.env, KARMADA_FAIL_AT: point },
    encoding: "utf8",
  });

describe("a fail point", () => {
  test("ends the process at once where it is named", () => {
    expect(run("membership/added")).toMatchObject({ signal: "SIGKILL", stdout: "before\n" });
  });

  test("does nothing anywhere else", () => {
    expect(run("membership/removed")).toMatchObject({ status: 0, stdout: "before\nafter\n" });
    expect(run()).toMatchObject({ status: 0, stdout: "before\nafter\n" });
  });

  test("is somewhere that a test dies: each one there is", () => {
    const points = matches("lib/*.ts", /failPoint\("([^"]+)"\)/g);
    expect(points.length).toBeGreaterThan(15);
    const named = new Set(matches("tests/*.test.ts", /"([a-z]+(?:[-/][a-z]+)*)"/g));
    expect(points.filter((point) => !named.has(point) && !named.has(point.replace("membership/", "")))).toEqual([]);
  });
});

/** The first group of every match in these files. */
function matches(files: string, pattern: RegExp): string[] {
  const cwd = new URL("../../", import.meta.url).pathname;
  const found = execFileSync("git", ["ls-files", files], { cwd, encoding: "utf8" }).trim().split("\n");
  return found.flatMap((file) => [...readFileSync(cwd + file, "utf8").matchAll(pattern)].map(([, name]) => name!));
}
