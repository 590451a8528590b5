import * as pulumi from "@pulumi/pulumi";
import { EtcdHealth } from "../providers/etcd-health.ts";
import { EtcdMembership } from "../providers/etcd-membership.ts";
import type { EtcdRestore } from "../providers/etcd-restore.ts";
import { bytes } from "../spec/values/units.ts";
import { type ClusterPlan, healthClient, type ManagedPlan } from "./etcd-plan.ts";
import { memberAddresses, reach } from "./etcd-reach.ts";
import type { Etcd, EtcdArgs, EtcdState } from "./etcd.ts";
import { prepare } from "./placed.ts";
import type { PreparedProcess } from "./placement.ts";
import { createRestore } from "./restore.ts";

/** What a cluster of our own is made of. */
interface ManagedEtcdArgs extends Pick<EtcdArgs, "ground" | "restoring"> {
  /** The cluster that holds everything else, with its overrides; or one of these, with its name. */
  readonly plan: ClusterPlan & Partial<{ readonly name: string } & Pick<ManagedPlan, "overrides">>;
  /** What is done before anything that risks the data. */
  readonly first: readonly pulumi.Resource[];
}

/**
 * Every member is prepared here and started only by the reconciler: all at once the first time, since none is ready
 * before a quorum is, and later one after another, so that clients hardly notice. Whatever needs etcd waits for the
 * whole, so it learns of a new member when that one has a vote. Clusters for some kinds of objects are made alike
 * beside it. Deleting it deletes all data of the control plane.
 */
export class ManagedEtcd extends pulumi.ComponentResource implements Etcd {
  readonly kind = "managed";
  readonly ready: pulumi.Resource;
  readonly state: pulumi.Output<EtcdState>;
  readonly restored?: pulumi.Output<string>;
  readonly owner = this;
  readonly versions: Etcd["versions"];

  constructor(name: string, args: ManagedEtcdArgs, opts: pulumi.ComponentResourceOptions) {
    super("karmada:etcd:ManagedEtcd", name, {}, opts);
    const { plan, ground } = args;
    const overrides = Object.fromEntries(
      (plan.overrides ?? []).map((each) => [
        each.name,
        new ManagedEtcd(`${name}-${each.name}`, { ...args, plan: each }, { parent: this }),
      ]),
    );
    const prepared = plan.members.map((member) => prepare(ground, member, this));
    const needs = [...prepared.map(({ resource }) => resource), ...args.first];
    const restore = this.restore(name, args, needs);
    const membership = this.reconcile(name, args, prepared, restore, needs);
    const { endpoints, ...credentials } = reach(plan, ground, healthClient.name);
    const health = new EtcdHealth(
      `${name}-health`,
      {
        endpoints,
        ...credentials,
        ...(restore && { restored: restore.clusterId }),
        expectedMembers: prepared.length,
        after: whatWasDone(membership),
        timeoutSeconds: 120,
      },
      { parent: this, dependsOn: [membership, ...Object.values(overrides).map(({ ready }) => ready)] },
    );
    this.ready = health;
    if (restore !== undefined) this.restored = restore.clusterId;
    this.state = pulumi.output({
      clusterId: health.clusterId,
      members: health.members,
      ...(Object.keys(overrides).length > 0 && { overrides: statesOf(overrides) }),
    });
    this.versions = Object.assign(
      Object.fromEntries(prepared.map(({ process, version }) => [process.name, version])),
      ...Object.values(overrides).map(({ versions }) => versions),
    ) as Etcd["versions"];
    this.registerOutputs({});
  }

  /** Has the members run as they are prepared, one after another, with the data of the restore if there is one. */
  private reconcile(
    name: string,
    { plan, ground }: ManagedEtcdArgs,
    prepared: readonly PreparedProcess[],
    restore: EtcdRestore | undefined,
    needs: readonly pulumi.Resource[],
  ): EtcdMembership {
    const { settings, token, version } = plan;
    const { endpoints: _, ...credentials } = reach(plan, ground, healthClient.name);
    const members = memberAddresses(plan, ground);
    return new EtcdMembership(
      `${name}-membership`,
      {
        token,
        runtime: ground.placement.etcdRuntime(),
        members: members.map((member, i) => ({ ...member, revision: prepared[i]?.revision ?? "" })),
        ...(restore && { restored: { generation: restore.generation, clusterId: restore.clusterId } }),
        version,
        replace: settings.replace,
        defragment: { ...settings.defragment, size: bytes(settings.defragment.size) },
        foreignMembers: settings.foreignMembers,
        ...credentials,
        timeoutSeconds: 120,
      },
      {
        parent: this,
        protect: settings.protect,
        dependsOn: [...needs, ...(restore ? [restore] : [])],
        ...(ground.placement.owner && { deletedWith: ground.placement.owner }),
      },
    );
  }

  /** Gives the prepared members the data of a snapshot, if the settings ask for it. */
  private restore(
    name: string,
    { plan, ground, restoring }: ManagedEtcdArgs,
    dependsOn: pulumi.Resource[],
  ): EtcdRestore | undefined {
    const { restore: settings } = plan.settings;
    if (settings === undefined) return undefined;
    const { placement } = ground;
    const { endpoints: _, ...credentials } = reach(plan, ground, healthClient.name);
    return createRestore(
      `${name}-restore`,
      {
        ...restoring,
        ...credentials,
        deployment: plan.deployment,
        ...(plan.name !== undefined && { part: plan.name }),
        etcdVersion: plan.version,
        settings,
        runtime: placement.restoreRuntime?.() ?? placement.etcdRuntime(),
        members: memberAddresses(plan, ground),
        keyPrefix: plan.connection.prefix,
        resume: false,
      },
      { parent: this, dependsOn },
    );
  }
}

const statesOf = (overrides: Readonly<Record<string, ManagedEtcd>>): pulumi.Output<Record<string, EtcdState>> =>
  pulumi.all(Object.fromEntries(Object.entries(overrides).map(([name, { state }]) => [name, state])));

/** Versions, identities and roles as of the last run; unchanged as long as nothing is done. */
const whatWasDone = ({ memberStates }: EtcdMembership): pulumi.Output<string> =>
  memberStates.apply((states) =>
    states
      .map(({ name, id, role, version, incarnation, revision }) =>
        [name, id, role, version, incarnation, revision].join(),
      )
      .join("; "),
  );
