import type { Monitored, PodsTarget, ProcessTarget } from "../../lib/monitoring/monitored.ts";
import { dashboardText } from "../../lib/monitoring/dashboard.ts";
import { operatorObjects, operatorSecret } from "../../lib/monitoring/operator-objects.ts";
import { rulesText } from "../../lib/monitoring/rules.ts";
import { scrapeConfigs, scrapeFiles } from "../../lib/monitoring/scrape-configs.ts";

/** Names of the two files that a Prometheus includes. */
export const included = { scrapes: "scrape-configs.yaml", rules: "rules.yaml" } as const;

/** Names of the two files that are applied to a host cluster. */
export const applied = { objects: "prometheus-operator.yaml", secret: "prometheus-client.yaml" } as const;

/** For a Grafana; in a separate directory, since all of the one above is applied to a host cluster. */
export const dashboardFile = "grafana/dashboard.json";

/** Files with a key in them. */
export const secretFiles: readonly string[] = [applied.secret, scrapeFiles.key];

/** Directory of a host's files. */
export const hostDirectory = (host: string): string => `hosts/${host}`;

/**
 * The files of a configuration, by relative path: the rules once, and the scrape configuration of each machine with
 * programs, with everything it needs beside it; for pods all of it as objects of their cluster.
 *
 * @param certificateEnds the stack's output `certificates`
 */
export function monitoringFiles(
  monitored: Monitored,
  certificateEnds: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  const { deployment, targets, pods, authority, certificate, key } = monitored;
  const dashboard = [dashboardFile, dashboardText({ ...monitored, certificateEnds })] as const;
  if (pods !== undefined) {
    const ofPods = targets.filter((target): target is PodsTarget => "instance" in target);
    return new Map([
      [applied.secret, operatorSecret(pods, monitored)],
      [applied.objects, operatorObjects({ ...monitored, targets: ofPods, pods, certificateEnds })],
      dashboard,
    ]);
  }
  const processes = targets.filter((target): target is ProcessTarget => "address" in target);
  const scraped = [...Map.groupBy(processes, ({ host }) => host)].flatMap(([host, there]): [string, string][] => {
    const path = (name: string) => (host === undefined ? name : `${hostDirectory(host)}/${name}`);
    return [
      [path(included.scrapes), scrapeConfigs(deployment, there)],
      [path(scrapeFiles.authority), authority],
      [path(scrapeFiles.certificate), certificate],
      [path(scrapeFiles.key), key],
    ];
  });
  return new Map([...scraped, [included.rules, rulesText({ ...monitored, certificateEnds })], dashboard]);
}
