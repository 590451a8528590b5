import { catalogue, defaultVersions, programsOf, type VersionSet } from "./catalogue.ts";
import type { Platform, ProgramRef } from "./program.ts";

/**
 * What `name[@version]...` on the command line stands for: without names everything the version set needs, without a
 * version the one of the version set.
 * @throws when a name or version is not in the pinned list, saying what there is
 */
export function choose(names: readonly string[], versions: Partial<VersionSet>, platform: Platform): ProgramRef[] {
  const usual = programsOf({ ...defaultVersions, ...versions }, platform);
  return names.length === 0 ? usual : [...new Set(names)].map((text) => chosen(text, usual));
}

function chosen(text: string, usual: readonly ProgramRef[]): ProgramRef {
  const [name = "", version] = text.split("@");
  const all = catalogue.flatMap((set) => set.programs).filter((program) => program.name === name);
  const found =
    version === undefined
      ? (usual.find((ref) => ref.name === name) ?? all[0])
      : all.find((program) => program.version === version.replace(/^v/, ""));
  if (found) return { name: found.name, version: found.version };
  const known = [...new Set(catalogue.flatMap((set) => set.programs).map((program) => program.name))];
  throw new Error(
    all.length === 0
      ? `${name}: not in the list of programs, want some of ${known.join(", ")}`
      : `${text}: not a pinned version, there is ${all.map((program) => program.version).join(", ")}`,
  );
}
