import type { EtcdKeys } from "../../lib/etcd/keys.ts";
import { isRefusal } from "../../lib/etcd/rights.ts";

/** The key below a prefix that notes whose it is. Kubernetes keeps nothing there. */
export const noteBelow = (prefix: string): string => `${prefix}${note}`;

const note = "/karmada-pulumi/owner";

/**
 * A prefix with a note of its owner within which `prefix` lies, or which lies within it: what deletes the keys below
 * the outer one deletes those of both. One that etcd's authentication hides is not found.
 */
export async function nestedWith(
  keys: EtcdKeys,
  prefix: string,
): Promise<{ readonly other: string; readonly noted: string; readonly outer: boolean } | undefined> {
  for (const other of outerOf(prefix)) {
    const noted = await keys.get(noteBelow(other)).catch(unlessRefused);
    if (noted !== undefined) return { other, noted, outer: true };
  }
  for await (const key of keys.all(`${prefix}/`)) {
    if (!key.endsWith(note) || key === noteBelow(prefix)) continue;
    return { other: key.slice(0, -note.length), noted: (await keys.get(key)) ?? "", outer: false };
  }
  return undefined;
}

/** `/a` and `/a/b` of `/a/b/c`. */
function outerOf(prefix: string): string[] {
  const parts = prefix.split("/");
  return parts.slice(2).map((_part, index) => parts.slice(0, index + 2).join("/"));
}

function unlessRefused(error: unknown): undefined {
  if (!isRefusal(error)) throw error;
}
