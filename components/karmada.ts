import * as pulumi from "@pulumi/pulumi";
import type { PlaneProgram } from "../lib/plane/program.ts";
import type { Deployment } from "../spec/deployment.ts";
import { type Joining, joiningOf } from "../spec/members/joining.ts";
import { actsForMultiClusterServices } from "../spec/members/multi-cluster-services.ts";
import { administrator } from "./administrator.ts";
import { createMembers } from "./all-members.ts";
import { clientKubeconfig, declaredKubeconfigs } from "./client-kubeconfig.ts";
import { createContents } from "./contents.ts";
import { ControlPlane } from "./control-plane.ts";
import { createEtcd } from "./create-etcd.ts";
import { versionsOfData } from "./data-versions.ts";
import { createEncryption, type Encryption } from "./encryption.ts";
import type { EtcdAccess, EtcdAccessArgs } from "./etcd-access.ts";
import { type BackupState, EtcdBackupSchedule } from "./etcd-backup-schedule.ts";
import { etcdAccess, restoreAccess } from "./etcd-offering.ts";
import type { Etcd, EtcdState } from "./etcd.ts";
import { declareFailover } from "./failover.ts";
import { givenOf, pkiArgs, type Plan, planAll, programsEndedByRestore, restoreOf, risksOf } from "./karmada-plan.ts";
import type { MemberState } from "./member-state.ts";
import { mergedOutputs } from "./merged-outputs.ts";
import { type MonitoringOutput, monitoringOf } from "./monitoring.ts";
import { Pki } from "./pki.ts";
import { address, type Ground, inTurn, placeReplicas, resources } from "./placed.ts";
import type { HookMoment, Placement } from "./placement.ts";
import { planePrograms } from "./plane-programs.ts";
import { karmadaApi } from "./processes/control-plane.ts";
import { type AfterRestore, lookAfterRestore } from "./restore.ts";
import { snapshotBeforeChange } from "./snapshot-before-change.ts";

/** What is to run, and where. */
export interface KarmadaArgs {
  readonly deployment: Deployment<pulumi.Output<string>>;
  /** Where its programs run. */
  readonly placement: Placement;
}

/**
 * A whole Karmada: certificates, etcd, the control plane, and every member registered. Simulated members are started
 * beside the control plane. Deleting it takes every member out first; then its data goes, unless etcd is external.
 */
export class Karmada extends pulumi.ComponentResource {
  /** One URL for each API server. */
  readonly endpoints: readonly string[];
  /** Kubeconfigs of declared clients, by their names; undefined when there are none. Secret. */
  readonly clientKubeconfigs: pulumi.Output<Record<string, string>> | undefined;
  /** Kubeconfig of the Karmada administrator. Secret. */
  readonly kubeconfig: pulumi.Output<string>;
  /** Version of each process, as the program reports it. */
  readonly versions: pulumi.Output<Record<string, string>>;
  /** What its control plane consists of. */
  readonly programs: readonly PlaneProgram[];
  /** End of each certificate by name, RFC 3339. */
  readonly certificates: pulumi.Output<Record<string, string>>;
  readonly etcd: pulumi.Output<EtcdState>;
  /** How to reach its etcd from outside. Secret. */
  readonly etcdAccess: pulumi.Output<EtcdAccess>;
  /** Keys with which secrets are encrypted in etcd; undefined if nothing is. Secret. */
  readonly encryptionKeys: Encryption["keys"] | undefined;
  readonly members: pulumi.Output<MemberState[]>;
  /** Kubeconfigs of simulated members' administrators, by the member; undefined when there are none. Secret. */
  readonly simulatedKubeconfigs: pulumi.Output<Record<string, string>> | undefined;
  /** For stacks of members that join it. */
  readonly joining: Joining<pulumi.Output<string>>;
  /** State of scheduled snapshots; undefined when nothing is scheduled. */
  readonly backups: pulumi.Output<BackupState> | undefined;
  /** For a Prometheus; undefined when monitoring is off. */
  readonly monitoring: MonitoringOutput | undefined;
  /** What the last restore left to do; undefined without one. */
  readonly afterRestore: AfterRestore | undefined;

