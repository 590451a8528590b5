import { stringify } from "yaml";
import type { ProcessTarget } from "./monitored.ts";

/** Names of the files that a configuration refers to, which lie beside it: Prometheus resolves paths from there. */
export const scrapeFiles = { authority: "ca.crt", certificate: "client.crt", key: "client.key" } as const;

/**
 * What Prometheus includes by `scrape_config_files` (2.43 and later): a job for each kind of program, with these labels for
 * each target: `deployment`, `component`, `process`, and as far as it has them `host`, `member` and `etcd_cluster`.
 */
export function scrapeConfigs(deployment: string, targets: readonly ProcessTarget[]): string {
  const components = [...new Set(targets.map(({ component }) => component))];
  const jobs = components.map((component) => job(deployment, component, targets));
  return stringify({ scrape_configs: jobs }, { lineWidth: 0 });
}

function job(deployment: string, component: string, all: readonly ProcessTarget[]) {
  const targets = all.filter((target) => target.component === component);
  return {
    job_name: `${deployment}/${component}`,
    ...(targets[0]?.scheme === "https" && { scheme: "https", tls_config: tlsConfig }),
    static_configs: targets.map((target) => ({
      targets: [target.address],
      labels: { deployment, component, ...labelsOf(target) },
    })),
  };
}

const tlsConfig = {
  ca_file: scrapeFiles.authority,
  cert_file: scrapeFiles.certificate,
  key_file: scrapeFiles.key,
  min_version: "TLS13",
};

/** The loopback address is the same on every host, so `instance` has the host's name instead. */
function labelsOf({ process, host, member, etcdCluster, address }: ProcessTarget): Record<string, string> {
  return {
    process,
    ...(host !== undefined && { host, instance: `${host}:${address.slice(address.lastIndexOf(":") + 1)}` }),
    ...(member !== undefined && { member }),
    ...(etcdCluster !== undefined && { etcd_cluster: etcdCluster }),
  };
}
