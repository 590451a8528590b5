/**
 * `npm run bench [-- name...] [--json FILE] [--db-size GB] [--members N] [--pods N] [--list]`: measures what the project
 * promises and prints a table. Names are matched by prefix: `plugin` runs all that begin with it. Exit code 0 when every
 * goal is met, 1 when one is not or could not be measured, 2 for wrong usage.
 */
import { readdir, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { refuseTakenByNpm } from "../toolchain/npm-options.ts";
import { measure, type Benchmark, type Result } from "./benchmark.ts";
import { databaseBytes } from "./database-size.ts";
import { memberCount } from "./member-count.ts";
import { podCount } from "./pod-count.ts";

const { values: options, positionals: names } = readArguments();
if (options.help) {
  console.log("usage: npm run bench -- [name...] [--json FILE] [--db-size GB] [--members N] [--pods N] [--list]");
  process.exit(0);
}

const modules = await load();
const all = modules.flatMap(({ benchmarks = [] }) => benchmarks);
const unknown = names.filter((name) => !all.some((benchmark) => benchmark.name.startsWith(name)));
if (unknown.length > 0) {
  console.error(
    `bench: no benchmark begins with ${unknown.join(", ")}; there are: ${all.map((b) => b.name).join(", ")}`,
  );
  process.exit(2);
}
const chosen = names.length === 0 ? all : all.filter((b) => names.some((name) => b.name.startsWith(name)));
if (options.list) {
  for (const benchmark of chosen) console.log(benchmark.name);
  process.exit(0);
}

const results: Record<string, Result> = {};
for (const { benchmarks = [], finish } of modules) {
  try {
    for (const benchmark of benchmarks.filter((each) => chosen.includes(each))) {
      console.error(`${benchmark.name} ...`);
      try {
        results[benchmark.name] = await measure(benchmark);
      } catch (error) {
        console.error(`${benchmark.name}: not measured:`, error);
        continue;
      }
      if (options.json) await writeFile(options.json, JSON.stringify(results, null, 2) + "\n");
    }
  } finally {
    // Before the next file's: what stays up takes its share of the machine.
    await finish?.();
  }
}
console.log(table(results));
process.exitCode = chosen.every(({ name }) => results[name]?.met === true) ? 0 : 1;

/** Ends the process when they are invalid. */
function readArguments() {
  try {
    const options = {
      json: { type: "string" },
      list: { type: "boolean" },
      "db-size": { type: "string" },
      members: { type: "string" },
      pods: { type: "string" },
      help: { type: "boolean", short: "h" },
    } as const;
    refuseTakenByNpm(process.argv.slice(2), options);
    const given = parseArgs({ allowPositionals: true, options });
    // Benchmarks read these by themselves, some of them late.
    databaseBytes();
    memberCount();
    podCount();
    return given;
  } catch (error) {
    console.error(`npm run bench: ${(error as Error).message}\nnpm run bench -- --help says more`);
    process.exit(2);
  }
}

/** The files beside this one: their benchmarks, and what removes what these share. */
async function load(): Promise<{ benchmarks?: Benchmark[]; finish?: () => Promise<void> }[]> {
  const files = (await readdir(import.meta.dirname))
    .filter((file) => file.endsWith(".ts") && file !== "main.ts")
    .sort();
  return Promise.all(files.map((file) => import(`./${file}`)));
}

function table(results: Record<string, Result>): string {
  const rows = Object.entries(results).map(([name, { value, unit, peer, ratio, goal, met }]) => [
    name,
    `${round(value)} ${unit}`,
    peer === null ? "-" : `${round(peer)} ${unit}`,
    ratio === null ? "-" : round(ratio),
    `<= ${goal} ${unit}`,
    met ? "met" : "not met",
  ]);
  const lines = [["name", "ours", "peer", "ratio", "goal", ""], ...rows];
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function round(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
