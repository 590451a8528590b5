/**
 * `npm test`: everything that says whether this checkout is good, in one command; the counts come from jest's own
 * result.
 */
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { execa } from "execa";
import { catalogue, versions } from "../toolchain/index.ts";
import { fits, type PacedLimit, runEndToEnd, slownessBy, timeLimit } from "./test/end-to-end.ts";
import { type Results, runJest, sum } from "./test/jest.ts";

/** What tests use beyond the default version set: etcd's other versions, and what no deployment uses. */
const beyondDefaults = catalogue
  .filter(
    (set) => (set.testsOnly && !set.late) || versions.etcd.slice(1).some((version) => set.name === `etcd-${version}`),
  )
  .flatMap((set) => set.programs.map(({ name, version }) => `${name}@${version}`));

const root = join(import.meta.dirname, "..");
const jestArguments = process.argv.slice(2);

const help = `usage: npm test [-- PATH... | JEST-ARGUMENT...]

Runs lint, formatting, types, obtains programs, then runs every tier of tests.

  npm test -- tests/spec                     only the tests whose path matches
  npm test -- --selectProjects unit          only jest, with these arguments; with CI=true programs first

KARMADA_TEST_MINUTES: all should be over after so many; an end-to-end file that would take longer, by how
long the others took, is named and counts as skipped.
It ends with a line "N passed, N failed" (", N skipped"). Exit codes: 0 all is well; 1 something is not.`;

/** How many more failed files may be run again, in the whole run. */
let retries = 5;

if (jestArguments.some((each) => each === "--help" || each === "-h")) console.log(help);
else process.exitCode = jestArguments.length > 0 ? await only(jestArguments) : await everything();

async function everything(): Promise<number> {
  const limit = timeLimit(process.env.KARMADA_TEST_MINUTES);
  const checks = await Promise.all([check("eslint", ["."]), check("prettier", ["--check", "."]), check("tsc", [])]);
  const programs = await obtainAll();
  const began = performance.now();
  // They spend much of their time waiting for servers: one worker more than there are processors.
  const workers = String(availableParallelism() + 1);
  const first = await runJest(root, ["--selectProjects", "unit", "conformance", "--maxWorkers", workers], limit?.end);
  const paced = limit && { ...limit, slowness: slownessBy(performance.now() - began) };
  const again = (results: Results) => withAgain(results, paced);
  const quick = await again(first);
  const slow = await runEndToEnd(root, again, paced);
  const results = new Map([...quick, ...slow]);
  const problems = [...checks, programs].filter((ok) => !ok).length;
  if (problems > 0) console.error(`npm test: ${problems} of lint, formatting, types, programs failed; see above`);
  return report(results) && problems === 0 ? 0 : 1;
}

/**
 * Runs the files that failed once more, alone: real servers on a busy machine occasionally miss a time limit. What
 * passes only then is named, since it is still a fault of the test or of the project. More than a few failures are no
 * accident and are not run again; nor are those that would not finish in time.
 */
async function withAgain(first: Results, limit: PacedLimit | undefined): Promise<Results> {
  const failed = [...first].filter(([file, { failed }]) => failed > 0 && file !== "jest").map(([file]) => file);
  if (failed.length === 0 || failed.length > retries) return first;
  const names = (files: string[]) => files.map((file) => relative(root, file)).join(", ");
  if (limit !== undefined && !fits(failed, limit.end, limit.slowness)) {
    console.error(`npm test: NOT RUN ONCE MORE, for lack of time: ${names(failed)}`);
    return first;
  }
  retries -= failed.length;
  console.error(`npm test: once more, alone: ${names(failed)}`);
  const second = await runJest(root, ["--runInBand", "--runTestsByPath", ...failed], limit?.end);
  const unsteady = failed.filter((file) => second.get(file)?.failed === 0);
  if (unsteady.length > 0) console.error(`npm test: UNSTEADY, failed first and passed alone: ${names(unsteady)}`);
  return new Map([...first, ...second]);
}

/** Everything tests run, before the first of them: a test that had to build its program would time out. */
async function obtainAll(): Promise<boolean> {
  return (await obtain()) && (await obtain(...beyondDefaults));
}

/** Programs by name and version, or all of the default version set. @returns whether all are there */
async function obtain(...names: string[]): Promise<boolean> {
  const run = await execa("node", ["toolchain/main.ts", ...names], { cwd: root, stdio: "inherit", reject: false });
  return run.exitCode === 0;
}

async function only(args: string[]): Promise<number> {
  if (process.env.CI === "true" && !(await obtainAll())) return 1;
  return report(await runJest(root, args)) ? 0 : 1;
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

/**
 * Names what failed, for readers of the end of a long output, and prints the last line.
 * @returns whether something passed and nothing failed
 */
function report(results: Results): boolean {
  for (const [file, { failures }] of results)
    for (const failure of failures) console.error(`npm test: FAILED: ${relative(root, file)}: ${failure}`);
  const { passed, failed, skipped } = sum(results);
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  return failed === 0 && passed > 0;
}
