import { mkdtemp, readFile, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { execa } from "execa";
import { parse } from "yaml";

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

describe("the preview of a stack that the backend does not have", () => {
  interface Step {
    readonly id?: string;
    readonly uses?: string;
    readonly run?: string;
    readonly with?: Readonly<Record<string, unknown>>;
  }
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "workflow-"));
    await symlink(join(root, "toolchain"), join(directory, "toolchain"));
  });
  afterEach(() => rm(directory, { recursive: true }));

  test.each([
    [
      "its file's secrets provider",
      "secretsprovider: awskms://alias/karmada\nencryptedkey: AQ==\n",
      "awskms://alias/karmada",
    ],
    ["a passphrase where its file names none", "encryptionsalt: v1:AQ==\n", ""],
  ])("makes it with %s", async (_, text, provider) => {
    const workflow = parse(await readFile(join(workflows, "pull-request.yml"), "utf8")) as {
      jobs: { preview: { steps: Step[] } };
    };
    const { steps } = workflow.jobs.preview;
    const at = steps.findIndex(({ uses = "" }) => uses.startsWith("pulumi/actions@"));
    const [, id, output] =
      /^\$\{\{ steps\.([\w-]+)\.outputs\.([\w-]+) \}\}$/.exec(String(steps[at]?.with?.["secrets-provider"])) ?? [];
    const step = steps.slice(0, at).find((each) => each.id === id);
    await writeFile(join(directory, "Pulumi.prod.yaml"), text);
    const env = {
      STACK: "prod",
      GITHUB_OUTPUT: join(directory, "output"),
      PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter),
    };
    await execa("bash", ["-e", "-c", step?.run ?? ""], { cwd: directory, env });
    expect(await readFile(env.GITHUB_OUTPUT, "utf8")).toBe(`${output}=${provider}\n`);
  });
});
