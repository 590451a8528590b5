import { z } from "zod";
import type { Context } from "../context.ts";
import { fieldNotes, text, whole, words } from "../field.ts";
import type { Problem } from "../problems.ts";
import { name } from "../values/name.ts";
import { sha256 } from "../values/units.ts";
import { encryption, resolveEncryption } from "./encryption.ts";
import { target } from "./targets.ts";
import { refuseVolume } from "./volume.ts";

const ofSnapshot = z.strictObject({
  kind: z.literal("snapshot").describe("A snapshot of this program's making."),
  id: text(/^(latest|\d{8}T\d{6}Z-r\d+-[0-9a-f]{6})$/, '"latest" or the id of a snapshot')
    .default("latest")
    .describe("Which one; `latest` is looked up for the preview, and from then on it is that one."),
  target: target.optional().describe("Where it is. Default: the first of `snapshots.targets`."),
  encryption: encryption.optional().describe("What it is encrypted with. Default: `snapshots.encryption`."),
  deployment: name.optional().describe("Whose snapshot it is. Default: this deployment's."),
});

const ofFile = z.strictObject({
  kind: z.literal("file").describe("A file that etcd wrote as a snapshot, such as `etcdctl snapshot save` gives."),
  path: text(/^\//, "an absolute path").describe("The file, with its whole path."),
});

const ofMember = z.strictObject({
  kind: z
    .literal("member")
    .describe("The data one member still has, when the others are lost: it need not run, and needs no quorum."),
  member: words("the name of a member").describe("The member, for instance `etcd-1`."),
});

const source = z
  .discriminatedUnion("kind", [ofSnapshot, ofFile, ofMember])
  .prefault({ kind: "snapshot" })
  .describe("What is restored.");

/** Replaces the members' data, once. */
const clusterId = (want: string) => text(/^(none|unknown|[0-9a-f]{1,16}(,[0-9a-f]{1,16})*)$/, want);

export const restore = z
  .strictObject({
    generation: whole(1, 1_000_000).describe(
      "Number of this restore: it is done once, and again with a higher number.",
    ),
    source,
    sha256: sha256
      .optional()
      .describe("Digest the source must have. Default: whatever it has when the restore is first previewed."),
    replaceClusterId: clusterId(
      'the ID of the etcd cluster whose data may go, in quotes, or "none" where there are none',
    ).describe(
      "ID of the cluster whose data may go, as the preview tells it; `none` where there are none, `unknown` for data that cannot be read.",
    ),
    overrides: z
      .record(
        z.string().register(fieldNotes, { want: "the name of a cluster" }),
        clusterId('the ID of an etcd cluster, or "none"'),
      )
      .default({})
      .describe(
        "The same for each of the deployment's `etcd.overrides`, by name; they get their part of a snapshot. Default: `none`.",
      ),
    overwriteHealthy: z.boolean().default(false).describe("Whether a cluster that works may go back in time as well."),
    allowForeignSnapshot: z
      .boolean()
      .default(false)
      .describe("Whether a snapshot of another deployment may be taken, or a file, which does not say whose it is."),
    removeOrphans: z
      .boolean()
      .default(false)
      .describe(
        "Whether objects are deleted in the members that came there after the snapshot; they are listed always. In members of stacks of their own they never are.",
      ),
  })
  .describe("Restores a snapshot. The block may stay: what was done is not done again.");

export type TypedRestore = z.output<typeof restore>;

/** Finds what the source cannot give. */
export function checkSource(typed: TypedRestore, path: readonly string[]): Problem[] {
  const { source } = typed;
  const target = source.kind === "snapshot" ? source.target : undefined;
  return [...checkRestoredParts(typed, path), ...(target ? refuseVolume(target, [...path, "source", "target"]) : [])];
}

/** Finds named clusters of which the source holds nothing. */
function checkRestoredParts({ source, overrides }: TypedRestore, path: readonly string[]): Problem[] {
  const named = Object.keys(overrides);
  if (source.kind === "snapshot" || named.length === 0) return [];
  return [
    {
      path: [...path, "overrides"],
      message: `got ${named.join(", ")}, and only a snapshot of this program holds something for it: leave it out, it keeps what it has`,
    },
  ];
}

/** Finds sources whose place is not given. */
export function checkRestore(
  typed: TypedRestore | undefined,
  members: readonly string[],
  targets: readonly unknown[],
): Problem[] {
  if (typed === undefined) return [];
  if (typed.source.kind === "snapshot" && typed.source.target === undefined && targets.length === 0) {
    return [
      {
        path: ["etcd", "restore", "source", "target"],
        message: "missing, and snapshots.targets names none either: say where the snapshot is",
      },
    ];
  }
  const unfit = checkSource(typed, ["etcd", "restore"]);
  if (typed.source.kind === "member" && !members.includes(typed.source.member)) {
    return [
      ...unfit,
      {
        path: ["etcd", "restore", "source", "member"],
        message: `got "${typed.source.member}", want one of ${members.join(", ")}`,
      },
    ];
  }
  return unfit;
}

/** Makes the path of its key absolute. */
export function resolveRestore(restore: TypedRestore, context: Context): TypedRestore {
  const { source } = restore;
  if (source.kind !== "snapshot" || source.encryption === undefined) return restore;
  return { ...restore, source: { ...source, encryption: resolveEncryption(source.encryption, context) } };
}
