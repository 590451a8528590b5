import * as pulumi from "@pulumi/pulumi";
import type { Deployment } from "../../spec/deployment.ts";
import type { RestoreProgram } from "../../spec/restore-program.ts";
import type { ConfiguredDeployment, ConfiguredRestore } from "./configured.ts";

/** Seals the credentials of the target that has the snapshot. */
export function sealRestore({ source, ...plain }: RestoreProgram["restore"]): ConfiguredRestore["restore"] {
  if (source.kind !== "snapshot") return { ...plain, source };
  const { target, ...rest } = source;
  return { ...plain, source: { ...rest, ...(target && { target: sealTarget(target) }) } };
}

/** Seals the credentials of targets. */
export function sealSnapshots({ targets, ...plain }: Deployment["snapshots"]): ConfiguredDeployment["snapshots"] {
  return { ...plain, targets: targets.map(sealTarget) };
}

type Target<Secret> = Deployment<Secret>["snapshots"]["targets"][number];

function sealTarget(target: Target<string>): Target<pulumi.Output<string>> {
  if (target.kind !== "s3") return target;
  const { credentials, ...plain } = target;
  if (credentials.kind !== "keys") return { ...plain, credentials };
  return { ...plain, credentials: { ...credentials, secretAccessKey: pulumi.secret(credentials.secretAccessKey) } };
}
