import { pathText, type Problem } from "../problems.ts";

/** How pulumi passes on an unquoted date or time, which its YAML parses as a time (Go's `time.Time.String`). */
const time = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? [+-]\d{4} \S+$/;

/** Any new value counts there. */
const triggers: ReadonlySet<string | number> = new Set(["rotate", "trigger", "triggers"]);

/**
 * Finds dates that pulumi does not take for text: `2026-01-01` of a chart's values would arrive as `2026-01-01 00:00:00
 * +0000 UTC`.
 *
 * @param known problems; places that already have one are skipped
 */
export function checkDates(config: unknown, known: readonly Problem[]): Problem[] {
  const places = new Set(known.map(({ path }) => pathText(path)));
  return datesIn(config, [])
    .filter((path) => !places.has(pathText(path)))
    .map((path) => ({
      path,
      message: "got a date without quotes, of which pulumi makes another text, want it in quotes",
    }));
}

function datesIn(value: unknown, path: Problem["path"]): Problem["path"][] {
  if (typeof value === "string") return time.test(value) ? [path] : [];
  if (typeof value !== "object" || value === null) return [];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.flatMap(([key, each]) => (triggers.has(key) ? [] : datesIn(each, [...path, key])));
}
