/** Interrupts that come before pulumi does its work; the pulumi is a script that notes what it is called with. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { scriptedPulumi } from "../support/scripted-pulumi.ts";

let directory: string;
let env: NodeJS.ProcessEnv;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "interrupted-"));
  // The command is interrupted while it asks which stacks there are.
  env = await scriptedPulumi(
    directory,
    `echo "$1 $2" >> '${directory}/called'
[ "$1 $2" = "stack ls" ] && kill -INT $PPID && echo '[{"name":"interrupted"}]'
`,
  );
});
afterEach(() => rm(directory, { recursive: true, force: true }));

test("npm run destroy that is interrupted before pulumi begins destroys nothing", async () => {
  const { exitCode, stderr } = await execa("node", ["cli/destroy.ts", "--stack", "interrupted"], {
    ...{ cwd: join(import.meta.dirname, "../.."), env, preferLocal: true, reject: false },
  });
  expect(exitCode).toBe(130);
  expect(stderr).toContain("npm run destroy: interrupted; the same command goes on where this one was");
  expect(await readFile(join(directory, "called"), "utf8")).toBe("stack ls\n");
});
