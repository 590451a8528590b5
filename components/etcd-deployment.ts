import * as pulumi from "@pulumi/pulumi";
import { wholeDatabase } from "../lib/snapshots/manifest.ts";
import type { EtcdProgram } from "../spec/etcd-program.ts";
import type { OfferedEtcd } from "../spec/etcd/offered.ts";
import { createEtcd } from "./create-etcd.ts";
import type { EtcdAccess, EtcdAccessArgs } from "./etcd-access.ts";
import { type BackupState, EtcdBackupSchedule, planBackups } from "./etcd-backup-schedule.ts";
import { etcdAccess, etcdClient, planeClient, restoreAccess } from "./etcd-offering.ts";
import { type ManagedPlan, planManaged, risksOfCluster } from "./etcd-plan.ts";
import type { Etcd, EtcdState } from "./etcd.ts";
import { mergedOutputs } from "./merged-outputs.ts";
import { Pki } from "./pki.ts";
import { lifetimesOf } from "./pki/lifetimes.ts";
import type { Ground } from "./placed.ts";
import type { HookMoment, Placement } from "./placement.ts";
import type { Process } from "./process.ts";
import { snapshotBeforeChange } from "./snapshot-before-change.ts";

/** What is to run, and where. */
export interface EtcdDeploymentArgs {
  readonly deployment: EtcdProgram<pulumi.Output<string>>;
  /** Where its members run. */
  readonly placement: Placement;
}

/**
 * An etcd by itself, with its authorities, a certificate for the control planes of other stacks, and its snapshots.
 * Deleting it deletes the data of all of them.
 */
export class EtcdDeployment extends pulumi.ComponentResource {
  readonly etcd: pulumi.Output<EtcdState>;
  /** How to reach it from outside. Secret. */
  readonly etcdAccess: pulumi.Output<EtcdAccess>;
  /** For control planes that keep their data in it. Secret. */
  readonly etcdClient: pulumi.Output<OfferedEtcd>;
  /** Version of each process, as the program reports it. */
  readonly versions: pulumi.Output<Record<string, string>>;
  /** End of each certificate by name, RFC 3339. */
  readonly certificates: pulumi.Output<Record<string, string>>;
  /** State of scheduled snapshots; undefined when nothing is scheduled. */
  readonly backups: pulumi.Output<BackupState> | undefined;

  private readonly name: string;
  private readonly deployment: EtcdDeploymentArgs["deployment"];
  private readonly plan: ManagedPlan;
  private readonly ground: Ground;

  constructor(name: string, { deployment, placement }: EtcdDeploymentArgs, opts: pulumi.ComponentResourceOptions = {}) {
    super("karmada:etcd:EtcdDeployment", name, {}, opts);
    this.name = name;
    this.deployment = deployment;
    this.plan = planAlone(deployment);
    const scheduled = planBackups(deployment, this.plan);
    const pki = new Pki(
      `${name}-pki`,
      {
        placement,
        processes: [...this.plan.members, ...(scheduled === undefined ? [] : [scheduled])],
        requests: [...this.plan.requests, planeClient],
        keys: deployment.pki.authorityKeys,
        lifetimes: lifetimesOf(deployment.pki),
      },
      { parent: this },
    );
    this.ground = { placement, pki };
    const access = etcdAccess(deployment, this.plan, this.ground);
    const etcd = this.startEtcd(access);
    this.runHooks("after", [etcd.ready]);
    const backups = scheduled && this.scheduleBackups(scheduled, etcd);

    this.etcd = etcd.state;
    this.etcdAccess = pulumi.secret(pulumi.output({ ...access, ...restoreAccess(this.plan, this.ground, []) }));
    const clusterId = etcd.state.apply((state) => state.clusterId);
    this.etcdClient = pulumi.secret(pulumi.output(etcdClient(this.plan, this.ground, clusterId)));
    this.versions = mergedOutputs([etcd, ...(backups ? [backups] : [])].map(({ versions }) => versions));
    this.certificates = pki.expiries;
    this.backups = backups?.state;
    this.registerOutputs({});
  }

  /** Makes etcd; before whatever puts its data at risk, a snapshot is taken. */
  private startEtcd(access: EtcdAccessArgs): Etcd {
    const { name, plan, ground, deployment } = this;
    const { snapshots, etcd: settings, versions } = deployment;
    const snapshot = snapshotBeforeChange(
      `${name}-snapshot-before-change`,
      {
        access,
        settings: snapshots,
        risks: { etcd: versions.etcd, ...risksOfCluster(settings) },
        restoring: settings.restore?.generation,
      },
      { parent: this },
    );
    return createEtcd(
      `${name}-etcd`,
      {
        plan,
        ground,
        // What remembers its data is in other stacks, which see from its ID that it was restored.
        restoring: { snapshots, programs: [] },
        before: { hooks: this.runHooks("before", []), snapshot },
      },
      { parent: this },
    );
  }

  private scheduleBackups(process: Process, { ready }: Etcd): EtcdBackupSchedule {
    const { name, deployment, plan, ground } = this;
    return new EtcdBackupSchedule(
      `${name}-backups`,
      { process, deployment, gated: { etcd: deployment.versions.etcd }, etcd: plan, ready, ground },
      { parent: this },
    );
  }

  /** Runs the operator's hooks on one side of the only phase. @returns what to wait for */
  private runHooks(when: HookMoment["when"], dependsOn: readonly pulumi.Resource[]): readonly pulumi.Resource[] {
    return this.ground.placement.hooks?.({ when, phase: "etcd" }, { parent: this, dependsOn }) ?? [];
  }
}

/** Each control plane has a prefix of its own; what all of them have in common is the first character. */
function planAlone({ name, etcd, versions }: EtcdDeploymentArgs["deployment"]): ManagedPlan {
  const plan = planManaged(name, etcd, versions.etcd);
  return { ...plan, connection: { ...plan.connection, prefix: wholeDatabase } };
}
