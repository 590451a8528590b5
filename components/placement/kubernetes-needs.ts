import type { HostClusterNeeds, PodNeeds } from "../../lib/host-cluster/needs.ts";
import { claimOf } from "../../lib/host-cluster/written-volumes.ts";
import { componentNames } from "../../spec/component-names.ts";
import type { Deployment, KubernetesPlacement } from "../../spec/deployment.ts";
import { allMembersIn } from "../../spec/etcd-overrides.ts";
import { memberQuotas } from "../../spec/etcd-volumes.ts";
import { etcdBackupName } from "../processes/etcd-backup.ts";
import { etcdsOf } from "./kubernetes-etcds.ts";
import type { KubernetesNames } from "./kubernetes-names.ts";

type InPods = Pick<Deployment<unknown>, "name" | "etcd" | "controlPlane" | "snapshots"> & {
  readonly placement: KubernetesPlacement<unknown>;
};

/**
 * The oldest Kubernetes with everything used: the sleep action of `preStop`, enabled by default in 1.30 and refused by
 * 1.28 (https://kep.k8s.io/3960); `matchLabelKeys` of topology spread constraints came with 1.27, pod security levels
 * of namespaces with 1.23, server-side apply with 1.22.
 */
const oldest = "1.30";

/** What a deployment needs of its host cluster, as checked by the preview. */
export function needsOf(deployment: InPods, names: KubernetesNames): HostClusterNeeds {
  const { name, placement, etcd, snapshots } = deployment;
  const { namespace, storage, exposure, priorityClass } = placement;
  return {
    namespace,
    deployment: name,
    oldest,
    nodePorts: names.nodePorts(allMembersIn(etcd)),
    ...(etcd.kind === "managed" &&
      (storage.hostPath === undefined
        ? { storageClass: storage.storageClass ?? "", databases: memberQuotas(etcd) }
        : { hostPath: true })),
    ...(priorityClass !== undefined && { priorityClass }),
    pods: podNeeds(deployment),
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
function writtenVolumes(targets: InPods["snapshots"]["targets"]): Pick<HostClusterNeeds, "writtenVolumes"> {
  const held = targets.flatMap((target) => {
    const { persistentVolume, storageClass = "" } = ("volume" in target && target.volume) || {};
    if (persistentVolume === undefined) return [];
    return [[persistentVolume, { claim: claimOf(etcdBackupName, persistentVolume), storageClass }] as const];
  });
  return held.length === 0 ? {} : { writtenVolumes: Object.fromEntries(held) };
}

/** Members of etcd, and replicas of one program, want a node each. */
function podNeeds({ placement, etcd, controlPlane }: InPods): PodNeeds {
  const { nodeSelector, tolerations, antiAffinity } = placement;
  const replicas = componentNames.flatMap((name) => {
    const { replicas, ...settings } = controlPlane[name];
    const runs = !("enabled" in settings) || settings.enabled;
    return runs && replicas > 1 ? [[name, replicas] as const] : [];
  });
  const members = etcdsOf({ etcd }).map(({ name, members }) => [name, members] as const);
  const apart = Object.fromEntries([...members, ...replicas]);
  return { nodeSelector, tolerations, apart, required: antiAffinity === "required" };
}
