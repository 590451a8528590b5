import { execFile } from "node:child_process";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { noMonitoring } from "../../cli/monitoring/no-monitoring.ts";
import { missingStack } from "../../cli/stack/missing-stack.ts";
import { noPlane } from "../../cli/stack/no-plane.ts";

const root = join(import.meta.dirname, "..", "..");

const run = (script: string, ...args: string[]) => ended(process.execPath, join(root, script), ...args);

const ended = (program: string, ...args: string[]) =>
  promisify(execFile)(program, args, { cwd: root, timeout: 60_000 }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );

/** Whatever a command refuses, it has written nothing. */
const written = ["docs/stack-file.md", "schema/stack.schema.json", "spec/versions/karmada-1.18.2.json"];
const times = () => Promise.all(written.map(async (path) => (await stat(join(root, path))).mtimeMs));

describe.each([
  ["docs", "cli/docs.ts"],
  ["flags", "cli/flags.ts"],
  ["bench", "bench/main.ts"],
])("npm run %s", (name, script) => {
  test("prints its help, and does nothing else", async () => {
    const before = await times();
    const { code, stdout, stderr } = await run(script, "--help");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(new RegExp(`^usage: npm run ${name}`));
    expect(await times()).toEqual(before);
  });

  test("refuses what it does not know, in a line, and does nothing", async () => {
    const before = await times();
    const { code, stdout, stderr } = await run(script, "--bogus");
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(
      new RegExp(`^npm run ${name}: Unknown option '--bogus'.*\nnpm run ${name} -- --help says more\n$`),
    );
    expect(await times()).toEqual(before);
  });
});

test.each(["--help", "-h"])("npm test -- %s prints its help, and runs nothing", async (option) => {
  const { code, stdout, stderr } = await run("cli/test.ts", option);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^usage: npm test /);
});

test.each([
  ["start", "--stack=test"],
  ["destroy", "--stack=test"],
  ["pulumi", "--stack=test"],
  ["bundle", "--from=a.tar"],
  ["toolchain", "--dry-run"],
  ["bench", "--members=10"],
])("npm run %s %s, without the lone --, is refused", async (script, option) => {
  // The help is all that it would do if it were not.
  const { code, stdout, stderr } = await ended("npm", "run", "--silent", script, option, "--", "--help");
  expect([code, stdout]).toEqual([2, ""]);
  const called = `${script === "start" ? "npm start" : `npm run ${script}`} -- ${option.replace("=", " ")}`;
  expect(stderr).toContain(`: options come after a lone --, as in ${called}\n`);
});

test.each(["cli/docs.ts", "cli/flags.ts"])("%s takes no words either", async (script) => {
  const { code, stderr } = await run(script, "karmada");
  expect(code).toBe(2);
  expect(stderr).toContain("Unexpected argument 'karmada'");
});

test.each([
  ["--members", "many", '--members: got "many", want a whole number from 10 on'],
  ["--db-size", "big", '--db-size: got "big", want a number of GB'],
])("a benchmark with %s %s is refused before anything is measured", async (option, value, message) => {
  const { code, stderr } = await run("bench/main.ts", option, value);
  expect([code, stderr]).toEqual([2, `npm run bench: ${message}\nnpm run bench -- --help says more\n`]);
});

test("a directory is no stack file", async () => {
  const directory = await mkdtemp(join(tmpdir(), "karmada-usage-"));
  try {
    const { code, stderr } = await run("cli/images.ts", "--file", directory);
    expect([code, stderr]).toEqual([
      1,
      `npm run images: ${directory}: this is a directory, want a stack file: name one with --stack or --file\n`,
    ]);
  } finally {
    await rm(directory, { recursive: true });
  }
  const { code, stderr } = await run("cli/images.ts", "--file", "");
  expect(code).toBe(2);
  expect(stderr).toMatch(/^npm run images: --file: got "", want the path of a stack file\n/);
});

test("a stack that there is none of is named, with what there is instead", () => {
  expect(missingStack("nope", ["dev", "prod"], false)).toBe(
    "stack nope: there is none of this name, there are dev, prod; choose one with --stack",
  );
  expect(missingStack("prdo", ["dev", "organization/karmada/prod"], false)).toBe(
    'stack prdo: there is none of this name, did you mean "prod"? there are dev, prod; choose one with --stack',
  );
  expect(missingStack("nope", [], false)).toBe(
    "stack nope: there is none of this name, and no other; write Pulumi.nope.yaml, then npm start -- --stack nope makes it",
  );
  expect(missingStack("next", ["dev"], true)).toBe(
    "stack next: there is none of this name, there are dev; npm start -- --stack next makes it from Pulumi.next.yaml",
  );
  expect(missingStack("dev", [], true)).toBe(
    "stack dev: there is none of this name, and no other; npm start makes it from Pulumi.dev.yaml",
  );
});

test("a stack without a control plane is told how it comes to one", () => {
  expect(noPlane("prod", "karmada")).toBe("stack prod: it has no control plane yet; npm start -- --stack prod goes on");
  expect(noPlane("dev", "members")).toBe("stack dev: it has no control plane yet; npm start goes on");
  expect(noPlane("etcd", "etcd")).toBe("stack etcd: it has no etcd yet; npm start -- --stack etcd goes on");
  expect(noPlane("daily", "snapshots")).toBe(
    "stack daily: it runs the program snapshots, which has no control plane to ask; npm run pulumi -- stack output --stack daily says what it has",
  );
});

test("a stack that is not to be watched is told how it comes to be", () => {
  expect(noMonitoring("etcd", "etcd")).toBe("stack etcd: it runs the program etcd, for which nothing is written");
  expect(noMonitoring("prod", "karmada")).toBe(
    'stack prod: it has no output "monitoring"; write karmada:monitoring: {enabled: true} into Pulumi.prod.yaml, then npm start -- --stack prod',
  );
});
