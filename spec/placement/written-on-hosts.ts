import type { Context } from "../context.ts";
import type { Problem } from "../problems.ts";
import type { TypedSnapshots } from "../snapshots/snapshots.ts";
import { absolutePath } from "../values/path.ts";
import { homes, isBelow, temporary } from "./hidden-on-hosts.ts";

/**
 * Finds places to which scheduled snapshots could not be written on hosts, where programs see neither homes nor others'
 * temporary files.
 */
export function checkWrittenOnHosts({ schedule, targets, scratch }: TypedSnapshots, context: Context): Problem[] {
  if (schedule === undefined) return [];
  const { metricsFile } = schedule;
  return [
    ...targets.flatMap((target, i) =>
      target.kind === "s3"
        ? []
        : outside([...homes, ...temporary], ["targets", i, "directory"], target.directory, target.directory),
    ),
    ...(metricsFile === undefined
      ? []
      : outside([...homes, ...temporary], ["schedule", "metricsFile"], metricsFile, metricsFile)),
    // Private temporary files are good enough for this.
    ...(scratch === undefined ? [] : outside(homes, ["scratch"], scratch, absolutePath(scratch, context))),
  ];
}

function outside(hidden: readonly string[], path: Problem["path"], typed: string, meant: string): Problem[] {
  if (!isBelow(meant, hidden)) return [];
  const got = typed === meant ? `"${typed}"` : `"${typed}", which is ${meant}`;
  const wanted = `want one that is not below ${hidden.join(", ")}`;
  const message = `got ${got}, ${wanted} with placement.kind "hosts" and a schedule: what takes the snapshots there sees nothing of it`;
  return [{ path: ["snapshots", ...path], message }];
}
