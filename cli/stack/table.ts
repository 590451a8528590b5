/** A column of a table. `paint` colours text that is already padded. */
export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  readonly paint?: (text: string, row: Row) => string;
}

/** Lines of a table, each column as wide as its widest cell, without trailing blanks. */
export function table<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  heading: (text: string) => string,
): string[] {
  const widths = columns.map(({ title, text }) => Math.max(title.length, ...rows.map((row) => text(row).length)));
  const padded = (text: string, i: number) => (i === columns.length - 1 ? text : text.padEnd((widths[i] ?? 0) + 2));
  return [
    heading(columns.map(({ title }, i) => padded(title, i)).join("")),
    ...rows.map((row) =>
      columns
        .map(({ text, paint }, i) => {
          const plain = padded(text(row), i);
          return paint === undefined ? plain : paint(plain, row);
        })
        .join(""),
    ),
  ];
}
