import { format } from "prettier";
import { fieldTables } from "./field-tables.ts";
import { stackFileSchema } from "./stack-schema.ts";

/** The text of schema/stack.schema.json. */
export const schemaText = (): Promise<string> =>
  format(JSON.stringify(stackFileSchema()), { parser: "json", printWidth: 120 });

const [open, close] = ["<!-- fields -->", "<!-- /fields -->"];

/**
 * docs/stack-file.md with up-to-date fields; the text before and after them is left alone.
 *
 * @throws when the markers are missing
 */
export function referenceWith(page: string): string {
  const [start, end] = [page.indexOf(open), page.indexOf(close)];
  if (start < 0 || end < start)
    throw new Error(`docs/stack-file.md: no ${open} ... ${close}, want both around the fields`);
  return `${page.slice(0, start + open.length)}\n\n${fieldTables()}\n\n${page.slice(end)}`;
}
