import { delimiter, join } from "node:path";
import { chooseAutomaticLogs } from "./automatic-logs.ts";
import { directToThisMachine } from "../net/proxy.ts";
import { backendEnvironment } from "./backend.ts";
import { findOfficial } from "./official.ts";
import { checkout, namelessUser, standInHome } from "./checkout.ts";
import type { Found, PulumiCommand } from "./found.ts";
import { obtainPulumi, standIn } from "./stand-in.ts";

/**
 * What is set for pulumi, all of it only where the user has not set it (an empty value counts as set, but where pulumi says
 * otherwise):
 *
 * | Variable | Value | When |
 * |---|---|---|
 * | `PATH` | `node_modules/.bin` of the checkout first, so that `node` is new enough | always |
 * | `NODE_COMPILE_CACHE` | `.pulumi/node-cache`: programs and plugins start faster | always |
 * | `GOGC` | `400`: the engine, which writes the whole state out at each change, takes a seventh less CPU time | always |
 * | `no_proxy` | this machine itself, before what the user has there | the environment names a proxy |
 * | `USER` | the number of the user | the system knows no name for it, as in many a container |
 * | `KARMADA_SDK_DEBUG` | `true`: the program sends the SDK's debug messages | `--debug`, `-d` |
 * | `PULUMI_BACKEND_URL` | `file://<checkout>/.pulumi/backend?metadata=skip` | no login, access token or `backend.url` in Pulumi.yaml |
 * | `PULUMI_CONFIG_PASSPHRASE_FILE` | `.pulumi/passphrase`, made at random | with that backend, when `PULUMI_CONFIG_PASSPHRASE` is not set either |
 * | `PULUMI_HOME` | `$HOME/.pulumi`, which pulumi would not look for | it is there, and `HOME` not the user's |
 * | `PULUMI_HOME` | `.pulumi/home`, with stand-ins for the plugins that `~/.pulumi` lacks | stand-ins |
 * | `PULUMI_CREDENTIALS_PATH` | `~/.pulumi`, so that logins are the user's | stand-ins |
 * | `PULUMI_SKIP_UPDATE_CHECK`, `PULUMI_DISABLE_REGISTRY_RESOLVE`, `PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION` | `true` | stand-ins |
 *
 * In the stand-ins' home pulumi writes no log of each command, except with `--debug` (automatic-logs.ts).
 *
 * @param args what pulumi will be called with: `login` and `logout` get no backend
 * @throws when there is no pulumi and none can be had
 */
export async function pulumiEnvironment({
  env: given = process.env,
  cwd = process.cwd(),
  args = [],
}: {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly args?: readonly string[];
} = {}): Promise<PulumiCommand> {
  const env = withoutEmpty(given);
  const found = await findPulumi(env);
  const debugs = args.some((arg) => ["--debug", "-d"].includes(arg));
  if (found.env["PULUMI_HOME"] === standInHome) await chooseAutomaticLogs(standInHome, debugs || args[0] === "logs");
  const defaults = {
    NODE_COMPILE_CACHE: join(checkout, ".pulumi", "node-cache"),
    GOGC: "400",
    ...namelessUser(),
    ...(debugs && { KARMADA_SDK_DEBUG: "true" }),
    ...(await backendEnvironment(env, cwd, args)),
    ...found.env,
  };
  const path = [join(checkout, "node_modules", ".bin"), ...found.pathEntries, env["PATH"] ?? ""].join(delimiter);
  return { ...found, cwd, env: { ...defaults, ...env, ...directToThisMachine(env), PATH: path } };
}

/** Without what pulumi takes for not set when it is empty, as pipelines give a secret or a variable that there is not. */
function withoutEmpty(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => value !== "" || !unsetWhenEmpty.has(name)));
}

const unsetWhenEmpty: ReadonlySet<string> = new Set([
  "PULUMI_ACCESS_TOKEN",
  "PULUMI_BACKEND_URL",
  "PULUMI_CONFIG_PASSPHRASE_FILE",
  "PULUMI_CREDENTIALS_PATH",
  "PULUMI_HOME",
]);

/** Pulumi's own with its plugins, else one from the toolchain, which may be Pulumi's own too or gets stand-ins. */
export async function findPulumi(env: NodeJS.ProcessEnv = process.env): Promise<Found> {
  const first = await findOfficial(env);
  if (!("lacking" in first)) return first;
  const { artifact, isNew } = await obtainPulumi(env);
  const official = isNew && first.lacking === "cli" ? await findOfficial(env) : first;
  return "lacking" in official ? standIn(env, artifact, official.reason) : official;
}
