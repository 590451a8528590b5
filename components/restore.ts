import * as pulumi from "@pulumi/pulumi";
import type { EtcdRuntimeAddress } from "../lib/etcd/runtime/runtime.ts";
import { EtcdRestore, type RestoredMember } from "../providers/etcd-restore.ts";
import { partDeployment } from "../lib/snapshots/manifest.ts";
import { Program } from "../providers/program.ts";
import { RestoreAftermath } from "../providers/restore-aftermath.ts";
import type { RestoreSettings } from "./restore-settings.ts";
import { type SnapshotSettings, targetsApart } from "./snapshot.ts";

/** What is restored, from where, and into which members. */
export interface RestoreArgs {
  /** Name of the deployment. */
  readonly deployment: pulumi.Input<string>;
  /** Which of its clusters for some kinds of objects. @default the one that holds everything else */
  readonly part?: string;
  /** Version of etcd that runs on the data. */
  readonly etcdVersion: pulumi.Input<string>;
  readonly settings: RestoreSettings;
  /** Where the source is if it does not say so itself. */
  readonly snapshots: SnapshotSettings;
  /** Runtime of the prepared members. */
  readonly runtime: pulumi.Input<EtcdRuntimeAddress>;
  readonly members: pulumi.Input<RestoredMember[]>;
  /** PEM, for the connection to them. */
  readonly ca: pulumi.Input<string>;
  readonly certificate: pulumi.Input<string>;
  readonly key: pulumi.Input<string>;
  readonly keyPrefix: pulumi.Input<string>;
  /** Programs that remember what etcd held, in the order they start in. */
  readonly programs: pulumi.Input<string[]>;
  /** Whether to start them again, if no resources of theirs follow. */
  readonly resume: boolean;
}

/** Restores what the settings name; `opts.dependsOn` names what prepares the members. */
export function createRestore(name: string, args: RestoreArgs, opts: pulumi.CustomResourceOptions): EtcdRestore {
  const { settings, snapshots, deployment, part, ...where } = args;
  const { generation, replaceClusterId, overwriteHealthy, allowForeignSnapshot, sha256 } = settings;
  const parent = opts.parent === undefined ? {} : { parent: opts.parent };
  const etcdutl = new Program(`${name}-etcdutl`, { name: "etcdutl", version: where.etcdVersion }, parent);
  return new EtcdRestore(
    name,
    {
      ...where,
      cluster: part === undefined ? deployment : pulumi.output(deployment).apply((name) => partDeployment(name, part)),
      etcdutl: etcdutl.path,
      generation,
      replaceClusterId,
      overwriteHealthy,
      allowForeignSnapshot,
      ...(sha256 !== undefined && { sha256 }),
      ...sourceOf(deployment, part, settings, snapshots),
      timeoutSeconds: 600,
    },
    opts,
  );
}

/** What a restore leaves to do, as a stack output. */
export type AfterRestore = Pick<RestoreAftermath, "orphans" | "removed" | "laggingBindings" | "unasked">;

/** Checks the restored Karmada; `opts.dependsOn` names what has to work for it. */
export function lookAfterRestore(
  name: string,
  args: {
    readonly settings: RestoreSettings;
    readonly kubeconfig: pulumi.Input<string>;
    readonly clusters: pulumi.Input<string[]>;
  },
  opts: pulumi.CustomResourceOptions,
): AfterRestore {
  const { generation, removeOrphans } = args.settings;
  const { kubeconfig, clusters } = args;
  const { orphans, removed, laggingBindings, unasked } = new RestoreAftermath(
    name,
    { kubeconfig, clusters, generation, removeOrphans, timeoutSeconds: 120 },
    opts,
  );
  return { orphans, removed, laggingBindings, unasked };
}

/** The source with its defaults; its secret is separate, so that a preview shows the rest. */
function sourceOf(
  ours: pulumi.Input<string>,
  part: string | undefined,
  { source, replaceClusterId, replacesFirst = replaceClusterId }: RestoreSettings,
  snapshots: SnapshotSettings,
) {
  if (source.kind !== "snapshot") return { source };
  const { target = snapshots.targets[0], encryption = snapshots.encryption, deployment = ours, id } = source;
  const { targets, secretKeys } = targetsApart(target === undefined ? [] : [target]);
  const [plain] = targets;
  if (plain === undefined) throw new pulumi.RunError("restore.source.target: missing, and snapshots.targets has none");
  return {
    source: pulumi.output(deployment).apply((owner) => ({
      kind: "snapshot" as const,
      target: plain,
      deployment: owner,
      id,
      encryption,
      there: replacesFirst,
      ...(part !== undefined && { part }),
    })),
    secretKey: secretKeys.apply((keys) => keys[0] ?? ""),
  };
}
