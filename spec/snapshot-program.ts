import { z } from "zod";
import type { Context } from "./context.ts";
import { checkAccess, etcdEndpoints, etcdPrefix } from "./etcd/endpoints.ts";
import { fieldNotes, type Resolved } from "./field.ts";
import { type Problem, SpecError } from "./problems.ts";
import { program } from "./program.ts";
import { parseSections } from "./sections.ts";
import { checkSnapshots, resolveSnapshots, snapshots } from "./snapshots/snapshots.ts";
import { refuseVolumes } from "./snapshots/volume.ts";
import { stackName } from "./stack-name.ts";
import { name } from "./values/name.ts";
import { versions } from "./versions.ts";

const ofStack = z.strictObject({
  kind: z.literal("stack").describe("The deployment of a stack of the program `karmada`."),
  stack: stackName("prod").describe(
    "Name of that stack, with its organization and project unless they are those of this one.",
  ),
});

const ofEndpoints = z.strictObject({
  kind: z.literal("endpoints").describe("An etcd that is reached by its addresses, whoever runs it."),
  name: name.describe("Name of the deployment whose data it holds: its snapshots are kept under this name."),
  ...etcdEndpoints,
  prefix: etcdPrefix("/registry").describe(
    "Where the Karmada has its keys; the snapshot holds the whole database all the same.",
  ),
});

const source = z
  .discriminatedUnion("kind", [ofStack, ofEndpoints])
  .describe("Program `snapshots`: what snapshots are taken of.");

const wanted = z.strictObject({
  name: name.describe("What it is called in this stack; a snapshot is deleted or kept by this name."),
  triggers: z
    .record(
      z.string().describe("a name of yours"),
      z.union([z.string(), z.number(), z.boolean()]).register(fieldNotes, { want: "text, a number, true or false" }),
    )
    .default({})
    .describe("Any values. When one changes, another snapshot is taken."),
  onDelete: z
    .enum(["keep", "delete"])
    .default("keep")
    .describe("What becomes of the snapshot when it is taken out of the list or replaced by a newer one."),
});

const take = z
  .array(wanted)
  .default([])
  .describe(
    "Program `snapshots`: the snapshots to have. Each is taken when it is added, and again when its triggers change.",
  );

/** Every key of the stack file of a `snapshots` stack. */
export const snapshotSections = { program, source, snapshots, take, versions };

type Typed = { [K in keyof typeof snapshotSections]: z.output<(typeof snapshotSections)[K]> };

/** What a `snapshots` stack is to have, every default filled in. */
export type SnapshotProgram<Secret = string> = Resolved<Typed, Secret>;

/**
 * Fills in the defaults and checks all of it.
 * @throws SpecError with every problem at once
 */
export function resolveSnapshotProgram(config: unknown, context: Context): SnapshotProgram {
  const { parsed, problems } = parseSections(snapshotSections, config);
  const all = [...problems, ...check(parsed, context.now ?? new Date())];
  if (all.length > 0) throw new SpecError(context.stack, all);
  const typed = parsed as Typed;
  return { ...typed, snapshots: resolveSnapshots(typed.snapshots, context) } as SnapshotProgram;
}

function check({ source, snapshots, take }: Partial<Typed>, now: Date): Problem[] {
  const names = (take ?? []).map((each) => each.name);
  return [
    ...(source?.kind === "endpoints" ? checkAccess(["source"], source, now) : []),
    ...(snapshots ? [...checkSnapshots(snapshots), ...refuseVolumes(snapshots.targets)] : []),
    ...(snapshots?.targets.length === 0
      ? [{ path: ["snapshots", "targets"], message: "got none, want at least one place for the snapshots" }]
      : []),
    ...(snapshots?.schedule === undefined
      ? []
      : [
          {
            path: ["snapshots", "schedule"],
            message: "belongs into the stack of the deployment, it runs where etcd runs",
          },
        ]),
    ...names.flatMap((each, i) =>
      names.indexOf(each) < i
        ? [{ path: ["take", i, "name"], message: `got "${each}" a second time, want another name` }]
        : [],
    ),
  ];
}
