import * as pulumi from "@pulumi/pulumi";
import type { Declarer } from "../lib/members/declarer.ts";
import type { Deployment } from "../spec/deployment.ts";
import type { WayToMember } from "./addons.ts";
import type { ControlPlane } from "./control-plane.ts";
import { asTeams, memberName } from "./estimator-aliases.ts";
import type { FoundEstimator } from "./estimators-in-use.ts";
import { agentOf } from "./fleet.ts";
import { mergedOutputs } from "./merged-outputs.ts";
import { allTokenHolders, type Plan, tokenHolders } from "./karmada-plan.ts";
import { Member } from "./member.ts";
import type { WayToPlane } from "./member-args.ts";
import { memberKubeconfigs } from "./member-kubeconfigs.ts";
import type { MemberState } from "./member-state.ts";
import type { Ground } from "./placed.ts";
import type { SimulatedCluster } from "./simulated-cluster.ts";
import { placeSimulatedEtcd, simulateClusters, simulatedKubeconfigs } from "./simulation.ts";
import { followWays } from "./ways-in-use.ts";

/** What of a Karmada its members need. */
export interface OwnMembersArgs {
  readonly deployment: Deployment<pulumi.Output<string>>;
  readonly declaredBy: Declarer;
  readonly plan: Plan;
  readonly plane: WayToPlane;
  readonly ground: Ground;
  /** Where programs run that remember what etcd held: a restore of etcd stops them. */
  readonly restoredGround: Ground;
  readonly controlPlane: ControlPlane;
  /** What members need of the control plane. */
  readonly needs: readonly pulumi.Resource[];
  /** What takes the data of simulated members, and Karmada's of them, with it. */
  readonly owner: pulumi.Resource | undefined;
}

/** The deployment's own members, as the rest of it needs them. */
export interface OwnMembers {
  /** How to reach each, by name. */
  readonly ways: ReadonlyMap<string, WayToMember>;
  /** Starts programs again that hold them, also those of members of teams; undefined when there are none. */
  readonly waysInUse: pulumi.Resource | undefined;
  readonly estimators: readonly FoundEstimator[];
  readonly joined: readonly pulumi.Resource[];
  readonly states: pulumi.Output<MemberState[]>;
  /** Version of each process, as the program reports it. */
  readonly versions: Readonly<Record<string, pulumi.Output<string>>>;
  /** End of each certificate that was signed elsewhere, by name, RFC 3339. */
  readonly certificates: pulumi.Output<Record<string, string>>;
  /**
   * Kubeconfigs of the administrators of simulated members, by the member's name; undefined when there are none.
   * Secret.
   */
  readonly simulatedKubeconfigs: pulumi.Output<Record<string, string>> | undefined;
}

/** Starts the simulated ones, and registers all of them. */
export function registerMembers(name: string, args: OwnMembersArgs, parent: pulumi.Resource): OwnMembers {
  const { deployment, plan, ground } = args;
  const simulatedEtcd = placeSimulatedEtcd(plan.simulation, ground, parent);
  const simulated = simulateClusters(
    name,
    { members: deployment.members, plan: plan.simulation, ground, etcd: simulatedEtcd },
    parent,
  );
  const kubeconfigs = memberKubeconfigs(name, deployment.members, simulated, parent);
  const members = deployment.members.map((member) => {
    const inputs = { member, kubeconfig: kubeconfigs.get(member.name)!, simulated: simulated.get(member.name) };
    return registerMember(name, args, inputs, parent);
  });
  const registered = members.map((member) => member.registered);
  const waysInUse = followWays(
    `${name}-ways-in-use`,
    {
      members: members.map((member) => [member.name, member.registered] as const),
      teamMembers: deployment.teamMembers,
      placement: ground.placement,
      programs: allTokenHolders(plan),
    },
    { parent, dependsOn: [...args.needs] },
  );
  const running = [...(simulatedEtcd ? [simulatedEtcd] : []), ...simulated.values(), ...registered];
  return {
    ways: new Map(members.map((member) => [member.name, member.way])),
    waysInUse,
    estimators: registered.flatMap(({ estimator = [] }) => estimator),
    joined: registered.map(({ joined }) => joined),
    states: pulumi.all(registered.map(({ state }) => state)),
    versions: Object.fromEntries(running.flatMap(({ versions }) => Object.entries(versions))),
    certificates: mergedOutputs(registered.map(({ certificates }) => certificates)),
    simulatedKubeconfigs: simulated.size > 0 ? simulatedKubeconfigs(simulated) : undefined,
  };
}

/** One of them, and how addons reach it. */
interface RegisteredMember {
  readonly name: string;
  readonly registered: Member;
  readonly way: WayToMember;
}

function registerMember(
  name: string,
  { deployment, declaredBy, plan, plane, restoredGround, controlPlane, needs, owner }: OwnMembersArgs,
  { member, kubeconfig, simulated }: MemberInputs,
  parent: pulumi.Resource,
): RegisteredMember {
  const { name: cluster, credentials, labels } = member;
  const ending = credentials.kind === "simulated" && owner !== undefined ? { owner } : {};
  const registered = new Member(
    memberName(name, cluster),
    {
      deployment: deployment.name,
      declaredBy,
      lifetimes: deployment.pki,
      member,
      plane,
      ground: restoredGround,
      agent: agentOf(plan.fleet, cluster),
      estimator: plan.fleet.estimators.get(cluster),
      estimatorAliases: asTeams(name, cluster, parent),
      tokenHolders: tokenHolders(plan, cluster),
      provider: controlPlane.api.provider,
      karmadaKubeconfig: controlPlane.kubeconfig,
      memberKubeconfig: kubeconfig,
      needs: [...needs, ...(simulated?.joinable ?? [])],
      ...ending,
      dataOwner: owner,
    },
    { parent },
  );
  const usable = [registered.joined, ...(simulated?.usable ?? [])];
  return { name: cluster, registered, way: { kubeconfig, needs: usable, labels, ...ending } };
}

/** What a member is registered with besides. */
interface MemberInputs {
  readonly member: OwnMembersArgs["deployment"]["members"][number];
  /** Of an administrator of the member. */
  readonly kubeconfig: pulumi.Input<string>;
  /** @default it is a real one */
  readonly simulated: SimulatedCluster | undefined;
}
