import { moduleSource } from "./module.ts";
import { sourceNames, type Source, type SourceName } from "./source.ts";

/**
 * The sources of KARMADA_TOOLCHAIN_SOURCES (names separated by commas), in that order.
 * @throws when a name is unknown
 */
export function configuredSources(env: NodeJS.ProcessEnv = process.env): Source[] {
  const wanted = env.KARMADA_TOOLCHAIN_SOURCES?.split(",").map((name) => name.trim());
  return (wanted ?? ["module"]).map((name) => {
    const known = sourceNames.find((candidate) => candidate === name);
    if (!known) throw new Error(`KARMADA_TOOLCHAIN_SOURCES: got "${name}", want some of ${sourceNames.join(", ")}`);
    return makers[known]();
  });
}

const makers: Record<SourceName, () => Source> = { module: moduleSource } as never;
