import * as pulumi from "@pulumi/pulumi";
import { EtcdSnapshot, type EtcdSnapshotInputs, type PlainTarget } from "../providers/etcd-snapshot.ts";
import type { Deployment } from "../spec/deployment.ts";
import type { EtcdAccessArgs } from "./etcd-access.ts";

/** The section `snapshots` of a stack file. */
export type SnapshotSettings = Deployment<pulumi.Output<string>>["snapshots"];

/** Which cluster a snapshot is taken of, why, and when again. */
export interface SnapshotArgs {
  readonly access: EtcdAccessArgs;
  readonly settings: SnapshotSettings;
  readonly reason: EtcdSnapshotInputs["reason"];
  readonly triggers: pulumi.Input<Record<string, string>>;
  /** Generation of the declared restore. */
  readonly restoring?: number | undefined;
  readonly required: boolean;
  readonly onDelete: EtcdSnapshotInputs["onDelete"];
}

/** A snapshot of a deployment, in all targets of the settings. */
export function createSnapshot(name: string, args: SnapshotArgs, opts: pulumi.CustomResourceOptions): EtcdSnapshot {
  const { access, settings, restoring, ...rest } = args;
  const { targets, secretKeys } = targetsApart(settings.targets);
  return new EtcdSnapshot(
    name,
    {
      deployment: access.deployment,
      endpoints: access.endpoints,
      parts: access.parts,
      ca: access.ca,
      certificate: access.certificate,
      key: access.key,
      keyPrefix: access.prefix,
      karmadaVersion: access.karmadaVersion,
      etcdVersion: access.etcdVersion,
      apartFrom: access.dataDirectories,
      targets,
      secretKeys,
      encryption: settings.encryption,
      verify: settings.verify,
      ...(restoring !== undefined && { restoring }),
      ...(settings.scratch !== undefined && { scratch: settings.scratch }),
      ...rest,
    },
    opts,
  );
}

/** The targets without their secrets, so that a preview hides only those. */
export function targetsApart(targets: SnapshotSettings["targets"]): {
  readonly targets: PlainTarget[];
  readonly secretKeys: pulumi.Output<Record<string, string>>;
} {
  const secrets: Record<string, pulumi.Output<string>> = {};
  const plain = targets.map((target, i): PlainTarget => {
    if (target.kind !== "s3") return target;
    const { credentials, ...rest } = target;
    if (credentials.kind !== "keys") return { ...rest, credentials };
    secrets[i] = credentials.secretAccessKey;
    return { ...rest, credentials: { ...credentials, secretAccessKey: "" } };
  });
  return { targets: plain, secretKeys: pulumi.secret(pulumi.all(secrets)) };
}
