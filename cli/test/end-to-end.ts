import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { runJest, type Results } from "./jest.ts";

/** Those first that most depends on; what is named in neither list follows in order of its name. */
export const order = ["local", "fleet", "restore", "hosts", "etcd-life", "hosts-features", "backups"];

/**
 * Files that hold nothing to a bound of time and wait for others much of theirs, for nodes that start pods for instance:
 * these lists are worked off side by side. The pods of one lab would be in the way of another's.
 */
export const patient = [
  ["kubernetes", "kubernetes-restore", "kubernetes-exposure"],
  ["bad-input", "side-by-side", "interrupted", "toolchain", "offline", "versions"],
];

/** The time there is for all tests. */
export interface TimeLimit {
  /** No further file is begun after this moment. */
  readonly begin: Date;
  /** What runs then is ended, and counts as failed. */
  readonly end: Date;
}

/**
 * Runs the files of the end-to-end tier, which start whole control planes: the first alone, then the patient ones, then the
 * others one at a time. One that there is no time left for is named and counts as skipped: a run that is cut off from
 * outside says nothing at all.
 *
 * @param settle what becomes of results, while nothing else runs: it may run a file once more
 */
export async function runEndToEnd(
  root: string,
  settle: (results: Results) => Promise<Results>,
  limit?: TimeLimit,
): Promise<Results> {
  const [first, ...others] = await oneByOne(root);
  return new Map([
    ...(await settle(await inTurn(root, [first!], limit))),
    ...(await settle(await sideBySide(root, limit))),
    ...(await settled(root, others, settle, limit)),
  ]);
}

async function sideBySide(root: string, limit: TimeLimit | undefined): Promise<Results> {
  const lanes = await Promise.all(patient.map((names) => inTurn(root, names.map(fileOf), limit)));
  return new Map(lanes.flatMap((results) => [...results]));
}

async function settled(
  root: string,
  files: readonly string[],
  settle: (results: Results) => Promise<Results>,
  limit: TimeLimit | undefined,
): Promise<Results> {
  const results: Results = new Map();
  for (const file of files) {
    for (const [name, counts] of await settle(await inTurn(root, [file], limit))) results.set(name, counts);
  }
  return results;
}

async function inTurn(root: string, files: readonly string[], limit: TimeLimit | undefined): Promise<Results> {
  const results: Results = new Map();
  for (const file of files) {
    if (limit !== undefined && Date.now() > limit.begin.getTime()) {
      console.error(`npm test: NOT RUN, for lack of time: ${file}`);
      results.set(join(root, file), { passed: 0, failed: 0, skipped: 1 });
      continue;
    }
    const one = await runJest(root, ["--runInBand", "--runTestsByPath", file], limit?.end);
    for (const [name, counts] of one) results.set(name, counts);
  }
  return results;
}

const directory = join("tests", "e2e");
const fileOf = (name: string): string => join(directory, `${name}.test.ts`);

/** The files that nothing else may run beside. */
async function oneByOne(root: string): Promise<string[]> {
  const files = (await readdir(join(root, directory))).filter((name) => name.endsWith(".test.ts"));
  const names = files.map((name) => name.replace(".test.ts", "")).filter((name) => !patient.flat().includes(name));
  return names.sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1)).map(fileOf);
}

function place(name: string): number {
  const found = order.indexOf(name);
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
