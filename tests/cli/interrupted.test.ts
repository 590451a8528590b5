/** Interrupts that come before pulumi does its work; the pulumi is a script that notes what it is called with. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { execa } from "execa";
import { requiredPlugins } from "../../toolchain/pulumi/plugins.ts";

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "interrupted-"));
  const files = {
    // The command is interrupted while it asks which stacks there are.
    "bin/pulumi": `#!/bin/sh
[ "$1" = version ] && echo v3.259.0 && exit 0
echo "$1 $2" >> '${directory}/called'
[ "$1 $2" = "stack ls" ] && kill -INT $PPID && echo '[{"name":"interrupted"}]'
`,
    "bin/pulumi-language-nodejs": "#!/bin/sh\n",
    ...Object.fromEntries(
      requiredPlugins().map(({ name, version }) => [
        `home/.pulumi/plugins/resource-${name}-v${version}/pulumi-resource-${name}`,
        "",
      ]),
    ),
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(directory, name, ".."), { recursive: true });
    await writeFile(join(directory, name), text, { mode: 0o755 });
  }
});
afterEach(() => rm(directory, { recursive: true, force: true }));

test("npm run destroy that is interrupted before pulumi begins destroys nothing", async () => {
  const env = {
    HOME: join(directory, "home"),
    PATH: [join(directory, "bin"), process.env["PATH"]].join(delimiter),
    PULUMI_BACKEND_URL: `file://${directory}`,
  };
  const { exitCode, stderr } = await execa("node", ["cli/destroy.ts", "--stack", "interrupted"], {
    ...{ cwd: join(import.meta.dirname, "../.."), env, preferLocal: true, reject: false },
  });
  expect(exitCode).toBe(130);
  expect(stderr).toContain("npm run destroy: interrupted; the same command goes on where this one was");
  expect(await readFile(join(directory, "called"), "utf8")).toBe("stack ls\n");
});
