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
 * @returns why it could not; undefined when it could
 */
export async function downloadPlugins(
  pulumi: string,
  missing: readonly Plugin[],
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const setting = "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION";
  if (/^(1|true)$/i.test(env[setting] ?? "")) return `${setting} is set`;
  if (!env["PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES"] && !(await reachesPublisher())) {
    return `none of ${publishers.map((address) => new URL(address).host).join(", ")} can be reached`;
  }
  const options = { env: { ...env, PULUMI_SKIP_UPDATE_CHECK: "true" }, timeout: DOWNLOAD_DEADLINE_MS };
  console.error(`pulumi: downloads ${missing.map(title).join(", ")} (at most ${DOWNLOAD_DEADLINE_MS / 1000}s)`);
  const failures = await Promise.all(
    missing.map((plugin) =>
      promisify(execFile)(pulumi, ["plugin", "install", "resource", plugin.name, `v${plugin.version}`], options).then(
        () => [],
        (error: unknown) => [`${title(plugin)}: ${reasonOf(error)}`],
      ),
    ),
  );
  return failures.flat()[0];
}

const title = ({ name, version }: Plugin) => `${name} ${version}`;

/** What pulumi said last, or that there was no time for it. */
function reasonOf(error: unknown): string {
  const { killed, stderr = "", message } = error as { killed?: boolean; stderr?: string; message: string };
  if (killed === true) return `not downloaded within ${DOWNLOAD_DEADLINE_MS / 1000}s`;
  return stderr.trim().split("\n").at(-1) || message.trim();
}

async function reachesPublisher(): Promise<boolean> {
  const client = new HttpClient({ idleSeconds: 10 });
  const attempts = publishers.map(async (address) => (await client.get(address)).destroy());
  return Promise.any(attempts).then(
    () => true,
    () => false,
  );
}
