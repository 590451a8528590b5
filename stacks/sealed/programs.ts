import * as pulumi from "@pulumi/pulumi";
import type { AdoptedProgram } from "../../spec/adopted-program.ts";
import type { Deployment } from "../../spec/deployment.ts";
import type { EtcdProgram } from "../../spec/etcd-program.ts";
import type { MembersProgram } from "../../spec/members-program.ts";
import type { RestoreProgram } from "../../spec/restore-program.ts";
import type { SnapshotProgram } from "../../spec/snapshot-program.ts";
import type {
  ConfiguredAdopted,
  ConfiguredDeployment,
  ConfiguredEtcd,
  ConfiguredMembers,
  ConfiguredRestore,
  ConfiguredSnapshots,
} from "./configured.ts";
import { sealControlPlane } from "./control-plane.ts";
import { sealEtcd, sealManagedEtcd } from "./etcd.ts";
import { sealMembers, sealTeamMembers } from "./members.ts";
import { sealPki } from "./pki.ts";
import { sealPlacement } from "./placement.ts";
import { sealRestore, sealSnapshots } from "./snapshots.ts";

/** Turns secret texts into Pulumi secrets; the type ensures that none is forgotten. */
export function sealDeployment({
  pki,
  placement,
  etcd,
  controlPlane,
  members,
  teamMembers,
  snapshots,
  ...plain
}: Deployment): ConfiguredDeployment {
  return {
    ...plain,
    pki: sealPki(pki),
    placement: sealPlacement(placement),
    etcd: sealEtcd(etcd),
    controlPlane: sealControlPlane(controlPlane),
    members: sealMembers(members),
    teamMembers: sealTeamMembers(teamMembers),
    snapshots: sealSnapshots(snapshots),
  };
}

/** Turns secret texts of an etcd by itself into Pulumi secrets. */
export const sealEtcdProgram = ({ placement, etcd, snapshots, ...plain }: EtcdProgram): ConfiguredEtcd => ({
  ...plain,
  placement: sealPlacement(placement),
  etcd: sealManagedEtcd(etcd),
  snapshots: sealSnapshots(snapshots),
});

/** Turns secret texts of a stack of members into Pulumi secrets. */
export const sealMembersProgram = ({ members, ...plain }: MembersProgram): ConfiguredMembers => ({
  ...plain,
  members: sealMembers(members),
});

/** Turns secret texts of a stack of snapshots into Pulumi secrets. */
export function sealSnapshotProgram({ source, snapshots, ...plain }: SnapshotProgram): ConfiguredSnapshots {
  return {
    ...plain,
    source: source.kind === "endpoints" ? { ...source, key: pulumi.secret(source.key) } : source,
    snapshots: sealSnapshots(snapshots),
  };
}

/** Turns secret texts of a stack that restores into Pulumi secrets. */
export function sealRestoreProgram({ restore, snapshots, ...plain }: RestoreProgram): ConfiguredRestore {
  return { ...plain, restore: sealRestore(restore), snapshots: sealSnapshots(snapshots) };
}

/** Turns secret texts of an adopted Karmada's program into Pulumi secrets. */
export const sealAdoptedProgram = ({ credentials, ...plain }: AdoptedProgram): ConfiguredAdopted => ({
  ...plain,
  credentials: { ...credentials, kubeconfig: pulumi.secret(credentials.kubeconfig) },
});
