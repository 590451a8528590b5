import { openBundle } from "./bundle.ts";
import { catalogue } from "./catalogue.ts";
import { install } from "./index.ts";
import { findProgram, type InstallOptions } from "./install.ts";
import type { Platform, ProgramRef } from "./program.ts";
import { mirrorSource } from "./sources/mirror.ts";
import type { Artifact, ArtifactRecord } from "./store/store.ts";

export interface BundleInstallOptions extends Pick<InstallOptions, "signal" | "onProgress"> {
  /** Programs to take out of it. @default all it has, each for its platform */
  readonly wanted?: readonly ProgramRef[];
  /** Of those that are wanted, and of files that are the same everywhere. */
  readonly platform: Platform;
}

/**
 * Installs programs, only from a bundle.
 *
 * @returns them, and what is in the bundle but not in this version's list of programs
 */
export function installBundle(
  store: string,
  file: string,
  { wanted, platform, ...watched }: BundleInstallOptions,
): Promise<{ readonly artifacts: Artifact[]; readonly leftOut: readonly ProgramRef[] }> {
  return openBundle(store, file, async (directory, manifest) => {
    const sources = [mirrorSource(directory, file)];
    if (wanted !== undefined)
      return { artifacts: await install(wanted, { sources, platform, ...watched }), leftOut: [] };
    const platformOf = (record: ArtifactRecord) => (record.platform === "any" ? platform : record.platform);
    const pinned = manifest.artifacts.filter((record) => findProgram(catalogue, record));
    const artifacts: Artifact[] = [];
    for (const each of new Set(pinned.map(platformOf))) {
      const records = pinned.filter((record) => platformOf(record) === each);
      artifacts.push(...(await install(records, { sources, platform: each, ...watched })));
    }
    return { artifacts, leftOut: manifest.artifacts.filter((record) => !pinned.includes(record)) };
  });
}
