/** Where programs come from: `install` puts them into the store of this user, `locate` finds them there. */
import { catalogue } from "./catalogue.ts";
import { installFrom, locateProgram, programNamed, type InstallOptions } from "./install.ts";
import { hostPlatform } from "./platform.ts";
import type { Platform, ProgramRef } from "./program.ts";
import { configuredSources } from "./sources/configured.ts";
import { storeDirectory, type Artifact } from "./store/store.ts";

export { catalogue, defaultVersions, programsOf, versions, type VersionSet } from "./catalogue.ts";
export { NotObtained } from "./failure.ts";
export { hostPlatform, parsePlatform, platforms } from "./platform.ts";
export type { Platform, Program, ProgramRef, ProgramSet } from "./program.ts";
export type { Progress } from "./progress.ts";
export { sourceNames, type SourceName } from "./sources/source.ts";
export { listArtifacts, storeDirectory, type Artifact, type Provenance } from "./store/store.ts";

/**
 * Makes sure that programs of the pinned list are in the store. Takes milliseconds when all are there.
 * @returns them in the order they were wanted
 * @throws NotObtained naming each program no source could give, what each source said, and what to do
 */
export function install(wanted: readonly ProgramRef[], options: Partial<InstallOptions> = {}): Promise<Artifact[]> {
  const sources = options.sources ?? configuredSources(options.env);
  return installFrom(wanted, { sets: catalogue, ...options, sources });
}

/**
 * Looks a program up in the store only, in milliseconds.
 * @returns undefined when it is not installed
 * @throws when the pinned list does not have it
 */
export function locate(ref: ProgramRef, platform: Platform = hostPlatform()): Promise<Artifact | undefined> {
  return locateProgram(storeDirectory(), programNamed(catalogue, ref), platform);
}
