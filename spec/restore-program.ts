import type { z } from "zod";
import type { Context } from "./context.ts";
import { deploymentReference } from "./deployment-reference.ts";
import type { Resolved } from "./field.ts";
import { type Problem, SpecError } from "./problems.ts";
import { program } from "./program.ts";
import { parseSections } from "./sections.ts";
import { checkSource, resolveRestore, restore } from "./snapshots/restore.ts";
import { checkSnapshots, resolveSnapshots, snapshots } from "./snapshots/snapshots.ts";
import { refuseVolumes } from "./snapshots/volume.ts";

/** Every key of the stack file of a `restore` stack. */
export const restoreSections = { program, deployment: deploymentReference, restore, snapshots };

type Typed = { [K in keyof typeof restoreSections]: z.output<(typeof restoreSections)[K]> };

/** What a `restore` stack is to do, every default filled in. */
export type RestoreProgram<Secret = string> = Resolved<Typed, Secret>;

/**
 * Fills in the defaults and checks all of it.
 * @throws SpecError with every problem at once
 */
export function resolveRestoreProgram(config: unknown, context: Context): RestoreProgram {
  const { parsed, problems } = parseSections(restoreSections, config);
  const all = [...problems, ...check(parsed)];
  if (all.length > 0) throw new SpecError(context.stack, all);
  const typed = parsed as Typed;
  return {
    ...typed,
    restore: resolveRestore(typed.restore, context),
    snapshots: resolveSnapshots(typed.snapshots, context),
  } as RestoreProgram;
}

function check({ restore, snapshots }: Partial<Typed>): Problem[] {
  const { source } = restore ?? {};
  const nowhere =
    source?.kind === "snapshot" &&
    source.target === undefined &&
    snapshots !== undefined &&
    snapshots.targets.length === 0;
  return [
    ...(snapshots ? [...checkSnapshots(snapshots), ...refuseVolumes(snapshots.targets)] : []),
    ...(restore ? checkSource(restore, ["restore"]) : []),
    ...(nowhere
      ? [
          {
            path: ["restore", "source", "target"],
            message: "missing, and snapshots.targets names none either: say where the snapshot is",
          },
        ]
      : []),
  ];
}
