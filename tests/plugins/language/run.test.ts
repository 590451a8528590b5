/**
 * Running programs through the real command line: what the user sees must be what the official language host lets them
 * see, once and in its words. PLUGIN_UNDER_TEST=path runs the same tests on the official host.
 */
import { jest } from "@jest/globals";
import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { isRunning } from "../support/process.ts";
import { createCli, type Cli } from "./cli.ts";

let cli: Cli;
beforeAll(async () => {
  cli = await createCli();
}, 120_000);
afterAll(() => cli?.remove());
jest.setTimeout(120_000);

const sdk = 'import * as pulumi from "@pulumi/pulumi";\n';
const unhandled = (directory: string) =>
  `error: Running program '${directory}/index.ts' failed with an unhandled exception:`;

test("a program that succeeds: configuration, secrets, names, arguments and outputs", async () => {
  const program = await cli.program(
    "success",
    {
      "index.ts": `${sdk}
      const config = new pulumi.Config();
      export const plain = config.require("plain");
      export const hidden = config.requireSecret("hidden");
      export const names = [pulumi.getOrganization(), pulumi.getProject(), pulumi.getStack()];
      export const cwd = process.cwd();
      export const memory = process.execArgv.filter((each) => each.startsWith("--max"));
    `,
    },
    { runtime: { nodeargs: "--max-old-space-size=512 '--title=two words'" } },
  );
  await program.pulumi(["config", "set", "plain", "a b"]);
  await program.pulumi(["config", "set", "--secret", "hidden", "s3cret"]);
  expect(await program.preview()).toEqual({ exitCode: 0, diagnostics: [] });
  await program.pulumi(["up", "--yes", "--skip-preview"]);
  const { stdout } = await program.pulumi(["stack", "output", "--json"]);
  expect(JSON.parse(stdout)).toEqual({
    plain: "a b",
    hidden: "[secret]",
    names: ["organization", "success", "test"],
    cwd: program.directory,
    memory: ["--max-old-space-size=512"],
  });
});

test("what a program prints is shown by stream, and its log messages by severity", async () => {
  const program = await cli.program("prints", {
    "index.ts": `${sdk}
      console.log("to standard output");
      console.error("to standard error");
      await pulumi.log.info("said");
      await pulumi.log.warn("warned");
    `,
  });
  const { exitCode, diagnostics } = await program.preview();
  expect(exitCode).toBe(0);
  expect(new Set(diagnostics)).toEqual(
    new Set([
      { severity: "info", message: "to standard output" },
      { severity: "info#err", message: "to standard error" },
      { severity: "info", message: "said" },
      { severity: "warning", message: "warning: warned" },
    ]),
  );
});

test.each([
  { name: "an-error", text: 'throw new Error("boom");', says: "Error: boom" },
  { name: "a-rejection", text: 'void Promise.reject(new Error("late"));', says: "Error: late" },
  { name: "a-missing-package", text: 'import "not-there";', says: /Error: Cannot find package 'not-there'/ },
  { name: "a-syntax-error", text: "const = 3;", says: /SyntaxError/ },
  { name: "unstrippable-typescript", text: "enum A { B }", says: /TypeScript enum is not supported/ },
])("$name is shown once, with where the program is", async ({ name, text, says }) => {
  const program = await cli.program(name, { "index.ts": text });
  const { exitCode, diagnostics } = await program.preview();
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  expect([exitCode, errors.length]).toEqual([1, 1]);
  expect(errors[0]!.message).toContain(unhandled(program.directory));
  expect(errors[0]!.message).toEqual(
    typeof says === "string" ? `${unhandled(program.directory)}\n${says}` : expect.stringMatching(says),
  );
});

test.each([
  { name: "run-error", text: 'throw new pulumi.RunError("told you");', says: "error: told you" },
  {
    name: "resource-error",
    text: 'throw new pulumi.ResourceError("bad", new pulumi.ComponentResource("a:b:C", "c"), true);',
    says: "error: bad",
  },
])("$name is shown without a stack", async ({ name, text, says }) => {
  const program = await cli.program(name, { "index.ts": sdk + text });
  expect(await program.preview()).toMatchObject({
    exitCode: 1,
    diagnostics: [{ severity: "error", message: says }],
  });
});

test.each([
  { name: "exit-7", text: "process.exit(7);", code: 7 },
  { name: "killed", text: 'process.kill(process.pid, "SIGKILL"); await new Promise(() => {});', code: -1 },
])("$name: the exit code is what is shown", async ({ name, text, code }) => {
  const program = await cli.program(name, { "index.ts": text });
  expect(await program.preview()).toMatchObject({
    exitCode: 1,
    diagnostics: [
      {
        severity: "error",
        message: `error: an unhandled error occurred: Program exited with non-zero exit code: ${code}`,
      },
    ],
  });
});

test("a program without the SDK is told to install it", async () => {
  const program = await cli.program("no-sdk", { "index.ts": "" }, { packages: false });
  expect((await program.preview()).diagnostics).toEqual([
    {
      severity: "error",
      message:
        "error: an unhandled error occurred: It looks like the Pulumi SDK has not been installed. " +
        "Have you run pulumi install?",
    },
  ]);
});

test("a plugin that is missing is named, with its version", async () => {
  const program = await cli.program("no-plugin", {
    "index.ts": 'import { RandomPet } from "@pulumi/random"; new RandomPet("pet");',
  });
  const { diagnostics } = await program.preview();
  expect(diagnostics[0]!.message).toMatch(/no resource plugin 'pulumi-resource-random' found .* at version v4\.21\.1/);
});

test("an interrupted run ends the program and does not wait", async () => {
  const program = await cli.program("interrupted", {
    "index.ts": `import { writeFileSync } from "node:fs";
      writeFileSync("pid", String(process.pid));
      await new Promise((resolve) => setTimeout(resolve, 60_000));`,
  });
  const run = program.pulumi(["up", "--yes", "--skip-preview"]);
  let pid = 0;
  for (const end = Date.now() + 20_000; pid === 0 && Date.now() < end; await sleep(50)) {
    pid = Number(await readFile(join(program.directory, "pid"), "utf8").catch(() => "0"));
  }
  const interrupted = performance.now();
  run.kill("SIGINT");
  await sleep(200);
  run.kill("SIGINT");
  expect((await run).exitCode).not.toBe(0);
  expect((performance.now() - interrupted) / 1000).toBeLessThan(10);
  await sleep(200);
  expect(isRunning(pid)).toBe(false);
});

test("pulumi about names Node.js, its version and the package manager", async () => {
  const program = await cli.program("about", { "index.ts": "" });
  const { stdout } = await program.pulumi(["about", "--json"]);
  const { runtime } = JSON.parse(stdout) as { runtime: Record<string, string> };
  expect(runtime).toMatchObject({ language: "nodejs", version: process.version });
  const npm = (await promisify(execFile)("npm", ["--version"])).stdout.trim();
  expect(runtime).toMatchObject({ packagemanager: "npm", packagemanagerVersion: npm });
});
