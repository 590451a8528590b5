import { alert, of, type Rule, seeLog, type Watched } from "../rule.ts";

/** Scheduled snapshots, by the metrics of the program that takes them (lib/backup/metrics.ts). */
export function backupRules(watched: Watched): Rule[] {
  if (!watched.targets.some(({ component }) => component === "etcd-backup")) return [];
  const backup = of(watched, ["etcd-backup"]);
  const metric = (name: string) => `karmada_etcd_backup_${name}${backup}`;
  const status = "`pulumi preview --refresh` shows its status, and `/status` beside its metrics all of it.";
  return [
    alert(watched, {
      name: "KarmadaBackupOverdue",
      severity: "critical",
      for: "5m",
      expr: `${metric("overdue")} == 1`,
      summary: `the newest snapshot of ${watched.deployment} is too old`,
      description: `Two were due since, and neither came. ${status} ${seeLog(watched)}`,
    }),
    alert(watched, {
      name: "KarmadaBackupFailing",
      severity: "warning",
      for: "5m",
      expr: `${metric("failures")} > 0`,
      summary: "the last {{ $value }} runs that were to take a snapshot have failed",
      description: `It is tried again within minutes. ${status} ${seeLog(watched)}`,
    }),
    alert(watched, {
      name: "KarmadaBackupTargetDown",
      severity: "warning",
      for: "15m",
      expr: `${metric("target_up")} == 0`,
      summary: "snapshots cannot be brought to {{ $labels.target }}",
      description: `Is it mounted, are its credentials valid, has it room? ${status}`,
    }),
    alert(watched, {
      name: "KarmadaBackupDamaged",
      severity: "critical",
      for: "5m",
      expr: `${metric("target_damaged")} > 0`,
      summary: "{{ $value }} snapshots in {{ $labels.target }} are not whole",
      description:
        "What was written there is not what is read. Find out what changed it, have a snapshot taken anew, and do not count on the disk.",
    }),
    alert(watched, {
      name: "KarmadaBackupDrillFailed",
      severity: "critical",
      for: "5m",
      expr: `${metric("drill_success")} == 0`,
      summary: "the last restore drill has failed",
      description: `A snapshot could not be restored on trial, so it might not serve when it has to. ${status}`,
    }),
  ];
}
