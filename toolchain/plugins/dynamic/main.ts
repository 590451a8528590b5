/**
 * Pulumi's own dynamic provider, taken from the project in the current directory as the official starter script does, in
 * one process instead of three; it ends when the engine that started it is gone, however that ended.
 */
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import "../../pulumi/lean-sdk.ts";
import { whenEngineGone } from "../server/engine-gone.ts";

whenEngineGone(process.argv.slice(2), () => process.exit(1));
// So the engine ends it. An ordinary exit keeps what was compiled, from which the next one starts in half the time.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit());

const { resolve } = createRequire(join(process.cwd(), "Pulumi.yaml"));
await import(pathToFileURL(resolve("@pulumi/pulumi/cmd/dynamic-provider")).href);
