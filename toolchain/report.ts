import { catalogue } from "./catalogue.ts";
import { findProgram } from "./install.ts";
import { title, type Platform, type ProgramRef, type ProgramSet } from "./program.ts";
import { Remediable, type Source } from "./sources/source.ts";
import type { Artifact } from "./store/store.ts";

/** What `--json` prints of an artifact. */
export const plain = ({ name, version, platform, source, address, verified, path, sha256, installed }: Artifact) => ({
  name,
  version,
  platform,
  source,
  address,
  verified,
  path,
  sha256,
  installed,
});

/** Programs of the pinned list with where each is, as a table. */
export function listing(sets: readonly ProgramSet[], artifacts: readonly Artifact[]): string {
  const installed = artifacts.map((one) => [one.name, one.version, one.platform, one.source, one.sha256, one.path]);
  const missing = sets.flatMap(({ programs, testsOnly }) =>
    programs
      .filter(({ name, version }) => !artifacts.some((one) => one.name === name && one.version === version))
      .map(({ name, version }) => {
        const status = testsOnly ? "not installed (for tests only)" : "not installed";
        return [name, version, "-", status, "-", "-"];
      }),
  );
  return table([["NAME", "VERSION", "PLATFORM", "SOURCE", "SHA256", "PATH"], ...installed, ...missing]);
}

/** Where a missing program would be looked for, in this order. */
export interface Planned extends ProgramRef {
  readonly tries: readonly string[];
}

/** What a run would do for the programs that are missing. */
export function plan(missing: readonly ProgramRef[], sources: readonly Source[], platform: Platform): Planned[] {
  return missing.map((ref) => {
    const set = catalogue.find((candidate) => findProgram([candidate], ref))!;
    const program = findProgram([set], ref)!;
    const tries = sources.flatMap((source) => {
      const offer = source.offers(set, program, platform);
      return offer === undefined ? [] : [`${source.name} ${offer}`];
    });
    return { name: ref.name, version: ref.version, tries };
  });
}

/** What a bundle of another version has beyond this one's list, in words. */
export const leftOutText = (leftOut: readonly ProgramRef[]): string =>
  `left out ${leftOut.map(title).join(", ")}: not in this version's list of programs`;

/** For a bundle of which this version takes nothing. */
export const nothingOfUse = (file: string, found: readonly ProgramRef[]): Remediable =>
  new Remediable(
    `${file}: got ${found.map(title).join(", ") || "no program at all"}, want programs of this version's list`,
    "make the bundle with this version; npm run toolchain -- --list prints its list",
  );

/** Columns as wide as their widest cell. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
