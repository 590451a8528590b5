import { objectName } from "../lib/host-cluster/object-name.ts";
import type { Monitored, ScrapeTarget } from "../lib/monitoring/monitored.ts";
import type { AsInputs } from "../providers/dynamic.ts";
import type { Deployment } from "../spec/deployment.ts";
import { seconds } from "../spec/values/units.ts";
import { ownClusters } from "./etcd-plan.ts";
import type { Plan } from "./karmada-plan.ts";
import { metricsPort } from "./metrics-port.ts";
import { authorityRenewalHours, lifetimesOf } from "./pki/lifetimes.ts";
import type { Ground } from "./placed.ts";
import type { Placement } from "./placement.ts";
import { loopback, port, type Process, text } from "./process.ts";
import { scraper } from "./scraper.ts";

/** An output of the stack. */
export type MonitoringOutput = AsInputs<Monitored>;

/** What a Prometheus is to know of a deployment. */
export function monitoringOf(
  { name, pki: declared }: Pick<Deployment<unknown>, "name" | "pki">,
  plan: Plan,
  { placement, pki }: Ground,
): MonitoringOutput {
  const { certificate, key } = pki.pair(scraper.name);
  return {
    deployment: name,
    targets: scrapeTargets(plan, placement),
    ...(placement.monitoredPods && { pods: placement.monitoredPods }),
    renewBeforeSeconds: seconds(declared.renewBefore),
    authorities: {
      renewBeforeSeconds: authorityRenewalHours(lifetimesOf(declared)) * 3600,
      given: Object.keys(declared.authorities).map((authority) => `ca-${authority}`),
    },
    authority: pki.trust(scraper.authority),
    certificate,
    key,
  };
}

/**
 * Everything on the control plane's side that serves metrics. Each is scraped from its own host, since unsecured ports
 * listen nowhere else; or as pods, to which a NetworkPolicy admits nobody else. Simulated clusters are left out: they
 * stand for clusters monitored by others.
 */
export function scrapeTargets(plan: Plan, placement: Placement): ScrapeTarget[] {
  const { etcd, etcdProxies, controlPlane, balancers, backups, fleet } = plan;
  const target = (process: Process, more: Pick<ScrapeTarget, "member" | "etcdCluster"> = {}): ScrapeTarget[] => {
    const asked = metricsPort(process);
    if (asked === undefined) return [];
    const { name, component } = process;
    return [{ process: name, component, scheme: asked.scheme, ...more, ...placeOf(process, asked.name, placement) }];
  };
  return [
    ...ownClusters(etcd).flatMap(({ members, token }) =>
      members.flatMap((each) => target(each, { etcdCluster: token })),
    ),
    ...[etcdProxies, ...Object.values(controlPlane), balancers, backups ?? []]
      .flat()
      .flatMap((process) => target(process)),
    ...[fleet.agents, fleet.estimators].flatMap((programs) =>
      [...programs].flatMap(([member, process]) => target(process, { member })),
    ),
  ];
}

/** Where a port of a process is scraped. */
function placeOf(process: Process, name: string, placement: Placement) {
  if (placement.monitoredPods !== undefined) {
    const instance = objectName(process.name);
    return { instance, copies: process.copies ?? 1, port: name, serverName: placement.host(process.name) };
  }
  const host = placement.hostName?.(process.name);
  const address = placement.text(process, text`${loopback}:${port(name)}`);
  return { address, ...(host !== undefined && { host }) };
}
