import { Cron } from "croner";
import { z } from "zod";
import type { Context } from "../context.ts";
import type { Deployment } from "../deployment.ts";
import { fieldNotes, whole, words } from "../field.ts";
import type { Problem } from "../problems.ts";
import { absolutePath } from "../values/path.ts";
import { resources } from "../values/resources.ts";
import { wait } from "../values/units.ts";
import { encryption, resolveEncryption } from "./encryption.ts";
import { target } from "./targets.ts";

const fiveFields = 'a schedule of five fields such as "15 * * * *"';

const cron = z
  .string()
  .superRefine((value, issue) => {
    const message = cronProblem(value);
    if (message !== undefined) issue.addIssue({ code: "custom", message });
  })
  .register(fieldNotes, { want: fiveFields });

const schedule = z.strictObject({
  cron: cron.describe("When, in UTC, as cron writes it: minute, hour, day of the month, month, day of the week."),
  jitter: wait
    .default("1m")
    .describe("Up to so much later, always the same for a deployment, so that many deployments do not come at once."),
  drill: cron
    .default("0 4 * * 0")
    .describe("When the newest snapshot is restored on trial, into a directory that is removed again. In UTC."),
  gate: z
    .boolean()
    .default(false)
    .describe(
      "Whether other `versions` are refused while the newest snapshot is too old: two were due since. So they are while there is none and the last attempt has failed.",
    ),
  resources: resources.describe("Limits of the program that takes them; none when left out."),
  metricsFile: words("an absolute path")
    .refine((path) => path.startsWith("/") && path.endsWith(".prom"), {
      error: ({ input }) => `got "${String(input)}", want an absolute path that ends in .prom`,
    })
    .optional()
    .describe("A file for the textfile collector of a Prometheus node exporter. Default: none is written."),
});

const kept = (what: string, count: number) => whole(0, 10_000).default(count).describe(what);

const keep = z
  .strictObject({
    last: whole(1, 10_000, "a whole number of at least 1")
      .default(24)
      .describe("The newest so many. The newest one that was verified is never deleted."),
    hourly: kept("The newest one of each of so many hours.", 24),
    daily: kept("The newest one of each of so many days.", 7),
    weekly: kept("The newest one of each of so many weeks.", 5),
  })
  .prefault({})
  .describe("Which scheduled snapshots are kept; a snapshot is kept when any of these keeps it.");

export const snapshots = z
  .strictObject({
    targets: z
      .array(target)
      .default([])
      .describe("Where snapshots are kept. The first is the main one; each other holds a copy of every snapshot."),
    schedule: schedule.optional().describe("Takes snapshots where etcd runs. Default: none are taken by themselves."),
    keep,
    beforeChange: z
      .enum(["required", "best-effort", "never"])
      .default("required")
      .describe(
        "Whether a snapshot is taken before a change that risks the data; `required` makes the change wait for it and fail without it. Nothing is taken without targets.",
      ),
    verify: z
      .enum(["sha", "status", "restore"])
      .default("status")
      .describe(
        "How far a snapshot is proved before it counts as one: its digest, its structure as `etcdutl` reads it, or a restore into a scratch directory.",
      ),
    encryption: encryption.prefault({ kind: "none" }),
    scratch: words("a directory")
      .optional()
      .describe(
        "Where a copy lies while it is proved, when the target is S3 or encrypted, and where restores are tried. Default: the system's directory for temporary files.",
      ),
  })
  .prefault({})
  .describe("Snapshots of etcd.");

export type TypedSnapshots = z.output<typeof snapshots>;

/** Rules between the fields of this section. */
export function checkSnapshots({ targets, schedule, encryption }: TypedSnapshots): Problem[] {
  const path = (i: number, field: string) => ["snapshots", "targets", i, field];
  return [
    ...(schedule !== undefined && targets.length === 0
      ? [{ path: ["snapshots", "schedule"], message: "there is a schedule, but no target to keep snapshots in" }]
      : []),
    ...(schedule !== undefined && encryption.kind === "environment"
      ? [
          {
            path: ["snapshots", "encryption", "kind"],
            message: 'got "environment", want "key-file" with a schedule: snapshots are then taken without a terminal',
          },
        ]
      : []),
    ...targets.flatMap((target, i) => {
      const twin = targets.findIndex((other) => placeOf(other) === placeOf(target));
      return twin < i ? [{ path: ["snapshots", "targets", i], message: `is the same place as targets[${twin}]` }] : [];
    }),
    ...targets.flatMap((target, i) =>
      target.kind === "s3" && target.kmsKeyId !== undefined && target.serverSideEncryption !== "aws:kms"
        ? [{ path: path(i, "kmsKeyId"), message: 'got a key, want serverSideEncryption: "aws:kms" with it' }]
        : [],
    ),
  ];
}

/**
 * Buckets whose login is in the operator's environment, which the program for scheduled snapshots does not have.
 * @param variables of the operator
 */
export function signInWarnings(
  { schedule, targets }: Pick<Deployment<unknown>["snapshots"], "schedule" | "targets">,
  variables: Readonly<Record<string, string | undefined>>,
): string[] {
  if (schedule === undefined || variables["AWS_ACCESS_KEY_ID"] === undefined) return [];
  return targets.flatMap((target, i) =>
    target.kind === "s3" && target.credentials.kind === "environment"
      ? [
          `snapshots.targets[${i}].credentials: AWS_ACCESS_KEY_ID is set here, and what takes snapshots by the clock has no variables of yours\nwant kind "keys" or "file", unless the role of its machine, or ~/.aws on this one, serves as well`,
        ]
      : [],
  );
}

/** Finds targets that would be lost together with the data of etcd. */
export function checkApart({ targets }: TypedSnapshots, directory: string | undefined): Problem[] {
  if (directory === undefined) return [];
  return targets.flatMap((target, i) =>
    target.kind !== "s3" && `${target.directory}/`.startsWith(`${directory}/`)
      ? [
          {
            path: ["snapshots", "targets", i, "directory"],
            message: `got "${target.directory}", which is inside the deployment's own directory ${directory}: both would be lost together, want one on another disk`,
          },
        ]
      : [],
  );
}

/** Makes the paths absolute. */
export function resolveSnapshots(snapshots: TypedSnapshots, context: Context): TypedSnapshots {
  const { encryption, scratch } = snapshots;
  return {
    ...snapshots,
    encryption: resolveEncryption(encryption, context),
    ...(scratch !== undefined && { scratch: absolutePath(scratch, context) }),
  };
}

function placeOf(target: TypedSnapshots["targets"][number]): string {
  if (target.kind !== "s3") return target.directory.replace(/\/+$/, "");
  return `${target.endpoint ?? target.region} ${target.bucket} ${target.prefix ?? ""}`;
}

function cronProblem(value: string): string | undefined {
  try {
    if (!/^\S+( \S+){4}$/.test(value)) return `got "${value}", want ${fiveFields}`;
    const next = new Cron(value, { timezone: "UTC" }).nextRun();
    return next === null ? `got "${value}", which never comes` : undefined;
  } catch {
    return `got "${value}", want ${fiveFields}`;
  }
}
