import * as pulumi from "@pulumi/pulumi";
import { ExternalEtcd as ExternalEtcdProbe } from "../providers/external-etcd.ts";
import type { ExternalPlan } from "./etcd-plan.ts";
import { reach } from "./etcd-reach.ts";
import type { Etcd, EtcdArgs, EtcdState } from "./etcd.ts";
import { externalClient, externalKeeper } from "./processes/etcd-cluster.ts";
import type { RestoreArgs } from "./restore.ts";

/**
 * Looks at an existing etcd before anything is stored in it; only then, when the cluster is known to be the right one,
 * a snapshot is taken. Where another stack has restored it, it stops the programs that remember what it held. Deleting
 * it leaves the data there, to be adopted again.
 */
export class ExternalEtcd extends pulumi.ComponentResource implements Etcd {
  readonly kind = "external";
  readonly ready: pulumi.Resource;
  readonly state: pulumi.Output<EtcdState>;
  readonly restored?: pulumi.Output<string>;
  readonly versions = {};

  constructor(
    name: string,
    {
      plan,
      ground,
      programs,
      before: { hooks, snapshot },
    }: Pick<RestoreArgs, "programs"> & Pick<Required<EtcdArgs>, "ground" | "before"> & { readonly plan: ExternalPlan },
    opts: pulumi.ComponentResourceOptions,
  ) {
    super("karmada:etcd:ExternalEtcd", name, {}, opts);
    const { maintenance, clusterId } = plan.settings;
    const keeper = maintenance && ground.pki.pair(externalKeeper);
    const probe = new ExternalEtcdProbe(
      `${name}-probe`,
      {
        ...reach(plan, ground, externalClient),
        ...(keeper && { maintenanceCertificate: keeper.certificate, maintenanceKey: keeper.key }),
        prefix: plan.connection.prefix,
        owner: ground.pki.identity,
        deployment: plan.deployment,
        adopt: plan.settings.adopt,
        ...(clusterId !== undefined && { cluster: clusterId, runtime: ground.placement.etcdRuntime(), programs }),
        timeoutSeconds: 60,
      },
      { parent: this, dependsOn: [...hooks] },
    );
    this.ready = snapshot([probe]) ?? probe;
    if (clusterId !== undefined) this.restored = pulumi.output(clusterId);
    this.state = pulumi.output({ clusterId: probe.clusterId, members: probe.members });
    this.registerOutputs({});
  }
}
