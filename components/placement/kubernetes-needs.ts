import type { HostClusterNeeds } from "../../lib/host-cluster/needs.ts";
import { claimOf } from "../../lib/host-cluster/written-volumes.ts";
import { allMembersIn } from "../../spec/etcd/overrides.ts";
import { memberQuotas } from "../../spec/etcd/volumes.ts";
import { etcdBackupName } from "../processes/etcd-backup.ts";
import type { KubernetesNames } from "./kubernetes-names.ts";
import { type AnyInPods, podNeedsOf } from "./kubernetes-pod-needs.ts";

/**
 * The oldest Kubernetes with everything used: the sleep action of `preStop`, enabled by default in 1.30 and refused by
 * 1.28 (https://kep.k8s.io/3960); `matchLabelKeys` of topology spread constraints came with 1.27, pod security levels
 * of namespaces with 1.23, server-side apply with 1.22.
 */
const oldest = "1.30";

/** What a deployment needs of its host cluster, as checked by the preview. */
export function needsOf(deployment: AnyInPods, names: KubernetesNames): HostClusterNeeds {
  const { name, placement, etcd, snapshots } = deployment;
  const { namespace, storage, exposure } = placement;
  return {
    namespace,
    deployment: name,
    oldest,
    nodePorts: names.nodePorts(allMembersIn(etcd), deployment.controlPlane !== undefined),
    ...(etcd.kind === "managed" &&
      (storage.hostPath === undefined
        ? { storageClass: storage.storageClass ?? "", databases: memberQuotas(etcd) }
        : { hostPath: true })),
    ...podNeedsOf(deployment),
    networkPolicies: placement.networkPolicies.enabled,
    restores: etcd.kind === "managed" && etcd.restore !== undefined,
    schedules: snapshots.schedule !== undefined,
    ...writtenVolumes(snapshots.targets),
    ...(exposure.kind === "ingress" && {
      ingress: { ingressClass: exposure.ingressClass ?? "", annotations: exposure.annotations },
    }),
  };
}

/** The volumes of targets, which only a schedule has. */
function writtenVolumes(targets: AnyInPods["snapshots"]["targets"]): Pick<HostClusterNeeds, "writtenVolumes"> {
  const held = targets.flatMap((target) => {
    const { persistentVolume, storageClass = "" } = ("volume" in target && target.volume) || {};
    if (persistentVolume === undefined) return [];
    return [[persistentVolume, { claim: claimOf(etcdBackupName, persistentVolume), storageClass }] as const];
  });
  return held.length === 0 ? {} : { writtenVolumes: Object.fromEntries(held) };
}
