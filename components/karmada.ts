import * as pulumi from "@pulumi/pulumi";
import type { Deployment } from "../spec/deployment.ts";
import { type Joining, joiningOf } from "../spec/joining.ts";
import { actsForMultiClusterServices } from "../spec/multi-cluster-services.ts";
import { createContents } from "./contents.ts";
import { administrator, ControlPlane } from "./control-plane.ts";
import { versionsOfData } from "./data-versions.ts";
import { createEncryption, type Encryption } from "./encryption.ts";
import { followEstimators } from "./estimators-in-use.ts";
import type { EtcdState } from "./etcd.ts";
import { createEtcd } from "./etcd.ts";
import type { EtcdAccess } from "./etcd-access.ts";
import type { BackupState } from "./etcd-backup-schedule.ts";
import { EtcdBackupSchedule } from "./etcd-backup-schedule.ts";
import { etcdAccess, restoreAccess } from "./etcd-offering.ts";
import { declareFailover } from "./failover.ts";
import { inOne } from "./in-one.ts";
import {
  allTokenHolders,
  estimatorAskers,
  givenOf,
  pkiArgs,
  planAll,
  programNames,
  restoreOf,
  risksOf,
} from "./karmada-plan.ts";
import { checkMembers } from "./member-checks.ts";
import type { MemberState } from "./member-state.ts";
import type { MonitoringOutput } from "./monitoring.ts";
import { monitoringOf } from "./monitoring.ts";
import { registerMembers } from "./own-members.ts";
import { Pki } from "./pki.ts";
import { address, inTurn, placeReplicas, resources } from "./placed.ts";
import type { HookMoment, Placement } from "./placement.ts";
import { karmadaApi } from "./processes/control-plane.ts";
import { ApiReady } from "../providers/api-ready.ts";
import type { RestoreAftermath } from "../providers/restore-aftermath.ts";
import { findingsOf, lookAfterRestore } from "./restore.ts";
import { snapshotBeforeChange } from "./snapshot-before-change.ts";
import { serveTeams } from "./team-members.ts";

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
  /** Of the administrator. Secret. */
  readonly kubeconfig: pulumi.Output<string>;
  /** Version of each process, as the program reports it. */
  readonly versions: pulumi.Output<Record<string, string>>;
  /** End of each certificate by name, RFC 3339. */
  readonly certificates: pulumi.Output<Record<string, string>>;
  readonly etcd: pulumi.Output<EtcdState>;
  /** How to reach its etcd from outside. Secret. */
  readonly etcdAccess: pulumi.Output<EtcdAccess>;
  /** Keys with which secrets are encrypted in etcd; undefined if nothing is. Secret. */
  readonly encryptionKeys: Encryption["keys"] | undefined;
  readonly members: pulumi.Output<MemberState[]>;
  /** Of the administrators of simulated members, by name; undefined when there are none. Secret. */
  readonly simulatedKubeconfigs: pulumi.Output<Record<string, string>> | undefined;
  /** For stacks of members that join it. */
  readonly joining: Joining<pulumi.Output<string>>;
  /** Of scheduled snapshots; undefined when nothing is scheduled. */
  readonly backups: pulumi.Output<BackupState> | undefined;
  /** For a Prometheus; undefined when monitoring is off. */
  readonly monitoring: MonitoringOutput | undefined;
  /** What the last restore left to do; undefined without one. */
  readonly afterRestore: ReturnType<typeof findingsOf> | undefined;

  constructor(name: string, { deployment, placement }: KarmadaArgs, opts: pulumi.ComponentResourceOptions = {}) {
    super("karmada:index:Karmada", name, {}, opts);
    const plan = planAll(deployment, placement);
    const pki = new Pki(`${name}-pki`, pkiArgs(deployment, plan, placement), { parent: this });
    const ground = { placement, pki };
    const hooks = (when: HookMoment["when"], phase: HookMoment["phase"], dependsOn: readonly pulumi.Resource[]) =>
      placement.hooks?.({ when, phase }, { parent: this, dependsOn }) ?? [];

    const programs = programNames(plan);
    const access = etcdAccess(deployment, plan.etcd, ground);
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
    const etcd = createEtcd(
      `${name}-etcd`,
      {
        plan: plan.etcd,
        ground,
        restoring: { snapshots: deployment.snapshots, programs },
        before: { hooks: hooks("before", "etcd", []), snapshot },
      },
      { parent: this },
    );
    const afterEtcd = hooks("after", "etcd", [etcd.ready]);
    const { owner, restored } = etcd;
    const restoredGround = { ...ground, ...(restored && { restored }) };

    // They follow etcd's changes; before it has ever served, they come up beside it.
    const proxies = placeReplicas(ground, plan.etcdProxies, this, { dependsOn: [inTurn(placement, etcd.ready)] });
    const server = placement.endpoint ?? address(placement, karmadaApi().url);
    const encryption = createEncryption(
      `${name}-encryption`,
      deployment.controlPlane,
      pki.kubeconfig(administrator.name, "karmada", server),
      placement.copies === true,
      { parent: this },
    );
    const controlPlane = new ControlPlane(
      `${name}-control-plane`,
      {
        ground: restoredGround,
        etcd,
        first: [...hooks("before", "control-plane", [etcd.ready, ...afterEtcd]), ...afterEtcd, ...resources(proxies)],
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
    const backups =
      plan.backups &&
      new EtcdBackupSchedule(
        `${name}-backups`,
        { process: plan.backups, deployment, etcd: plan.etcd, ready: controlPlane.gate, ground },
        { parent: this },
      );
    const planeReady = [controlPlane.gate, ...controlPlane.controllers];
    declareFailover(`${name}-failover`, deployment.controlPlane.failover, {
      parent: this,
      provider: controlPlane.api.provider,
      dependsOn: planeReady,
      ...(owner && { deletedWith: owner }),
    });
    const afterPlane = hooks("after", "control-plane", planeReady);

    const beforeMembers = hooks("before", "members", [...planeReady, ...afterPlane]).concat(afterPlane);
    const declaredBy = `karmada/${deployment.name}` as const;
    const wayToPlane = { server, authority: pki.trust(karmadaApi().authority), ...(restored && { restored }) };
    const needs = [...controlPlane.controllers, ...beforeMembers];
    const own = registerMembers(
      name,
      { deployment, declaredBy, plan, plane: wayToPlane, ground, restoredGround, controlPlane, needs, owner },
      this,
    );
    const ofTeams = serveTeams(
      name,
      {
        members: deployment.teamMembers,
        estimators: plan.fleet.estimators,
        ground: restoredGround,
        tokenHolders: allTokenHolders(plan),
        provider: controlPlane.api.provider,
        karmadaKubeconfig: controlPlane.kubeconfig,
        needs,
        after: own.waysInUse === undefined ? [] : [own.waysInUse],
        owner,
      },
      this,
    );
    followEstimators(
      `${name}-estimators-in-use`,
      [...own.estimators, ...(ofTeams?.estimators ?? [])],
      placement,
      estimatorAskers(plan),
      { parent: this, dependsOn: controlPlane.estimatorAskers },
    );
    checkMembers(
      name,
      {
        deployment,
        declaredBy,
        plan,
        placement,
        members: own,
        karmadaKubeconfig: controlPlane.kubeconfig,
        owner,
      },
      this,
    );

    createContents(name, { deployment, ground, controlPlane, members: own, owner }, this);
    hooks("after", "members", [...planeReady, ...beforeMembers, ...own.joined]);
    const aftermath = this.lookAfterRestore(name, deployment, controlPlane, own.joined);

    const isForeign = placement.endpoint !== undefined && placement.endpoint !== controlPlane.url;
    const front = isForeign ? this.front(name, placement.endpoint, controlPlane, pki) : undefined;
    this.endpoints = [...new Set([...(placement.endpoint ? [placement.endpoint] : []), ...controlPlane.endpoints])];
    this.kubeconfig = front ? front.kubeconfig : controlPlane.kubeconfig;
    const optional = [backups, ofTeams].filter((part) => part !== undefined);
    const parts = [etcd, controlPlane, ...optional, own];
    this.versions = inOne(parts.map(({ versions }) => versions));
    this.certificates = pulumi
      .all([pki.expiries, own.certificates])
      .apply(([issued, more]) => ({ ...issued, ...more }));
    this.etcd = etcd.state;
    this.afterRestore = aftermath && findingsOf(aftermath);
    this.etcdAccess = pulumi.secret(pulumi.output({ ...access, ...restoreAccess(plan.etcd, ground, programs) }));
    this.encryptionKeys = encryption?.keys;
    this.members = own.states;
    this.simulatedKubeconfigs = own.simulatedKubeconfigs;
    this.joining = joiningOf(deployment, wayToPlane);
    this.backups = backups?.state;
    this.monitoring = deployment.monitoring.enabled ? monitoringOf(deployment, plan, ground) : undefined;
    this.registerOutputs({});
  }

  /** The front that clients are given instead of an API server, once it leads to one. */
  private front(name: string, endpoint: string, { gate }: ControlPlane, pki: Pki): ApiReady {
    return new ApiReady(
      `${name}-endpoint`,
      { kubeconfig: pki.kubeconfig(administrator.name, "karmada", endpoint), timeoutSeconds: 120 },
      { parent: this, dependsOn: gate },
    );
  }

  /** What a restore leaves to do, once everything it may concern works. */
  private lookAfterRestore(
    name: string,
    deployment: KarmadaArgs["deployment"],
    { kubeconfig, controllers }: ControlPlane,
    joined: readonly pulumi.Resource[],
  ): RestoreAftermath | undefined {
    const settings = restoreOf(deployment);
    if (settings === undefined) return undefined;
    return lookAfterRestore(
      `${name}-after-restore`,
      { settings, kubeconfig, clusters: deployment.members.map((member) => member.name) },
      { parent: this, dependsOn: [...controllers, ...joined] },
    );
  }
}
