/** `npm run pulumi -- <args>`: pulumi with these arguments; environment.ts says what is set for it. */
import { enableCompileCache } from "node:module";
import { join } from "node:path";

enableCompileCache(join(import.meta.dirname, "../../.pulumi/node-cache"));
const { runPulumi } = await import("./run.ts");

try {
  process.exitCode = await runPulumi(process.argv.slice(2));
} catch (error) {
  console.error(`npm run pulumi: ${(error as Error).message}`);
  process.exitCode = 1;
}
