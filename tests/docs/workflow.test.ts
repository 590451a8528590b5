import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";

const root = join(import.meta.dirname, "../..");
const workflows = join(root, ".github/workflows");

test("actionlint finds nothing in the workflows", async () => {
  const files = (await readdir(workflows)).map((file) => join(workflows, file));
  const { exitCode, stdout, stderr } = await execa("go", ["tool", "actionlint", ...files], {
    cwd: join(root, "toolchain/modules/actionlint"),
    reject: false,
  });
  // Its findings are on standard output; what Go downloads the first time is on the other.
  expect({ exitCode, findings: stdout, errors: exitCode === 0 ? "" : stderr }).toEqual({
    exitCode: 0,
    findings: "",
    errors: "",
  });
}, 300_000);

test("every action of the workflows is pinned by commit", async () => {
  for (const file of await readdir(workflows)) {
    const uses = (await readFile(join(workflows, file), "utf8")).match(/uses: .*/g) ?? [];
    expect(uses.length).toBeGreaterThan(0);
    for (const line of uses) expect(line).toMatch(/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  }
});
