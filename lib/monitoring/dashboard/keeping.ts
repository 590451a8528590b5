import { of, type Watched } from "../rule.ts";
import { certificateEnd } from "../rules/certificates.ts";
import type { Panel } from "./panel.ts";

/** Whether everything runs, is backed up, and has valid certificates. */
export function keepingPanels(watched: Watched): Panel[] {
  const { targets, certificateEnds, deployment } = watched;
  const backup = of(watched, ["etcd-backup"]);
  const ends = `${certificateEnd}{deployment="${deployment}"} - time()`;
  return [
    {
      title: "Programs that answer",
      description: "A share of those of each kind that are asked for metrics.",
      kind: "over time",
      unit: "percentunit",
      queries: [{ expr: `avg by (component) (up${of(watched)})`, legend: "{{component}}" }],
    },
    ...(targets.some(({ component }) => component === "etcd-backup")
      ? [
          {
            title: "Age of the newest snapshot",
            description: "What would be lost with all of etcd's data.",
            kind: "over time" as const,
            unit: "s",
            queries: [
              { expr: `time() - karmada_etcd_backup_last_success_timestamp_seconds${backup}`, legend: "{{process}}" },
            ],
          },
          {
            title: "Snapshots",
            description: "In each target; runs that failed in a row, up to now.",
            kind: "now" as const,
            unit: "short",
            queries: [
              { expr: `karmada_etcd_backup_target_snapshots${backup}`, legend: "{{target}}" },
              { expr: `karmada_etcd_backup_failures${backup}`, legend: "failed runs" },
            ],
          },
        ]
      : []),
    ...(Object.keys(certificateEnds).length > 0
      ? [
          {
            title: "Certificates that end first",
            description: "The ten that are valid for the shortest time, as of the latest `npm run monitoring`.",
            kind: "now" as const,
            unit: "s",
            queries: [{ expr: `bottomk(10, ${ends})`, legend: "{{certificate}}" }],
            thresholds: [(watched.renewBeforeSeconds * 3) / 4, watched.renewBeforeSeconds / 6] as const,
          },
        ]
      : []),
  ];
}
