import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { HttpClient } from "../net/http.ts";
import type { Plugin } from "./plugins.ts";

/** For one plugin; the largest, kubernetes, is some 40 MB. */
const DOWNLOAD_DEADLINE_MS = 120_000;

/** Where pulumi looks for its own plugins, in this order. */
const publishers = ["https://api.github.com/", "https://get.pulumi.com/"];

/**
 * Has pulumi download plugins into the user's home. Behind a firewall that drops packets pulumi would try for minutes,
 * at every run: it is only asked to when one of the publishers can be reached, or others are configured.
 *
 * @returns whether it could
 */
export async function downloadPlugins(
  pulumi: string,
  missing: readonly Plugin[],
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  if (/^(1|true)$/i.test(env["PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION"] ?? "")) return false;
  if (!env["PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES"] && !(await reachesPublisher())) return false;
  const options = { env: { ...env, PULUMI_SKIP_UPDATE_CHECK: "true" }, timeout: DOWNLOAD_DEADLINE_MS };
  const install = ({ name, version }: Plugin) =>
    promisify(execFile)(pulumi, ["plugin", "install", "resource", name, `v${version}`], options);
  return Promise.all(missing.map(install)).then(
    () => true,
    () => false, // no way to where plugins are published
  );
}

async function reachesPublisher(): Promise<boolean> {
  const client = new HttpClient({ idleSeconds: 10 });
  const attempts = publishers.map(async (address) => (await client.get(address)).destroy());
  return Promise.any(attempts).then(
    () => true,
    () => false,
  );
}
