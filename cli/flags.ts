/** `npm run flags`: the flags and feature gates of every program version that the stack file can choose. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { programsByPublisher } from "../spec/control-plane/program-flags.ts";
import { install, versions } from "../toolchain/index.ts";
import { type Flags, flagsOfHelp } from "./flags/help.ts";
import { plainCommand } from "./plain-command.ts";

const usage = `usage: npm run flags

Reads the flags and feature gates of every program version that the stack file can choose from the programs' own \`--help\`, and
writes them to spec/versions/, where the checks of the stack file take them from. To be run after a version was added to the
toolchain's list. Installs what is missing: that may take many minutes.

  --help   print this

Exit codes: 0 all is written; 1 a program could not be had or asked; 2 wrong usage.`;

process.exitCode = await plainCommand("npm run flags", usage, async () => {
  for (const [publisher, numbers] of Object.entries(versions))
    for (const version of numbers) await write(publisher as keyof typeof programsByPublisher, version);
});

async function write(publisher: keyof typeof programsByPublisher, version: string): Promise<void> {
  const names = programsByPublisher[publisher];
  const programs = await install(names.map((name) => ({ name, version })));
  const entries = await Promise.all(
    programs.map(async ({ path }, i) => [names[i]!, compact(flagsOfHelp(await help(path)))] as const),
  );
  const file = join(import.meta.dirname, "..", "spec", "versions", `${publisher}-${version}.json`);
  await writeFile(file, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
  console.error(`${file}: ${names.length} programs`);
}

async function help(path: string): Promise<string> {
  const { all } = await execa(path, ["--help"], { all: true, timeout: 30_000 });
  return all;
}

/** One line for each of the three lists, words separated by blanks: people read the files as diffs. */
function compact({ flags, featureGates }: Flags) {
  const gates = (on: boolean) => Object.keys(featureGates).filter((gate) => featureGates[gate] === on);
  return { flags: flags.join(" "), gatesOn: gates(true).join(" "), gatesOff: gates(false).join(" ") };
}