  private readonly name: string;
  private readonly deployment: KarmadaArgs["deployment"];
  private readonly plan: Plan;
  private readonly ground: Ground;

  constructor(name: string, { deployment, placement }: KarmadaArgs, opts: pulumi.ComponentResourceOptions = {}) {
    super("karmada:index:Karmada", name, {}, opts);
    this.name = name;
    this.deployment = deployment;
    this.plan = planAll(deployment, placement);
    const pki = new Pki(`${name}-pki`, pkiArgs(deployment, this.plan, placement), { parent: this });
    const ground = { placement, pki };
    this.ground = ground;

    const access = etcdAccess(deployment, this.plan.etcd, ground);
    const etcd = this.startEtcd(access);
    const { owner } = etcd;
    const restored = etcd.restored && { restored: etcd.restored };
    const restoredGround = { ...ground, ...restored };
    const afterEtcd = this.runHooks("after", "etcd", [etcd.ready]);

    const server = placement.endpoint ?? address(placement, karmadaApi().url);
    const { controlPlane, encryption } = this.startControlPlane(restoredGround, etcd, afterEtcd, server);
    const backups = this.scheduleBackups(controlPlane);
    const planeReady = [controlPlane.gate, ...controlPlane.controllers];
    declareFailover(`${name}-failover`, deployment.controlPlane.failover, {
      parent: this,
      provider: controlPlane.api.provider,
      dependsOn: planeReady,
      ...(owner && { deletedWith: owner }),
    });
    const afterPlane = this.runHooks("after", "control-plane", planeReady);

    const beforeMembers = [...this.runHooks("before", "members", [...planeReady, ...afterPlane]), ...afterPlane];
    const wayToPlane = { server, authority: pki.trust(karmadaApi().authority), ...restored };
    const needs = [...controlPlane.controllers, ...beforeMembers];
    const { own, ofTeams } = createMembers(
      name,
      { deployment, plan: this.plan, plane: wayToPlane, ground, restoredGround, controlPlane, needs, owner },
      this,
    );
    createContents(name, { deployment, ground, controlPlane, members: own, owner }, this);
    this.runHooks("after", "members", [...planeReady, ...beforeMembers, ...own.joined]);
    this.afterRestore = this.lookAfterRestore(controlPlane, own.joined);

    this.kubeconfig = clientKubeconfig(`${name}-endpoint`, ground, controlPlane, { parent: this });
    const { clients } = deployment.pki;
    if (clients.length > 0)
      this.clientKubeconfigs = declaredKubeconfigs(clients, ground, controlPlane, this.kubeconfig);
    this.endpoints = [...new Set([...(placement.endpoint ? [placement.endpoint] : []), ...controlPlane.endpoints])];
    const optional = [backups, ofTeams].filter((part) => part !== undefined);
    this.versions = mergedOutputs([etcd, controlPlane, ...optional, own].map(({ versions }) => versions));
    this.programs = planePrograms(this.plan.controlPlane, placement);
    this.certificates = pulumi
      .all([pki.expiries, own.certificates])
      .apply(([issued, more]) => ({ ...issued, ...more }));
    this.etcd = etcd.state;
    this.etcdAccess = pulumi.secret(
      pulumi.output({ ...access, ...restoreAccess(this.plan.etcd, ground, programsEndedByRestore(this.plan)) }),
    );
    this.encryptionKeys = encryption?.keys;
    this.members = own.states;
    this.simulatedKubeconfigs = own.simulatedKubeconfigs;
    this.joining = joiningOf(deployment, wayToPlane);
    this.backups = backups?.state;
    this.monitoring = deployment.monitoring.enabled ? monitoringOf(deployment, this.plan, ground) : undefined;
    this.registerOutputs({});
  }

