import { slowestOfEach } from "../promql.ts";
import { alert, of, type Rule, seeLog, type Watched } from "../rule.ts";

/** The members of an etcd of our own, after etcd's own rules (https://github.com/etcd-io/etcd/tree/main/contrib/mixin). */
export function etcdRules(watched: Watched): Rule[] {
  const members = watched.targets.filter(({ component }) => component === "etcd");
  if (members.length === 0) return [];
  const etcd = of(watched, ["etcd"]);
  const clusters = Map.groupBy(members, ({ etcdCluster }) => etcdCluster ?? "");
  // Members that no target represents any more count as well: pods that are gone, or those of a host without its
  // Prometheus.
  const tooFew = (cluster: string, count: number) => {
    const up = `up${of(watched, ["etcd"], `etcd_cluster="${cluster}"`)}`;
    return `sum by (etcd_cluster) (${up}) < ${Math.floor(count / 2) + 1} or absent(${up}) - 1`;
  };
  const size = `etcd_mvcc_db_total_size_in_bytes${etcd} / etcd_server_quota_backend_bytes${etcd}`;
  const slowest = (histogram: string) => slowestOfEach(histogram, etcd);
  const grow =
    "Raise `etcd.quota`, or find who writes so much: `etcdctl endpoint status` shows what is in use, and an `up` with another quota gives back what is not.";
  return [
    alert(watched, {
      name: "KarmadaEtcdNoMajority",
      severity: "critical",
      for: "1m",
      expr: [...clusters].map(([cluster, there]) => tooFew(cluster, there.length)).join(" or "),
      summary: "etcd {{ $labels.etcd_cluster }} has {{ $value }} members left, less than a majority",
      description:
        "Nothing can be written, and soon nothing read. Bring members back that only ended; for those whose data are gone docs/recovery.md has a case.",
    }),
    alert(watched, {
      name: "KarmadaEtcdNoLeader",
      severity: "critical",
      for: "1m",
      expr: `etcd_server_has_leader${etcd} == 0`,
      summary: "{{ $labels.process }} sees no leader",
      description: `It reaches no majority of its cluster: members that are down, or a network between them that is. ${seeLog(watched)}`,
    }),
    ...(members.length > 1
      ? [
          alert(watched, {
            name: "KarmadaEtcdLeaderChanges",
            severity: "warning",
            for: "5m",
            expr: `increase(etcd_server_leader_changes_seen_total${etcd}[15m]) >= 4`,
            summary: "{{ $labels.process }} saw {{ $value | humanize }} changes of leader in 15 minutes",
            description:
              "Members lose sight of each other: a disk that is slow to sync (KarmadaEtcdSlowDisk), hosts with too much to do, or a bad network between them.",
          }),
          alert(watched, {
            name: "KarmadaEtcdSlowPeers",
            severity: "warning",
            for: "10m",
            expr: `${slowest("etcd_network_peer_round_trip_time_seconds")} > 0.15`,
            summary: "{{ $labels.process }} waits {{ $value | humanizeDuration }} for a peer",
            description:
              "One in a hundred round trips to the member {{ $labels.To }} takes as long. Look at the network between the two hosts; members belong into one site.",
          }),
        ]
      : []),
    alert(watched, {
      name: "KarmadaEtcdSlowDisk",
      severity: "warning",
      for: "10m",
      expr: `${slowest("etcd_disk_wal_fsync_duration_seconds")} > 0.5`,
      summary: "the disk of {{ $labels.process }} takes {{ $value | humanizeDuration }} to sync",
      description:
        "One in a hundred entries of its log takes as long, and everything that is written waits for it. Give etcd a disk of its own, an SSD, and see what else writes to this one.",
    }),
    alert(watched, {
      name: "KarmadaEtcdSlowCommits",
      severity: "warning",
      for: "10m",
      expr: `${slowest("etcd_disk_backend_commit_duration_seconds")} > 0.25`,
      summary: "the database of {{ $labels.process }} takes {{ $value | humanizeDuration }} to commit",
      description: "See KarmadaEtcdSlowDisk; a database of several GB makes it worse.",
    }),
    alert(watched, {
      name: "KarmadaEtcdDatabaseLarge",
      severity: "warning",
      for: "10m",
      expr: `${size} > 0.8`,
      summary: "the database of {{ $labels.process }} is at {{ $value | humanizePercentage }} of its quota",
      description: `When it is full, nothing can be written any more. ${grow}`,
    }),
    alert(watched, {
      name: "KarmadaEtcdDatabaseFull",
      severity: "critical",
      for: "5m",
      expr: `${size} > 0.95`,
      summary: "the database of {{ $labels.process }} is at {{ $value | humanizePercentage }} of its quota",
      description: `Very soon nothing can be written any more. ${grow}`,
    }),
  ];
}
