import { spawnSync } from "node:child_process";

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
});
