import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { execa } from "execa";
import { runJest, type Results } from "./jest.ts";

/** What every run begins with: most depends on these. */
const always: readonly string[] = ["commands", "local", "hosts", "kubernetes"];

/**
 * What each file usually takes on two processors, in minutes, in the order in which they run. Unlisted ones come last.
 */
const usualMinutes: Readonly<Record<string, number>> = {
  commands: 2,
  local: 5,
  hosts: 7,
  kubernetes: 6,
  fleet: 6,
  failover: 4,
  restore: 4,
  "etcd-life": 5,
  toolchain: 1,
  offline: 1,
  unprivileged: 1,
  "bad-input": 4,
  "hosts-preflight": 2,
  interrupted: 2,
  "external-etcd": 3,
  "etcd-stack": 5,
  "side-by-side": 2,
  "members-stack": 4,
  snapshots: 2,
  backups: 3,
  "hosts-features": 9,
  "hosts-local": 4,
  "agent-in-member": 5,
  "across-clusters": 5,
  tunnel: 5,
  "kubernetes-side-by-side": 4,
  "kubernetes-exposure": 5,
  "host-cluster-of-yours": 2,
  "kubernetes-bundle": 3,
  "kubernetes-monitoring": 5,
  mesh: 6,
  "kubernetes-restore": 6,
  takeover: 5,
  adoption: 8,
  "adoption-chart": 6,
  "adoption-operator": 6,
  authorities: 2,
  "many-members": 5,
  "optional-components": 3,
  upgrade: 4,
  versions: 4,
};

/** Assumed for an unlisted file. */
const unknownMinutes = 5;

/** What the other tiers usually take together, in minutes. */
const usualOthers = 20;

/** The time there is for all tests. */
export interface TimeLimit {
  /** When everything should be over: what would take longer is not begun. */
  readonly over: Date;
  /** What still runs then is ended, and counts as failed. */
  readonly end: Date;
}

/** The time there is for all tests on a machine that may be slow. */
export interface PacedLimit extends TimeLimit {
  /** How many times as long as usual tests take on it today, at least once. */
  readonly slowness: number;
}

/** @param milliseconds what the other tiers took */
export const slownessBy = (milliseconds: number): number => Math.max(1, milliseconds / 60_000 / usualOthers);

/** Whether files of tests, one after another, are likely to be over by then. */
export function fits(files: readonly string[], by: Date, slowness: number, now = Date.now()): boolean {
  const minutes = files.reduce((sum, file) => sum + usual(file), 0) * slowness;
  return now + minutes * 60_000 <= by.getTime();
}

/**
 * Runs the files of the end-to-end tier, which start whole control planes, one at a time. One without enough time left
 * is named and counts as skipped: a run cut off from outside would report nothing at all. So that none is left out for
 * long, the files after the fixed first ones start with another one at each commit.
 *
 * @param settle handles the results of a file, and may run it again
 */
export async function runEndToEnd(
  root: string,
  settle: (results: Results) => Promise<Results>,
  limit?: PacedLimit,
): Promise<Results> {
  const results: Results = new Map();
  const files = await endToEndFiles(root);
  for (const file of limit === undefined ? files : turned(files, await commits(root))) {
    if (limit !== undefined && !fits([file], limit.over, limit.slowness)) {
      console.error(`npm test: NOT RUN, for lack of time: ${file}`);
      results.set(join(root, file), { passed: 0, failed: 0, skipped: 1, failures: [] });
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

function place(file: string): number {
  const found = Object.keys(usualMinutes).indexOf(nameOf(file));
  return found === -1 ? Infinity : found;
}

/** Puts files of tests in the order of a turn: those after the fixed first ones are rotated by it. */
export function turned(files: readonly string[], turn: number): string[] {
  const first = files.filter((file) => always.includes(nameOf(file)));
  const others = files.filter((file) => !always.includes(nameOf(file)));
  const begin = turn % Math.max(1, others.length);
  return [...first, ...others.slice(begin), ...others.slice(0, begin)];
}

/** Number of commits up to what is checked out; 0 without a repository. */
async function commits(root: string): Promise<number> {
  const run = await execa("git", ["rev-list", "--count", "HEAD"], { cwd: root, reject: false });
  return run.exitCode === 0 ? Number(run.stdout) : 0;
}

const usual = (file: string) => usualMinutes[nameOf(file)] ?? unknownMinutes;

const nameOf = (file: string) => basename(file, ".test.ts");

/** From `KARMADA_TEST_MINUTES`, minutes from now on; undefined if that is not set. */
export function timeLimit(text: string | undefined, now = Date.now()): TimeLimit | undefined {
  if (text === undefined || text === "") return undefined;
  const minutes = Number(text);
  if (!(minutes > 0)) throw new Error(`KARMADA_TEST_MINUTES: got "${text}", want a number of minutes above 0`);
  const at = (after: number) => new Date(now + after * 60_000);
  return { over: at(minutes), end: at(minutes + graceMinutes) };
}

/** For what takes longer than usual. */
const graceMinutes = 10;
