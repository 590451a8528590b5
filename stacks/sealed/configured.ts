import type * as pulumi from "@pulumi/pulumi";
import type { AdoptedProgram } from "../../spec/adopted-program.ts";
import type { Deployment } from "../../spec/deployment.ts";
import type { EtcdProgram } from "../../spec/etcd-program.ts";
import type { MembersProgram } from "../../spec/members-program.ts";
import type { RestoreProgram } from "../../spec/restore-program.ts";
import type { SnapshotProgram } from "../../spec/snapshot-program.ts";

/** A deployment whose secrets are Pulumi secrets; everything else is plain, so programs can branch on it. */
export type ConfiguredDeployment = Deployment<pulumi.Output<string>>;

/** An etcd by itself, its secrets as Pulumi secrets. */
export type ConfiguredEtcd = EtcdProgram<pulumi.Output<string>>;

/** The members that join another stack's deployment, their secrets as Pulumi secrets. */
export type ConfiguredMembers = MembersProgram<pulumi.Output<string>>;

/** The snapshots of a deployment, their secrets as Pulumi secrets. */
export type ConfiguredSnapshots = SnapshotProgram<pulumi.Output<string>>;

/** What is to be restored, its secrets as Pulumi secrets. */
export type ConfiguredRestore = RestoreProgram<pulumi.Output<string>>;

/** A Karmada that something else has built, its secrets as Pulumi secrets. */
export type ConfiguredAdopted = AdoptedProgram<pulumi.Output<string>>;
