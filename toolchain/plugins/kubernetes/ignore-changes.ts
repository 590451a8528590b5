import { managedFields, mergeFields } from "./field-manager.ts";
import { at, clone, removeAt, setAt } from "./object.ts";
import type { KubeObject } from "./object.ts";
import { parsePath, pathKeys } from "./property-path.ts";

/**
 * Sets every ignored field of the inputs to what it is live. A field that only another manager owns is left out
 * instead: to apply it would mean to own it as well.
 */
export function keepIgnored(
  inputs: KubeObject,
  live: KubeObject,
  ignoreChanges: readonly string[],
  fieldManager: string | undefined,
): void {
  for (const ignored of ignoreChanges) {
    const path = pathKeys(parsePath(ignored));
    if (fieldManager !== undefined && isForeign(live, path, fieldManager)) {
      removeAt(inputs, ...path);
      continue;
    }
    const found = at(live, ...path);
    if (found !== undefined) setAt(inputs, clone(found), ...path);
  }
}

function isForeign(live: KubeObject, path: readonly string[], fieldManager: string): boolean {
  const entries = managedFields(live);
  const ownedBy = (own: boolean) =>
    entries.filter(({ manager }) => (manager === fieldManager) === own).map(({ fieldsV1 }) => fieldsV1);
  const has = (own: boolean) => {
    let fields: ReturnType<typeof mergeFields> | undefined = ownedBy(own).reduce(mergeFields, {});
    for (const key of path) fields = fields?.[`f:${key}`];
    return fields !== undefined;
  };
  return has(false) && !has(true);
}
