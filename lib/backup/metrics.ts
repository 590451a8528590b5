import { assess, type BackupStatus, nameOf } from "./status.ts";

/** A status as Prometheus reads it, from a scrape or from a file of the node exporter's textfile collector. */
export function metricsText(status: BackupStatus, now: Date): string {
  const { run, lastSuccess, targets, drill } = status;
  const { ageSeconds, overdue } = assess(status, now);
  const own = { deployment: status.deployment };
  const targetGauge = (value: (target: BackupStatus["targets"][number]) => number): Sample[] =>
    targets.map((target) => [{ ...own, target: nameOf(target) }, value(target)]);
  return [
    gauge("last_success_timestamp_seconds", "When the newest snapshot was begun.", [[own, unix(lastSuccess?.at)]]),
    gauge("age_seconds", "Age of the newest snapshot at the time of writing.", [[own, ageSeconds]]),
    gauge("overdue", "1 when two snapshots were due since the newest one.", [[own, Number(overdue)]]),
    gauge("revision", "Revision of etcd in the newest snapshot.", [[own, optional(lastSuccess?.revision)]]),
    gauge("size_bytes", "Size of the newest snapshot.", [[own, lastSuccess?.sizeBytes]]),
    gauge("duration_seconds", "Time the newest snapshot took.", [[own, lastSuccess?.seconds]]),
    gauge("last_run_timestamp_seconds", "End of the last run, successful or not.", [[own, unix(run?.ended)]]),
    gauge("failures", "Runs that failed in a row, up to the last one.", [[own, run?.failures ?? 0]]),
    gauge(
      "target_up",
      "0 when the target could not be used in the last run.",
      targetGauge(({ problem }) => Number(problem === undefined)),
    ),
    gauge(
      "target_snapshots",
      "Snapshots in the target.",
      targetGauge(({ snapshots }) => snapshots),
    ),
    gauge(
      "target_damaged",
      "Snapshots in the target that are not whole.",
      targetGauge(({ damaged }) => damaged),
    ),
    gauge(
      "target_size_bytes",
      "Size of all snapshots in the target.",
      targetGauge(({ sizeBytes }) => sizeBytes),
    ),
    gauge("drill_timestamp_seconds", "When the last restore drill was begun.", [[own, unix(drill?.at)]]),
    gauge("drill_success", "1 when the last restore drill succeeded.", [
      [own, drill && Number(drill.problem === undefined)],
    ]),
  ].join("");
}

/** One line of a metric; left out while there is no value. */
type Sample = readonly [labels: Readonly<Record<string, string>>, value: number | undefined];

function gauge(name: string, help: string, samples: readonly Sample[]): string {
  const full = `karmada_etcd_backup_${name}`;
  const lines = samples.flatMap(([labels, value]) =>
    value === undefined ? [] : [`${full}{${labelText(labels)}} ${value}\n`],
  );
  return lines.length === 0 ? "" : `# HELP ${full} ${help}\n# TYPE ${full} gauge\n${lines.join("")}`;
}

const labelText = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, (c) => (c === "\n" ? "\\n" : `\\${c}`))}"`)
    .join(",");

const unix = (time: string | undefined): number | undefined =>
  time === undefined ? undefined : Date.parse(time) / 1000;

const optional = (number: string | undefined): number | undefined =>
  number === undefined ? undefined : Number(number);
