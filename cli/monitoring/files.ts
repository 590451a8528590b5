import type { Monitored, ScrapeTarget } from "../../lib/monitoring/monitored.ts";
import { rulesText } from "../../lib/monitoring/rules.ts";
import { scrapeConfigs, scrapeFiles } from "../../lib/monitoring/scrape-configs.ts";

/** Names of the two files that a Prometheus includes. */
export const included = { scrapes: "scrape-configs.yaml", rules: "rules.yaml" } as const;

/** Every name that a file of a configuration can have. */
export const fileNames: readonly string[] = [...Object.values(included), ...Object.values(scrapeFiles)];

/** Where those of a host are. */
export const hostDirectory = (host: string): string => `hosts/${host}`;

/**
 * The files of a configuration, by relative path: the rules once, and what is scraped for each machine with programs, with all
 * that it takes beside it. The one with the key is secret.
 *
 * @param certificateEnds the stack's output `certificates`
 */
export function monitoringFiles(
  monitored: Monitored,
  certificateEnds: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  const { deployment, targets, authority, certificate, key } = monitored;
  const scraped = [...byHost(targets)].flatMap(([host, there]): [string, string][] => {
    const path = (name: string) => (host === undefined ? name : `${hostDirectory(host)}/${name}`);
    return [
      [path(included.scrapes), scrapeConfigs(deployment, there)],
      [path(scrapeFiles.authority), authority],
      [path(scrapeFiles.certificate), certificate],
      [path(scrapeFiles.key), key],
    ];
  });
  return new Map([...scraped, [included.rules, rulesText({ ...monitored, certificateEnds })]]);
}

function byHost(targets: readonly ScrapeTarget[]): ReadonlyMap<string | undefined, readonly ScrapeTarget[]> {
  const hosts = new Set(targets.map(({ host }) => host));
  return new Map([...hosts].map((host) => [host, targets.filter((target) => target.host === host)]));
}
