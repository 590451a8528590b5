import { format } from "prettier";
import { fieldTable } from "./field-table.ts";
import { stackFileSchema } from "./stack-schema.ts";

/** The text of schema/stack.schema.json. */
export const schemaText = (): Promise<string> =>
  format(JSON.stringify(stackFileSchema()), { parser: "json", printWidth: 120 });

const [open, close] = ["<!-- fields -->", "<!-- /fields -->"];

/**
 * The README with the table of fields as it must be.
 *
 * @throws when the markers are not there
 */
export function readmeWith(readme: string): string {
  const [start, end] = [readme.indexOf(open), readme.indexOf(close)];
  if (start < 0 || end < start) throw new Error(`README.md: no ${open} ... ${close}, want both around the field table`);
  return `${readme.slice(0, start + open.length)}\n${fieldTable()}\n${readme.slice(end)}`;
}
