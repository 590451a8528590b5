import { readFileSync } from "node:fs";
import { z } from "zod";
import { encryption } from "../../spec/snapshots/encryption.ts";
import { target } from "../../spec/snapshots/targets.ts";
import { verifyLevels } from "../snapshots/manifest.ts";
import type { TargetSettings } from "../snapshots/target-settings.ts";
import { messageOf } from "../wait.ts";

const path = z.string().startsWith("/");
const count = z.number().int().nonnegative();

/** What the backup program is told, in a file of JSON; paths are absolute. */
const settings = z.strictObject({
  deployment: z.string(),
  karmadaVersion: z.string(),
  etcd: z.strictObject({
    endpoints: z.array(z.url()).min(1),
    /** The clusters that hold some kinds of objects, by name. */
    parts: z.array(z.strictObject({ name: z.string(), endpoints: z.array(z.url()).min(1) })).default([]),
    /** PEM files, read anew for each run: certificates are renewed. */
    ca: path,
    certificate: path,
    key: path,
    prefix: z.string(),
  }),
  /** The first is the one snapshots are taken to, the others get copies. */
  targets: z.array(target).min(1),
  encryption,
  /** How far each snapshot is verified before it counts. */
  verify: z.enum(verifyLevels),
  schedule: z.strictObject({ cron: z.string(), jitterSeconds: count, drill: z.string().optional() }),
  keep: z.strictObject({ last: count.positive(), hourly: count, daily: count, weekly: count }),
  programs: z.strictObject({ etcd: path, etcdutl: path }),
  /** Directories of etcd's data: no target may be in one of them. */
  apartFrom: z.array(path),
  /** Where the status and the lock are. */
  directory: path,
  /** Where temporary files lie, below a name of the deployment. @default in `directory` */
  scratch: path.optional(),
  /** A second place for the metrics, readable by everybody: in the directory of a node exporter's textfile collector. */
  metricsFile: path.optional(),
  /** Where the long-running program serves `/healthz`, `/status` and `/metrics`. */
  listen: z.strictObject({ address: z.string(), port: z.number() }),
});

export type BackupSettings = Omit<z.output<typeof settings>, "targets"> & {
  readonly targets: readonly [TargetSettings, ...TargetSettings[]];
};

/** @throws with everything wrong with the file; never with its contents */
export function readSettings(file: string): BackupSettings {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new Error(`${file}: reading the settings: ${error instanceof SyntaxError ? "not JSON" : messageOf(error)}`, {
      cause: error,
    });
  }
  const result = settings.safeParse(parsed);
  if (result.success) return result.data as unknown as BackupSettings;
  const wrong = result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new Error(`${file}: reading the settings: ${wrong.join("; ")}`);
}
