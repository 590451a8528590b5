/** `npm run docs`: writes what follows from spec/ into the repository. A test keeps both in step. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { referenceWith, schemaText } from "./docs/generated.ts";
import { plainCommand } from "./plain-command.ts";

const root = join(import.meta.dirname, "..");
const reference = join(root, "docs", "stack-file.md");
const schema = join(root, "schema", "stack.schema.json");

const help = `usage: npm run docs

Writes what follows from spec/ into the repository: schema/stack.schema.json, and the fields in docs/stack-file.md between
\`<!-- fields -->\` and \`<!-- /fields -->\`.

  --help   print this

Exit codes: 0 both are in step; 1 something could not be written; 2 wrong usage.`;

process.exitCode = await plainCommand("npm run docs", help, async () => {
  await writeFile(schema, await schemaText());
  await writeFile(reference, referenceWith(await readFile(reference, "utf8")));
  console.error("docs: docs/stack-file.md and schema/stack.schema.json are in step with spec/");
});