  /** Makes etcd, or looks at the existing one; before whatever puts its data at risk, a snapshot is taken. */
  private startEtcd(access: EtcdAccessArgs): Etcd {
    const { name, deployment, plan, ground } = this;
    const snapshot = snapshotBeforeChange(
      `${name}-snapshot-before-change`,
      {
        access,
        settings: deployment.snapshots,
        risks: risksOf(deployment),
        restoring: restoreOf(deployment)?.generation,
      },
      { parent: this },
    );
    return createEtcd(
      `${name}-etcd`,
      {
        plan: plan.etcd,
        ground,
        restoring: { snapshots: deployment.snapshots, programs: programsEndedByRestore(plan) },
        before: { hooks: this.runHooks("before", "etcd", []), snapshot },
      },
      { parent: this },
    );
  }

  /**
   * Starts the proxies that lead to etcd, makes the keys that encrypt what it holds, and starts the control plane.
   *
   * @param ground changes with each restore
   * @param server the URL that people and members are given
   */
  private startControlPlane(
    ground: Ground,
    etcd: Etcd,
    afterEtcd: readonly pulumi.Resource[],
    server: string,
  ): { readonly controlPlane: ControlPlane; readonly encryption: Encryption | undefined } {
    const { name, deployment, plan } = this;
    const { placement, pki } = ground;
    // They follow etcd's changes; before it has ever served, they come up beside it.
    const proxies = placeReplicas(this.ground, plan.etcdProxies, this, { dependsOn: [inTurn(placement, etcd.ready)] });
    const encryption = createEncryption(
      `${name}-encryption`,
      {
        settings: deployment.controlPlane,
        kubeconfig: pki.kubeconfig(administrator.name, "karmada", server),
        replacedByCopies: placement.copies === true,
      },
      { parent: this },
    );
    const before = this.runHooks("before", "control-plane", [etcd.ready, ...afterEtcd]);
    const controlPlane = new ControlPlane(
      `${name}-control-plane`,
      {
        ground,
        etcd,
        first: [...before, ...afterEtcd, ...resources(proxies)],
        processes: plan.controlPlane,
        given: givenOf(deployment, encryption),
        encryption,
        balancers: plan.balancers,
        deployment: deployment.name,
        versions: versionsOfData(deployment),
        placement: deployment.placement.kind,
        allowDowngrade: deployment.versions.allowDowngrade,
        multiClusterServices: actsForMultiClusterServices(deployment.controlPlane),
        grants: deployment.controlPlane,
      },
      { parent: this },
    );
    return { controlPlane, encryption };
  }

  private scheduleBackups({ gate }: ControlPlane): EtcdBackupSchedule | undefined {
    const { name, deployment, plan, ground } = this;
    if (plan.backups === undefined) return undefined;
    return new EtcdBackupSchedule(
      `${name}-backups`,
      { process: plan.backups, deployment, gated: versionsOfData(deployment), etcd: plan.etcd, ready: gate, ground },
      { parent: this },
    );
  }

  /** What a restore leaves to do, once everything it may concern works. */
  private lookAfterRestore(
    { kubeconfig, controllers }: ControlPlane,
    joined: readonly pulumi.Resource[],
  ): AfterRestore | undefined {
    const settings = restoreOf(this.deployment);
    if (settings === undefined) return undefined;
    return lookAfterRestore(
      `${this.name}-after-restore`,
      { settings, kubeconfig, clusters: this.deployment.members.map((member) => member.name) },
      { parent: this, dependsOn: [...controllers, ...joined] },
    );
  }

  /** Runs the operator's hooks for a moment. @returns what to wait for */
  private runHooks(
    when: HookMoment["when"],
    phase: HookMoment["phase"],
    dependsOn: readonly pulumi.Resource[],
  ): readonly pulumi.Resource[] {
    return this.ground.placement.hooks?.({ when, phase }, { parent: this, dependsOn }) ?? [];
  }
}
