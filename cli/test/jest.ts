import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { execa } from "execa";

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** The result of a test file. */
export interface Outcome extends Counts {
  /** One for each failed test: its name and the beginning of its error. */
  readonly failures: readonly string[];
}

/** The result of each test file, by its path. */
export type Results = Map<string, Outcome>;

/**
 * Runs jest and counts per file, from jest's own result. A file that could not even be loaded counts as one failed
 * test, and so does a jest that ended without a result (under the name `jest`).
 *
 * @param args jest's arguments
 * @param end when it is killed @default never
 */
export async function runJest(root: string, args: string[], end?: Date): Promise<Results> {
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
        ...(end && { timeout: Math.max(1, end.getTime() - Date.now()) }),
        env: { NODE_OPTIONS: "--disable-warning=ExperimentalWarning" },
      },
    );
    const { testResults } = JSON.parse(await readFile(result, "utf8")) as { testResults: File[] };
    return new Map(testResults.map((file) => [file.name, outcomeOf(file)]));
  } catch {
    // It says why above, unless it was killed.
    const isOver = end !== undefined && Date.now() >= end.getTime();
    const failure = `${isOver ? "ENDED, for lack of time" : "no result, see above"}: ${args.at(-1)}`;
    if (isOver) console.error(`npm test: ${failure}`);
    return new Map([["jest", { passed: 0, failed: 1, skipped: 0, failures: [failure] }]]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** All files together. */
export function sum(results: Results): Counts {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const { passed, failed, skipped } of results.values()) {
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
  }
  return total;
}

/** Jest's result of one file, as far as it is used here. */
interface File {
  name: string;
  status: string;
  /** Why it could not be loaded. */
  message: string;
  assertionResults: { status: string; fullName: string; failureMessages: string[] }[];
}

function outcomeOf({ status, message, assertionResults }: File): Outcome {
  const count = (...kinds: string[]) => assertionResults.filter((test) => kinds.includes(test.status)).length;
  const failed = assertionResults.filter((test) => test.status === "failed");
  const failures = failed.map(({ fullName, failureMessages }) => `${fullName}: ${beginningOf(failureMessages[0])}`);
  if (status === "failed" && failures.length === 0) failures.push(beginningOf(message));
  return {
    passed: count("passed"),
    failed: failures.length,
    skipped: count("pending", "todo", "skipped", "disabled"),
    failures,
  };
}

/** An error without colours and stack, in one line. */
function beginningOf(message = ""): string {
  const [said = ""] = stripVTControlCharacters(message.trim()).split(/\n\s+at /, 1);
  return said
    .split(/\s*\n\s*/)
    .join(" | ")
    .slice(0, 600);
}
