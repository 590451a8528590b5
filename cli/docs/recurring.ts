import { isDeepStrictEqual } from "node:util";
import type { FieldRow } from "./field-row.ts";

/** Fewer fields are quicker to read again than to look up. */
const worthIt = 3;

/**
 * If a place has all fields of another, one row says so, `placement.hosts[].ssh.*`; they are described where the path
 * is shortest.
 *
 * @returns what is shown for a row: the row, one that stands for several, or nothing
 */
export function recurring(rows: readonly FieldRow[]): (row: FieldRow) => readonly FieldRow[] {
  const shown = new Map<FieldRow, readonly FieldRow[]>();
  const described: Place[] = [];
  const replaced: string[] = [];
  for (const place of placesOf(rows)) {
    if (replaced.some((other) => isBelow(place.path, other))) continue;
    const [home, fields] = longestIn(place, described);
    fields.forEach((row, i) => shown.set(row, i === 0 ? [standIn(place, home!)] : []));
    if (home) replaced.push(place.path);
    else described.push(place);
  }
  return (row) => shown.get(row) ?? [row];
}

/** Something that has fields below it. */
interface Place {
  readonly path: string;
  readonly fields: readonly FieldRow[];
}

/** Those with short paths first. */
function placesOf(rows: readonly FieldRow[]): Place[] {
  const paths = rows.flatMap(({ path }) => {
    const keys = path.split(".");
    return keys.slice(1).map((_, i) => keys.slice(0, i + 1));
  });
  return [...new Set(paths.sort((one, other) => one.length - other.length).map((keys) => keys.join(".")))].map(
    (path) => ({ path, fields: rows.filter((row) => isBelow(row.path, path)) }),
  );
}

const isBelow = (path: string, place: string): boolean => path.startsWith(`${place}.`);

/** The other place with the most fields, all of which are here too, and their rows here. */
function longestIn(place: Place, others: readonly Place[]): [home: Place | undefined, fields: readonly FieldRow[]] {
  return others
    .filter(({ path, fields }) => fields.length >= worthIt && !isBelow(place.path, path))
    .map((home) => [home, fieldsHere(home, place)] as const)
    .reduce<[Place | undefined, readonly FieldRow[]]>(
      (longest, [home, fields]) => (fields.length > longest[1].length ? [home, fields] : longest),
      [undefined, []],
    );
}

/** The rows of the place that match those of its home; none when one is missing. */
function fieldsHere(home: Place, place: Place): readonly FieldRow[] {
  const here = home.fields.map((row) => {
    const same = { ...row, path: place.path + row.path.slice(home.path.length) };
    return place.fields.find((other) => isDeepStrictEqual(other, same));
  });
  return here.every((row) => row !== undefined) ? here : [];
}

const standIn = (place: Place, home: Place): FieldRow => ({
  path: `${place.path}.*`,
  values: "",
  default: "",
  meaning: `The fields of \`${home.path}\`.`,
});
