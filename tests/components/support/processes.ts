import type { Process } from "../../../components/process.ts";
import { controlPlaneProcesses } from "../../../components/processes/control-plane.ts";
import { managedEtcd } from "../../../components/processes/etcd-cluster.ts";
import { planSimulation } from "../../../components/simulation.ts";
import { deploymentOf } from "./deployment.ts";

const enabled = { enabled: true };

/** A control plane with every addon, three etcd members and one simulated member, `m1`. */
export const everything = deploymentOf({
  controlPlane: {
    "karmada-descheduler": enabled,
    "karmada-search": enabled,
    "karmada-metrics-adapter": enabled,
  },
  members: [{ name: "m1", credentials: { kind: "simulated" } }],
});

const etcd = managedEtcd({
  members: ["etcd-0", "etcd-1", "etcd-2"],
  version: "3.6.6",
  quota: "8Gi",
  extraArgs: {},
});
const simulation = planSimulation(everything);

/** Every process of a deployment; of `everything` unless another is given. */
export function allProcesses(deployment = everything): readonly Process[] {
  const simulated = planSimulation(deployment);
  return [
    ...etcd.members,
    ...controlPlane(deployment),
    ...(simulated.etcd === undefined ? [] : [simulated.etcd]),
    ...[...simulated.members.values()].flatMap((processes) => Object.values(processes)),
  ];
}

/** A process of the control plane by name. */
export const controlPlaneProcess = (name: string, deployment = everything): Process =>
  named(controlPlane(deployment), name);

export const simulatedProcess = (name: string): Process =>
  named(Object.values(simulation.members.get("m1") ?? {}), name);

export const etcdProcess = (name: string): Process => named([...etcd.members, simulation.etcd as Process], name);

const controlPlane = (deployment = everything): Process[] =>
  Object.values(controlPlaneProcesses(deployment, etcd.connection)).flat();

function named(processes: readonly Process[], name: string): Process {
  const process = processes.find((candidate) => candidate.name === name);
  if (process === undefined) throw new Error(`no process ${name} among ${processes.map((p) => p.name).join(", ")}`);
  return process;
}
