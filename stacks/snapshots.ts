import * as pulumi from "@pulumi/pulumi";
import type { EtcdAccess, EtcdAccessArgs } from "../components/etcd-access.ts";
import { createSnapshot } from "../components/snapshot.ts";
import type { SnapshotProgram } from "../spec/snapshot-program.ts";
import { DeploymentStack } from "./deployment-stack.ts";

type Configured = SnapshotProgram<pulumi.Output<string>>;

/**
 * Snapshots of a deployment, each taken when it appears in the stack file and again when its triggers change. The
 * deployment itself is not touched. Outputs: by name, where each snapshot is and what is known about it.
 */
export function snapshotsStack(config: Configured) {
  const access = accessOf(config);
  const taken = config.take.map(({ name, triggers, onDelete }) => {
    const texts = Object.fromEntries(Object.entries(triggers).map(([key, value]) => [key, String(value)]));
    const snapshot = createSnapshot(
      `snapshot-${name}`,
      { access, settings: config.snapshots, reason: "on-demand", triggers: texts, required: true, onDelete },
      {},
    );
    return [name, { uri: snapshot.uri, manifest: snapshot.manifest, copies: snapshot.copies }] as const;
  });
  return { deployment: access.deployment, snapshots: Object.fromEntries(taken) };
}

function accessOf({ source, versions }: Configured): EtcdAccessArgs {
  switch (source.kind) {
    case "endpoints":
      return {
        deployment: source.name,
        endpoints: [...source.endpoints],
        ca: source.ca,
        certificate: source.certificate,
        key: source.key,
        parts: [],
        prefix: source.prefix,
        karmadaVersion: "",
        etcdVersion: versions.etcd,
        dataDirectories: [],
      };
    case "stack":
      return accessOfStack(source.stack);
  }
}

/** The output of the deployment's stack. */
function accessOfStack(typed: string): EtcdAccessArgs {
  const access = new DeploymentStack(typed, "source.stack").output<EtcdAccess>("etcdAccess");
  // An output with a secret in it is secret as a whole; only the key has to stay so.
  return {
    deployment: pulumi.unsecret(access.deployment),
    endpoints: pulumi.unsecret(access.endpoints),
    parts: pulumi.unsecret(access.parts),
    ca: pulumi.unsecret(access.ca),
    certificate: pulumi.unsecret(access.certificate),
    key: access.key,
    prefix: pulumi.unsecret(access.prefix),
    karmadaVersion: pulumi.unsecret(access.karmadaVersion),
    etcdVersion: pulumi.unsecret(access.etcdVersion),
    dataDirectories: pulumi.unsecret(access.dataDirectories),
  };
}
