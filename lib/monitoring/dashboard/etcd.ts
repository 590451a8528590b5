import { slowestOfEach } from "../promql.ts";
import { of, type Watched } from "../rule.ts";
import type { Panel } from "./panel.ts";

/** The members of an etcd of our own. */
export function etcdPanels(watched: Watched): Panel[] {
  if (!watched.targets.some(({ component }) => component === "etcd")) return [];
  const etcd = of(watched, ["etcd"]);
  const slowest = (histogram: string) => slowestOfEach(histogram, etcd);
  const ofEach = (expr: string) => [{ expr, legend: "{{process}}" }];
  return [
    {
      title: "Members that see a leader",
      description: "Less than a majority of them writes nothing.",
      kind: "now",
      unit: "short",
      queries: [
        { expr: `sum by (etcd_cluster) (etcd_server_has_leader${etcd})`, legend: "{{etcd_cluster}}: see a leader" },
        { expr: `count by (etcd_cluster) (up${etcd})`, legend: "{{etcd_cluster}}: are asked" },
      ],
    },
    {
      title: "Changes of leader in an hour",
      description: "More than a few mean a slow disk, a bad network between members, or hosts with too much to do.",
      kind: "over time",
      unit: "short",
      queries: ofEach(`increase(etcd_server_leader_changes_seen_total${etcd}[1h])`),
    },
    {
      title: "Database, of its quota",
      description: "At 100 % nothing can be written any more: raise `etcd.quota` before.",
      kind: "over time",
      unit: "percentunit",
      queries: ofEach(`etcd_mvcc_db_total_size_in_bytes${etcd} / etcd_server_quota_backend_bytes${etcd}`),
      thresholds: [0.8, 0.95],
    },
    {
      title: "Database, size and what is in use of it",
      description:
        "What is not in use is given back when a member is defragmented, as an `up` with another quota does.",
      kind: "over time",
      unit: "bytes",
      queries: [
        { expr: `etcd_mvcc_db_total_size_in_bytes${etcd}`, legend: "{{process}} size" },
        { expr: `etcd_mvcc_db_total_size_in_use_in_bytes${etcd}`, legend: "{{process}} in use" },
      ],
    },
    {
      title: "Time that the disk takes to sync the log",
      description:
        "What one in a hundred exceeds: all that is written waits for it. 10 ms are good, 500 ms are an alert.",
      kind: "over time",
      unit: "s",
      queries: ofEach(slowest("etcd_disk_wal_fsync_duration_seconds")),
      thresholds: [0.1, 0.5],
    },
    {
      title: "Time that the database takes to commit",
      description: "What one in a hundred exceeds.",
      kind: "over time",
      unit: "s",
      queries: ofEach(slowest("etcd_disk_backend_commit_duration_seconds")),
      thresholds: [0.1, 0.25],
    },
    {
      title: "Behind what is agreed on",
      description: "Entries that a member has not applied yet. One that stays behind is slow, or just came.",
      kind: "over time",
      unit: "short",
      queries: ofEach(`etcd_server_proposals_committed_total${etcd} - etcd_server_proposals_applied_total${etcd}`),
    },
    {
      title: "Waiting to be agreed on, and failed",
      description: "What was written and has no majority yet, and what got none, in a second.",
      kind: "over time",
      unit: "short",
      queries: [
        { expr: `etcd_server_proposals_pending${etcd}`, legend: "{{process}} waiting" },
        { expr: `rate(etcd_server_proposals_failed_total${etcd}[5m])`, legend: "{{process}} failed" },
      ],
    },
  ];
}
