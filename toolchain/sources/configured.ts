import { imageSource } from "./image.ts";
import { installedSource } from "./installed.ts";
import { checkLocation, mirrorSource } from "./mirror.ts";
import { moduleSource } from "./module.ts";
import { releaseSource } from "./release.ts";
import { sourceNames, type Source, type SourceName } from "./source.ts";

/**
 * The sources of an option, else of KARMADA_TOOLCHAIN_SOURCES (names separated by commas), in that order; else all.
 * KARMADA_TOOLCHAIN_MIRROR says where a mirror is, a directory or an http(s) address.
 * @throws when a name is unknown
 */
export function configuredSources(env: NodeJS.ProcessEnv = process.env, option?: string): Source[] {
  const subject = option === undefined ? "KARMADA_TOOLCHAIN_SOURCES" : "--sources";
  const text = option ?? (env.KARMADA_TOOLCHAIN_SOURCES || undefined);
  const wanted = text?.split(",").map((name) => name.trim());
  return (wanted ?? sourceNames).map((name) => {
    const known = sourceNames.find((candidate) => candidate === name);
    if (!known) throw new Error(`${subject}: got "${name}", want some of ${sourceNames.join(", ")}`);
    return makers[known](env);
  });
}

const makers: Record<SourceName, (env: NodeJS.ProcessEnv) => Source> = {
  installed: installedSource,
  mirror: (env) => mirrorSource(checkLocation(env.KARMADA_TOOLCHAIN_MIRROR || undefined)),
  release: releaseSource,
  image: imageSource,
  module: () => moduleSource(),
};
