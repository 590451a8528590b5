import type * as pulumi from "@pulumi/pulumi";
import type { Monitored, ScrapeTarget } from "../lib/monitoring/monitored.ts";
import type { Deployment } from "../spec/deployment.ts";
import { seconds } from "../spec/units.ts";
import { overridesOf } from "./etcd-plan.ts";
import type { Plan } from "./karmada-plan.ts";
import { metricsPort } from "./metrics-port.ts";
import type { Ground } from "./placed.ts";
import type { Placement } from "./placement.ts";
import type { Process } from "./process.ts";
import { loopback, port, text } from "./process.ts";
import { scraper } from "./scraper.ts";

/** An output of the stack. */
export type MonitoringOutput = { readonly [K in keyof Monitored]: pulumi.Input<Monitored[K]> };

/** What a Prometheus is to know of a deployment. */
export function monitoringOf(
  { name, pki: { renewBefore } }: Pick<Deployment<unknown>, "name" | "pki">,
  plan: Plan,
  { placement, pki }: Ground,
): MonitoringOutput {
  const { certificate, key } = pki.pair(scraper.name);
  return {
    deployment: name,
    targets: scrapeTargets(plan, placement),
    renewBeforeSeconds: seconds(renewBefore),
    authority: pki.trust(scraper.authority),
    certificate,
    key,
  };
}

/**
 * Everything that answers for metrics beside the control plane. Each is asked from its own host, since what is not secured
 * listens nowhere else. Simulated clusters are none of it: they stand for what is watched by others.
 */
export function scrapeTargets(plan: Plan, placement: Pick<Placement, "text" | "hostName">): ScrapeTarget[] {
  const { etcd, controlPlane, backups, fleet } = plan;
  const target = (process: Process, more: Pick<ScrapeTarget, "member" | "etcdCluster"> = {}): ScrapeTarget[] => {
    const asked = metricsPort(process);
    if (asked === undefined) return [];
    const host = placement.hostName?.(process.name);
    return [
      {
        process: process.name,
        component: process.component,
        address: placement.text(process, text`${loopback}:${port(asked.name)}`),
        scheme: asked.scheme,
        ...(host !== undefined && { host }),
        ...more,
      },
    ];
  };
  const clusters = "token" in etcd ? [etcd, ...overridesOf(etcd)] : [];
  return [
    ...clusters.flatMap(({ members, token }) => members.flatMap((each) => target(each, { etcdCluster: token }))),
    ...Object.values(controlPlane)
      .flat()
      .flatMap((process) => target(process)),
    ...(backups === undefined ? [] : target(backups)),
    ...[fleet.agents, fleet.estimators].flatMap((programs) =>
      [...programs].flatMap(([member, process]) => target(process, { member })),
    ),
  ];
}
