/** `npm run pulumi -- <args>`: pulumi with these arguments; environment.ts says what is set for it. */
import { enableCompileCache } from "node:module";
import { join } from "node:path";

enableCompileCache(join(import.meta.dirname, "../../.pulumi/node-cache"));
const { refuseTakenByNpm } = await import("../npm-options.ts");
const { runPulumi } = await import("./run.ts");

const args = process.argv.slice(2);
process.exitCode = 2;
try {
  refuseTakenByNpm(args, { stack: { type: "string", short: "s" } });
  process.exitCode = 1;
  process.exitCode = await runPulumi(args);
} catch (error) {
  console.error(`npm run pulumi: ${(error as Error).message}`);
}
