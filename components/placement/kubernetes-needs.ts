import type { HostClusterNeeds, PodNeeds } from "../../lib/host-cluster/needs.ts";
import { componentNames } from "../../spec/component-names.ts";
import type { Deployment, KubernetesPlacement } from "../../spec/deployment.ts";
import { allMembersIn } from "../../spec/etcd-overrides.ts";
import { etcdsOf } from "./kubernetes-etcds.ts";
import type { KubernetesNames } from "./kubernetes-names.ts";

type InPods = Pick<Deployment<unknown>, "name" | "etcd" | "controlPlane" | "snapshots"> & {
  readonly placement: KubernetesPlacement<unknown>;
};

/**
 * The oldest Kubernetes with all that is used: pods that sleep before they are told to end, which 1.30 has without being asked
 * and 1.28 refuses (https://kep.k8s.io/3960); `matchLabelKeys` of topology spread constraints are of 1.27, pod security levels
 * of namespaces of 1.23, server-side apply of 1.22.
 */
const oldest = "1.30";

/** What a deployment wants of its host cluster, as the preview asks. */
export function needsOf(deployment: InPods, names: KubernetesNames): HostClusterNeeds {
  const { name, placement, etcd, snapshots } = deployment;
  const { namespace, storage, exposure, priorityClass } = placement;
  return {
    namespace,
    deployment: name,
    oldest,
    nodePorts: names.nodePorts(allMembersIn(etcd)),
    ...(etcd.kind === "managed" &&
      (storage.hostPath === undefined ? { storageClass: storage.storageClass ?? "" } : { hostPath: true })),
    ...(priorityClass !== undefined && { priorityClass }),
    pods: podNeeds(deployment),
    networkPolicies: placement.networkPolicies.enabled,
    restores: etcd.kind === "managed" && etcd.restore !== undefined,
    schedules: snapshots.schedule !== undefined,
    ...(exposure.kind === "ingress" && {
      ingress: { ingressClass: exposure.ingressClass ?? "", annotations: exposure.annotations },
    }),
  };
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
