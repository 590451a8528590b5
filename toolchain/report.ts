import { catalogue } from "./catalogue.ts";
import type { Platform, Program, ProgramRef } from "./program.ts";
import type { Source } from "./sources/source.ts";
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

/** The pinned list with where each program is, as a table. */
export function listing(artifacts: readonly Artifact[]): string {
  const installed = artifacts.map((one) => [one.name, one.version, one.platform, one.source, one.sha256, one.path]);
  const missing = catalogue
    .flatMap((set) => set.programs)
    .filter(({ name, version }) => !artifacts.some((one) => one.name === name && one.version === version))
    .map(({ name, version }) => [name, version, "-", "not installed", "-", "-"]);
  return table([["NAME", "VERSION", "PLATFORM", "SOURCE", "SHA256", "PATH"], ...installed, ...missing]);
}

/** What a run would do for the programs that are missing. */
export function plan(missing: readonly ProgramRef[], sources: readonly Source[], platform: Platform): string {
  const rows = catalogue.flatMap((set) =>
    set.programs
      .filter(({ name, version }) => missing.some((ref) => ref.name === name && ref.version === version))
      .map((program) => [program.name, program.version, attempts(set, program)]),
  );
  function attempts(set: (typeof catalogue)[number], program: Program): string {
    const offers = sources.flatMap((source) => {
      const offer = source.offers(set, program, platform);
      return offer === undefined ? [] : [`${source.name} ${offer}`];
    });
    return offers.join(", then ") || "no source";
  }
  return table(rows);
}

function table(rows: readonly (readonly string[])[]): string {
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
