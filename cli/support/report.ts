import type { Lack, Part } from "./parts.ts";

/** What a bundle was made of, when and from what. */
export interface Made {
  readonly stack: string;
  readonly at: Date;
  /** As it was typed: `24h`. */
  readonly since: string;
}

/** The list of contents that is in a bundle itself. */
export function contents({ stack, at, since }: Made, present: readonly Part[], lacking: readonly Lack[]): string {
  const lines = [
    `stack ${stack}, ${at.toISOString()}; logs of the last ${since}`,
    "",
    ...present.toSorted((a, b) => a.path.localeCompare(b.path)).map(({ path, bytes }) => `${size(bytes)}  ${path}`),
    ...(lacking.length > 0 ? ["", ...lackLines(lacking)] : []),
  ];
  return `${lines.join("\n")}\n`;
}

/** What is printed of a bundle: a line for each file, of directories their number and size, and what could not be had. */
export function report(file: string, bytes: number, present: readonly Part[], lacking: readonly Lack[]): string {
  const groups = Map.groupBy(present, ({ path }) => /^(.*\/)?/.exec(path)![0] || path);
  const lines = [...groups]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([name, parts]) => {
      const total = parts.reduce((sum, part) => sum + part.bytes, 0);
      return `  ${size(total)}  ${name}${name.endsWith("/") ? `  ${parts.length} ${parts.length === 1 ? "file" : "files"}` : ""}`;
    });
  return [
    `${file}: ${size(bytes).trim()}, ${present.length} files, as follows; look through it before it leaves your organisation`,
    ...lines,
    ...lackLines(lacking),
  ].join("\n");
}

const lackLines = (lacking: readonly Lack[]): string[] =>
  lacking.length === 0
    ? []
    : ["could not be had:", ...lacking.map(({ path, why }) => `  ${path}: ${why.replaceAll("\n", "\n    ")}`)];

function size(bytes: number): string {
  const [amount, unit] = bytes < 2 ** 20 ? [bytes / 2 ** 10, "Ki"] : [bytes / 2 ** 20, "Mi"];
  return `${amount.toFixed(1)}${unit}`.padStart(8);
}
