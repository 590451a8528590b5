import type * as pulumi from "@pulumi/pulumi";
import type { Destination } from "./addon.ts";

/** An addon that others come after. */
export interface Earlier {
  /** Names of those that it comes after itself. */
  readonly after: readonly string[];
  /** Depend on this to come after all of it. */
  readonly ready: readonly pulumi.Resource[];
  /** What to depend on to come after all that it has in one member; undefined where it has nothing. */
  readyIn(member: string): readonly pulumi.Resource[] | undefined;
}

/**
 * What comes before an addon in one of its clusters. In a member it waits for what an earlier one has there, so that a
 * member that fails does not hold up the others. One that is not there it waits for everywhere, and for those before
 * that one, which itself has waited for them only in members of its own.
 *
 * @param after names of addons
 * @param made every addon before it, by name
 */
export function readyBefore(
  after: readonly string[],
  { name: member }: Pick<Destination, "name">,
  made: ReadonlyMap<string, Earlier>,
): readonly pulumi.Resource[] {
  const seen = new Set<string>();
  const all = (names: readonly string[]): pulumi.Resource[] =>
    names.flatMap((name) => {
      const earlier = made.get(name);
      if (earlier === undefined || seen.has(name)) return [];
      seen.add(name);
      const there = member === undefined ? undefined : earlier.readyIn(member);
      return there ? [...there] : [...earlier.ready, ...all(earlier.after)];
    });
  return all(after);
}
