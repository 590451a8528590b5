import type { PodsTarget, ProcessTarget } from "../../../lib/monitoring/monitored.ts";
import type { Watched } from "../../../lib/monitoring/rule.ts";

export const target = (component: string, more: Partial<ProcessTarget> = {}): ProcessTarget => ({
  process: component,
  component,
  address: "127.0.0.1:8080",
  scheme: "http",
  ...more,
});

export const pods = (component: string, more: Partial<PodsTarget> = {}): PodsTarget => ({
  process: component,
  component,
  scheme: "http",
  instance: component,
  copies: 1,
  port: "metrics",
  serverName: `${component}.fleet.svc.cluster.local`,
  ...more,
});

/** A deployment with one of everything, but for what the test says. */
export const watched = (more: Partial<Watched> = {}): Watched => ({
  deployment: "prod",
  targets: [
    target("etcd", { process: "etcd-0", etcdCluster: "prod" }),
    target("etcd", { process: "etcd-1", etcdCluster: "prod" }),
    ...["kube-apiserver", "kube-controller-manager", "karmada-controller-manager", "karmada-scheduler"].map((name) =>
      target(name),
    ),
    target("etcd-backup"),
    target("etcd-proxy", { process: "etcd-proxy-host1" }),
    target("haproxy", { process: "haproxy-host1" }),
    target("karmada-agent", { member: "m1" }),
    target("karmada-scheduler-estimator", { member: "m1" }),
  ],
  renewBeforeSeconds: 720 * 3600,
  certificateEnds: { apiserver: "2027-01-01T00:00:00Z", "ca-karmada": "2036-01-01T00:00:00Z" },
  ...more,
});
