import { closest } from "./closest.ts";
import type { Problem } from "./problems.ts";
import { sectionsOf } from "./program-sections.ts";

/** The keys of all programs, without the project's name. */
const ownKeys = new Set(Object.values(sectionsOf).flatMap((each) => Object.keys(each)));

/** What Pulumi itself knows at the top of a stack file. */
const topLevelKeys = ["config", "environment", "secretsprovider", "encryptedkey", "encryptionsalt"];

/**
 * Keys meant for this project that nothing reads, because their namespace is mistyped (`karmda:members`): a stack
 * without its members would remove all of them.
 *
 * @param keys of the configuration, with their namespaces
 */
export const checkNamespaces = (keys: readonly string[], project: string): Problem[] =>
  keys.flatMap((key) => {
    const [namespace, name] = split(key);
    if (namespace === project || closest(namespace, [project]) === undefined) return [];
    return [{ path: [key], message: `unknown namespace "${namespace}", did you mean "${project}:${name}"?` }];
  });

/**
 * Keys that look like this project's in a namespace that does not (`fleet:members`), and that nothing reads: it may
 * belong to another project, from a shared environment.
 *
 * @returns a warning for each
 */
export const namespaceWarnings = (keys: readonly string[], project: string): string[] =>
  keys.flatMap((key) => {
    const [namespace, name] = split(key);
    const strange = namespace !== project && closest(namespace, [project]) === undefined;
    if (!strange || name === "name" || !ownKeys.has(name)) return [];
    return [`${key}: not read, it is another project's; if it was meant for this one, write ${project}:${name}`];
  });

/**
 * Keys that nothing reads because they stand beside `config:` in the stack file instead of below it, and a mistyped
 * `config:`: Pulumi ignores whatever it does not know there.
 *
 * @param keys at the top of the stack file
 */
export const checkTopLevel = (keys: readonly string[]): Problem[] =>
  keys.flatMap((key) => {
    if (topLevelKeys.includes(key)) return [];
    const below = key.includes(":") || ownKeys.has(key);
    if (below) return [{ path: [key], message: `stands outside of config:, indent it below that` }];
    const meant = closest(key, topLevelKeys);
    return meant === undefined
      ? []
      : [{ path: [key], message: `unknown key of a stack file, did you mean "${meant}"?` }];
  });

/** The parts before and after the first colon. */
const split = (key: string): [namespace: string, name: string] => {
  const at = key.indexOf(":");
  return [key.slice(0, at), key.slice(at + 1)];
};
