import { imageSource } from "./image.ts";
import { installedSource } from "./installed.ts";
import { mirrorSource } from "./mirror.ts";
import { moduleSource } from "./module.ts";
import { releaseSource } from "./release.ts";
import { sourceNames, type Source, type SourceName } from "./source.ts";

/**
 * The sources of KARMADA_TOOLCHAIN_SOURCES (names separated by commas), in that order; all when it is not set.
 * KARMADA_TOOLCHAIN_MIRROR says where a mirror is, a directory or an http(s) address.
 * @throws when a name is unknown
 */
export function configuredSources(env: NodeJS.ProcessEnv = process.env): Source[] {
  const wanted = env.KARMADA_TOOLCHAIN_SOURCES?.split(",").map((name) => name.trim());
  return (wanted ?? sourceNames).map((name) => {
    const known = sourceNames.find((candidate) => candidate === name);
    if (!known) throw new Error(`KARMADA_TOOLCHAIN_SOURCES: got "${name}", want some of ${sourceNames.join(", ")}`);
    return makers[known](env);
  });
}

const makers: Record<SourceName, (env: NodeJS.ProcessEnv) => Source> = {
  installed: installedSource,
  mirror: (env) => mirrorSource(env.KARMADA_TOOLCHAIN_MIRROR || undefined),
  release: releaseSource,
  image: imageSource,
  module: () => moduleSource(),
};
