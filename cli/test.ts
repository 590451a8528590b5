/**
 * `npm test`: everything that says whether this checkout is good, in one command.
 *
 *   npm test                                   lint, formatting, types, programs, then every tier
 *   npm test -- --selectProjects unit          only jest, with these arguments
 *   npm test -- tests/spec                     only the tests whose path matches
 *
 * It ends with a line `N passed, N failed` (`, N skipped`), counted from jest's own result. Exit code 0: all is well.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { catalogue, versions } from "../toolchain/index.ts";

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** What tests use beyond the default version set: etcd's other versions, and what no deployment uses. */
const beyondDefaults = catalogue
  .filter((set) => set.testsOnly || versions.etcd.slice(1).some((version) => set.name === `etcd-${version}`))
  .flatMap((set) => set.programs.map(({ name, version }) => `${name}@${version}`));

const root = join(import.meta.dirname, "..");
const jestArguments = process.argv.slice(2);

process.exitCode = jestArguments.length > 0 ? await only(jestArguments) : await everything();

async function everything(): Promise<number> {
  const checks = await Promise.all([check("eslint", ["."]), check("prettier", ["--check", "."]), check("tsc", [])]);
  // First: a test that had to build its program would run out of time.
  const programs = (await obtain()) && (await obtain(...beyondDefaults));
  // The end-to-end tier starts whole control planes: one at a time, after the quick tiers.
  const quick = await jest(["--selectProjects", "unit", "conformance", "--maxWorkers", "2"]);
  const slow = await jest(["--selectProjects", "e2e", "--runInBand"]);
  const counts = {
    passed: quick.passed + slow.passed,
    failed: quick.failed + slow.failed,
    skipped: quick.skipped + slow.skipped,
  };
  const problems = [...checks, programs].filter((ok) => !ok).length;
  if (problems > 0) console.error(`npm test: ${problems} of lint, formatting, types, programs failed; see above`);
  report(counts);
  return problems === 0 && counts.failed === 0 && counts.passed > 0 ? 0 : 1;
}

/** Programs by name and version, or all of the default version set. @returns whether all are there */
async function obtain(...names: string[]): Promise<boolean> {
  const run = await execa("node", ["toolchain/main.ts", ...names], { cwd: root, stdio: "inherit", reject: false });
  return run.exitCode === 0;
}

async function only(args: string[]): Promise<number> {
  const counts = await jest(args);
  report(counts);
  return counts.failed === 0 && counts.passed > 0 ? 0 : 1;
}

/** Runs one static check and shows its output only when it finds something. */
async function check(program: string, args: string[]): Promise<boolean> {
  const started = performance.now();
  const run = await execa(program, args, { cwd: root, preferLocal: true, all: true, reject: false });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.error(`${program}: ${run.exitCode === 0 ? "ok" : "failed"} (${seconds} s)`);
  if (run.exitCode !== 0) console.error(run.all);
  return run.exitCode === 0;
}

/** Runs jest and counts; a suite that could not even be loaded counts as one failed test. */
async function jest(args: string[]): Promise<Counts> {
  const directory = await mkdtemp(join(tmpdir(), "karmada-pulumi-test-"));
  const result = join(directory, "result.json");
  try {
    await execa(
      "node",
      ["--experimental-vm-modules", "node_modules/jest/bin/jest.js", ...args, "--json", `--outputFile=${result}`],
      {
        cwd: root,
        // jest's --json prints the whole result on standard output as well; the readable report is on standard error.
        stdout: "ignore",
        stderr: "inherit",
        reject: false,
        env: { NODE_OPTIONS: "--disable-warning=ExperimentalWarning" },
      },
    );
    const parsed = JSON.parse(await readFile(result, "utf8")) as {
      numPassedTests: number;
      numFailedTests: number;
      numPendingTests: number;
      numTodoTests: number;
      numRuntimeErrorTestSuites: number;
    };
    return {
      passed: parsed.numPassedTests,
      failed: parsed.numFailedTests + parsed.numRuntimeErrorTestSuites,
      skipped: parsed.numPendingTests + parsed.numTodoTests,
    };
  } catch {
    return { passed: 0, failed: 1, skipped: 0 }; // jest ended without a result: it says why above
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function report({ passed, failed, skipped }: Counts): void {
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
}
