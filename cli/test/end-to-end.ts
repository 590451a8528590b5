import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { runJest, type Results } from "./jest.ts";

/** Those first that most depends on; the others follow in order of their names. */
const order = [
  "local",
  "fleet",
  "bad-input",
  "restore",
  "hosts",
  "etcd-life",
  "kubernetes",
  "hosts-features",
  "backups",
];

/** The time there is for all tests. */
export interface TimeLimit {
  /** No further file is begun after this moment. */
  readonly begin: Date;
  /** What runs then is ended, and counts as failed. */
  readonly end: Date;
}

/**
 * Runs the files of the end-to-end tier, which start whole control planes, one at a time. One that there is no time left
 * for is named and counts as skipped: a run that is cut off from outside says nothing at all.
 *
 * @param settle what becomes of the results of a file: it may run it once more
 */
export async function runEndToEnd(
  root: string,
  settle: (results: Results) => Promise<Results>,
  limit?: TimeLimit,
): Promise<Results> {
  const results: Results = new Map();
  for (const file of await endToEndFiles(root)) {
    if (limit !== undefined && Date.now() > limit.begin.getTime()) {
      console.error(`npm test: NOT RUN, for lack of time: ${file}`);
      results.set(join(root, file), { passed: 0, failed: 0, skipped: 1 });
      continue;
    }
    const one = await settle(await runJest(root, ["--runInBand", "--runTestsByPath", file], limit?.end));
    for (const [name, counts] of one) results.set(name, counts);
  }
  return results;
}

async function endToEndFiles(root: string): Promise<string[]> {
  const directory = join("tests", "e2e");
  const names = (await readdir(join(root, directory))).filter((name) => name.endsWith(".test.ts"));
  return names.sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1)).map((name) => join(directory, name));
}

function place(name: string): number {
  const found = order.indexOf(name.replace(".test.ts", ""));
  return found === -1 ? order.length : found;
}

/** From `KARMADA_TEST_MINUTES`, minutes from now on; none when that is not set. */
export function timeLimit(text: string | undefined, now = Date.now()): TimeLimit | undefined {
  if (text === undefined || text === "") return undefined;
  const minutes = Number(text);
  if (!(minutes > 0)) throw new Error(`KARMADA_TEST_MINUTES: got "${text}", want a number of minutes above 0`);
  const at = (after: number) => new Date(now + after * 60_000);
  return { begin: at(minutes), end: at(minutes + graceMinutes) };
}

/** For what was begun in time. */
const graceMinutes = 10;
