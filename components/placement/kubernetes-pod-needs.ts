import type { HostClusterNeeds, PodNeeds } from "../../lib/host-cluster/needs.ts";
import { componentNames } from "../../spec/control-plane/component-names.ts";
import type { Deployment, KubernetesPlacement } from "../../spec/deployment.ts";
import { hasOwnNodes, podSettingsOf } from "../../spec/placement/pod-settings.ts";
import { planFleet } from "../fleet.ts";
import { etcdBackupName } from "../processes/etcd-backup.ts";
import { etcdsOf } from "./kubernetes-etcds.ts";

/**
 * What the pods of a deployment in a host cluster follow from; its secrets in any form. An etcd by itself has neither a
 * control plane nor what serves members.
 */
export type AnyInPods<Secret = unknown> = Pick<Deployment<Secret>, "name" | "etcd" | "snapshots"> &
  (Pick<Deployment<Secret>, "controlPlane" | "members" | "teamMembers"> | { readonly controlPlane?: never }) & {
    readonly placement: KubernetesPlacement<Secret>;
  };

type Needs = Pick<HostClusterNeeds, "priorityClass" | "ownPriorityClasses" | "pods" | "otherPods">;

/** What the pods of a deployment need of nodes, and to have priority; programs with nodes of their own apart. */
export function podNeedsOf(deployment: AnyInPods): Needs {
  const { placement } = deployment;
  const { priorityClass } = placement;
  const programs = runningPrograms(deployment);
  const own = programs.filter((program) => hasOwnNodes(placement, program));
  const needs = [
    ...(own.length < programs.length ? [needsOf(deployment, (program) => !own.includes(program), placement)] : []),
    ...own.map((program) => ({
      program,
      ...needsOf(deployment, (other) => other === program, podSettingsOf(placement, program)),
    })),
  ];
  const [pods, ...otherPods] = needs as [PodNeeds, ...PodNeeds[]];
  const classes = programs.flatMap((program) => {
    const { priorityClass } = placement.pods[program] ?? {};
    return priorityClass === undefined ? [] : [[program, priorityClass] as const];
  });
  return {
    ...(priorityClass !== undefined && { priorityClass }),
    ...(classes.length > 0 && { ownPriorityClasses: Object.fromEntries(classes) }),
    pods,
    ...(otherPods.length > 0 && { otherPods }),
  };
}

/** The programs that have pods now. There is always the API server, or etcd by itself. */
function runningPrograms(deployment: AnyInPods): string[] {
  const { etcd, snapshots } = deployment;
  return [
    ...(etcd.kind === "managed" ? ["etcd"] : []),
    ...(deployment.controlPlane === undefined ? [] : programsOfPlane(deployment)),
    ...(snapshots.schedule === undefined ? [] : [etcdBackupName]),
  ];
}

function programsOfPlane(deployment: Parameters<typeof planFleet>[0]): string[] {
  const { agents, estimators } = planFleet(deployment);
  return [
    ...componentNames.filter((name) => runs(deployment.controlPlane[name])),
    ...(agents.size > 0 ? ["karmada-agent"] : []),
    ...(estimators.size > 0 ? ["karmada-scheduler-estimator"] : []),
  ];
}

const runs = (settings: object): boolean => !("enabled" in settings) || settings.enabled === true;

/** Members of etcd, and replicas of one program, want a node each. */
function needsOf(
  { etcd, controlPlane, placement }: AnyInPods,
  isOne: (program: string) => boolean,
  { nodeSelector, tolerations }: Pick<PodNeeds, "nodeSelector" | "tolerations">,
): PodNeeds {
  const components =
    controlPlane === undefined ? [] : componentNames.map((name) => [name, controlPlane[name]] as const);
  const replicas = components.flatMap(([name, { replicas, ...settings }]) => {
    return isOne(name) && runs(settings) && replicas > 1 ? [[name, replicas] as const] : [];
  });
  const etcds = isOne("etcd") ? etcdsOf({ etcd }) : [];
  const apart = Object.fromEntries([...etcds.map(({ name, members }) => [name, members] as const), ...replicas]);
  return { nodeSelector, tolerations, apart, required: placement.antiAffinity === "required" };
}
