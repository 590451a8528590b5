import { z } from "zod";
import { verifyLevels } from "../snapshots/manifest.ts";
import { readJson } from "../atomic-file.ts";
import { Schedule } from "./schedule.ts";

const time = z.iso.datetime();
const count = z.number().int().nonnegative();

/** What is known about a deployment's backups, as stored in the status file. All times are RFC 3339. */
const backupStatus = z.object({
  format: z.literal(1),
  deployment: z.string(),
  schedule: z.object({ cron: z.string(), jitterSeconds: z.number(), drill: z.string().optional() }),
  /** When backups were first looked after here. */
  since: time,
  /** The last run, successful or not: when it was due, and how many in a row have failed. */
  run: z.object({ due: time, ended: time, failures: count, error: z.string().optional() }).optional(),
  /**
   * The newest snapshot that was taken by the clock, if need be as it was found in a target, without the `seconds` it
   * took. `at` is when it was begun: its data are at least as recent.
   */
  lastSuccess: z
    .object({
      at: time,
      id: z.string(),
      revision: z.string(),
      sizeBytes: count,
      seconds: z.number().optional(),
      verified: z.enum(verifyLevels),
    })
    .optional(),
  /** In the order of the settings; the first holds what the others have copies of. */
  targets: z.array(
    z.object({
      uri: z.string(),
      /** What tells it from the others, where its URI does not: with its server. */
      name: z.string().optional(),
      /** What was found there at the end of the last run. */
      snapshots: count,
      damaged: count,
      sizeBytes: count,
      newest: z.string().optional(),
      problem: z.string().optional(),
    }),
  ),
  /** The last restore drill: `keys` were found in the cluster that was started from the snapshot. */
  drill: z
    .object({
      due: time,
      at: time,
      id: z.string().optional(),
      seconds: z.number(),
      keys: count.optional(),
      problem: z.string().optional(),
      /** How many in a row could not be judged, up to this one. */
      failures: count.optional(),
    })
    .optional(),
});

export type BackupStatus = z.output<typeof backupStatus>;
export type TargetStatus = BackupStatus["targets"][number];

/** A status and what follows from it at a given time. */
export interface Assessment {
  /** Age of the data in the newest snapshot; undefined before the first one. */
  readonly ageSeconds: number | undefined;
  /** Two were due since the newest snapshot. */
  readonly overdue: boolean;
  /** A sentence for each thing that is not as it should be. */
  readonly problems: readonly string[];
}

/** @returns undefined when there is no such file, or none that can be read as one */
export function readStatus(path: string): BackupStatus | undefined {
  return parseStatus(readJson(path));
}

/** @returns undefined for what is none */
export function parseStatus(read: unknown): BackupStatus | undefined {
  const parsed = backupStatus.safeParse(read);
  return parsed.success ? parsed.data : undefined;
}

/** What follows from a status at a given time: how old the newest snapshot is, and all that is wrong, in sentences. */
export function assess(status: BackupStatus, now: Date): Assessment {
  const { deployment: name, schedule, since, lastSuccess, run, targets, drill } = status;
  const newest = new Date(lastSuccess?.at ?? since);
  const overdue = new Schedule({ ...schedule, name }).isOverdue(newest, now);
  const ageSeconds = lastSuccess && Math.max(0, (now.getTime() - newest.getTime()) / 1000);
  return {
    ageSeconds,
    overdue,
    problems: [
      ...(run?.error === undefined ? [] : [`the last backup failed, ${times(run.failures)} in a row: ${run.error}`]),
      ...(overdue ? [tooOld(ageSeconds, lastSuccess?.at, now)] : []),
      ...targets.flatMap(({ problem }) => problem ?? []),
      ...targets
        .filter(({ damaged }) => damaged > 0)
        .map((target) => `${nameOf(target)}: ${target.damaged} damaged snapshots`),
      ...(drill?.problem === undefined ? [] : [`the restore drill of ${drill.at} failed: ${drill.problem}`]),
    ],
  };
}

/** What tells a target from the others. */
export const nameOf = ({ uri, name = uri }: Pick<TargetStatus, "uri" | "name">): string => name;

function tooOld(ageSeconds: number | undefined, at = "", now: Date): string {
  if (ageSeconds === undefined) return "there is no snapshot yet, though two were due";
  if (new Date(at) > now)
    return `the newest snapshot is of ${at}, which is still to come: a clock was ahead, its age is not known`;
  return `the newest snapshot is of ${at}, ${inWords(ageSeconds)} ago: two were due since`;
}

const times = (count: number): string => (count === 1 ? "once" : `${count} times`);

function inWords(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}
