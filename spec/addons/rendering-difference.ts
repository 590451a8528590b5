import { isDeepStrictEqual } from "node:util";
import { type ManifestObject, readManifests } from "./manifests.ts";
import { identityOf } from "./object-scope.ts";

/** The differences between two renderings of one chart with the same values, as `Secret web data.password`. */
export function differences(text: string, again: string): string[] {
  if (text === again) return [];
  const [first, second] = [objectsOf(text), objectsOf(again)];
  const fields = [...first].flatMap(([identity, object]) => {
    const other = second.get(identity);
    if (other === undefined) return [`${identity} (its name)`];
    return pathsOf(object, other).map((path) => `${identity} ${path}`);
  });
  return fields.length > 0 ? fields : ["the order of its objects"];
}

const objectsOf = (text: string): ReadonlyMap<string, ManifestObject> =>
  new Map(readManifests({ file: "", text }).objects.map(({ object }) => [identityOf(object), object]));

/** Where two values differ, as deep as both have the same form. */
function pathsOf(value: unknown, other: unknown, path = ""): string[] {
  if (isDeepStrictEqual(value, other)) return [];
  if (!isTree(value) || !isTree(other) || Array.isArray(value) !== Array.isArray(other)) return [path];
  const [left, right] = [value, other] as Readonly<Record<string, unknown>>[];
  const keys = new Set([...Object.keys(value), ...Object.keys(other)]);
  return [...keys].flatMap((key) =>
    pathsOf(left![key], right![key], Array.isArray(value) ? `${path}[${key}]` : `${path}${path && "."}${key}`),
  );
}

const isTree = (value: unknown): value is object => typeof value === "object" && value !== null;
