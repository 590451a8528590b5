/**
 * The base of every stand-in plugin: a Provider (provider.ts) in, a plugin process out.
 *
 * To add a plugin, or a resource type to one:
 * 1. `toolchain/plugins/<name>/main.ts`, where <name> is the package's: `serve({ name, version:
 *    packageVersion("@pulumi/<name>"), resources: { "<token>": thing } })`. The engine asks for exactly that version.
 * 2. `toolchain/plugins/<name>/<thing>.ts`, one ResourceType per file, doing what the official plugin does.
 * 3. `tests/plugins/<name>/<thing>.test.ts` with `startPlugin` of tests/plugins/support; the same file must pass with
 *    PLUGIN_UNDER_TEST set to the path of the official plugin.
 * 4. Its row in toolchain/pulumi/plugins.ts, so that `npm run pulumi` installs it.
 *
 * Values are plain JavaScript, plus Secret, Unknown, Asset, Archive and ResourceReference (values.ts). Secrets arrive
 * wrapped and must go back wrapped, or they end up readable in the state; `reveal` opens them for use. Standard output
 * carries the port and nothing else; messages go through `request.log`.
 */
import { resourceProviderService } from "./service.ts";
import { listen } from "./serve.ts";
import type { Provider } from "./provider.ts";

/** Runs the plugin until the engine ends it. */
export async function serve(provider: Provider): Promise<void> {
  await listen(resourceProviderService(provider, process.argv[2]));
}

export * from "./values.ts";
export * from "./provider.ts";
export { InvalidArguments, PartialFailure, Unimplemented } from "./errors.ts";
export { packageVersion } from "./version.ts";
export type { Log, Severity } from "./engine.ts";
