/** `npm run docs`: writes what follows from spec/ into the repository. A test holds both in step. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readmeWith, schemaText } from "./docs/generated.ts";
import { plainCommand } from "./plain-command.ts";

const root = join(import.meta.dirname, "..");
const readme = join(root, "README.md");
const schema = join(root, "schema", "stack.schema.json");

const help = `usage: npm run docs

Writes what follows from spec/ into the repository: schema/stack.schema.json, and the table of fields in README.md between
\`<!-- fields -->\` and \`<!-- /fields -->\`.

  --help   print this

Exit codes: 0 both are in step; 1 something could not be written; 2 wrong usage.`;

process.exitCode = await plainCommand("npm run docs", help, async () => {
  await writeFile(schema, await schemaText());
  await writeFile(readme, readmeWith(await readFile(readme, "utf8")));
  console.error("docs: README.md and schema/stack.schema.json are in step with spec/");
});
