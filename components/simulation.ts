import * as pulumi from "@pulumi/pulumi";
import type { Deployment } from "../spec/deployment.ts";
import { type Ground, place } from "./placed.ts";
import type { Process } from "./process.ts";
import { simulatedEtcd } from "./processes/etcd-cluster.ts";
import { simulatedMemberProcesses, type SimulatedMemberProcesses } from "./processes/simulated-member.ts";
import { SimulatedCluster } from "./simulated-cluster.ts";

/** The programs of all simulated members. */
export interface SimulationPlan {
  /** Shared by all of them; none when there are no simulated members. */
  readonly etcd?: Process;
  readonly members: ReadonlyMap<string, SimulatedMemberProcesses>;
}

/** The programs of all simulated clusters, and their etcd; none if no member is simulated. */
export function planSimulation({
  members,
  versions,
}: Pick<Deployment<unknown>, "members" | "versions">): SimulationPlan {
  const names = members.filter(({ credentials }) => credentials.kind === "simulated").map(({ name }) => name);
  if (names.length === 0) return { members: new Map() };
  const etcd = simulatedEtcd(versions.etcd);
  const describe = (name: string) =>
    simulatedMemberProcesses({
      name,
      kubernetesVersion: versions.kubernetes,
      kwokVersion,
      etcd: etcd.connection(name),
      serviceClusterIpRange: "10.97.0.0/16",
    });
  return { etcd: etcd.process, members: new Map(names.map((name) => [name, describe(name)])) };
}

/** The running etcd that simulated members share. */
export interface SimulatedEtcd {
  readonly resource: pulumi.Resource;
  /** Its version by its name. */
  readonly versions: Readonly<Record<string, pulumi.Output<string>>>;
}

/** Runs the etcd that simulated members share. */
export function placeSimulatedEtcd(
  { etcd }: SimulationPlan,
  ground: Ground,
  parent: pulumi.Resource,
): SimulatedEtcd | undefined {
  if (etcd === undefined) return undefined;
  const { resource, version } = place(ground, etcd, parent, []);
  return { resource, versions: { [etcd.name]: version } };
}

/** https://github.com/kubernetes-sigs/kwok/releases */
const kwokVersion = "0.8.0";

interface SimulateClustersArgs {
  readonly members: Deployment<unknown>["members"];
  readonly plan: SimulationPlan;
  readonly ground: Ground;
  /** The etcd that they share; undefined when there are none. */
  readonly etcd: SimulatedEtcd | undefined;
}

/** Every simulated cluster, by the name of its member. */
export function simulateClusters(
  name: string,
  { members, plan, ground, etcd }: SimulateClustersArgs,
  parent: pulumi.Resource,
): ReadonlyMap<string, SimulatedCluster> {
  const clusters = new Map<string, SimulatedCluster>();
  for (const member of members) {
    const processes = plan.members.get(member.name);
    if (member.credentials.kind !== "simulated" || processes === undefined || etcd === undefined) continue;
    const args = { ground, processes, etcd: etcd.resource, cluster: member.name, nodes: member.credentials };
    clusters.set(member.name, new SimulatedCluster(`${name}-simulated-${member.name}`, args, { parent }));
  }
  return clusters;
}

/** Kubeconfig of an administrator of each simulated cluster, by the name of its member. Secret. */
export const simulatedKubeconfigs = (
  clusters: ReadonlyMap<string, SimulatedCluster>,
): pulumi.Output<Record<string, string>> =>
  pulumi.secret(pulumi.all(Object.fromEntries([...clusters].map(([name, { kubeconfig }]) => [name, kubeconfig]))));
