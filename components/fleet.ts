import type { Deployment } from "../spec/deployment.ts";
import type { Process, Text } from "./process.ts";
import { frontOfApi } from "./processes/control-plane.ts";
import { karmadaAgentProcess } from "./processes/karmada-agent.ts";
import { schedulerEstimatorProcess } from "./processes/karmada-scheduler-estimator.ts";
import { memberApi } from "./processes/simulated-member.ts";

/** The programs that serve members, by member. */
export interface FleetPlan {
  /** Agents of members in Pull mode, those beside the control plane. */
  readonly agents: ReadonlyMap<string, Process>;
  /** Agents of members in Pull mode, those on the members' own nodes. */
  readonly agentsInMembers: ReadonlyMap<string, Process>;
  /**
   * Estimators of all members, including those of teams that have made an account for one; empty if they are switched
   * off.
   */
  readonly estimators: ReadonlyMap<string, Process>;
}

/**
 * Agents of members in Pull mode, beside the control plane or in the members, and estimators, also for members of
 * teams.
 */
export function planFleet(deployment: Pick<Deployment<unknown>, "members"> & OfTeams): FleetPlan {
  const { members, controlPlane } = deployment;
  const settings = controlPlane["karmada-scheduler-estimator"];
  const own = settings.enabled ? members.map(({ name }) => name) : [];
  const estimator = (member: string) => schedulerEstimatorProcess({ ...settings, member });
  return {
    ...planAgents(members, controlPlane["karmada-agent"]),
    estimators: new Map([...own, ...estimatedOfTeams(deployment)].map((name) => [name, estimator(name)])),
  };
}

type OfTeams = Pick<Deployment<unknown>, "teamMembers" | "controlPlane">;

/** Names of the members of teams that have an estimator: an account for one was made. */
export function estimatedOfTeams({ teamMembers, controlPlane }: OfTeams): string[] {
  if (!controlPlane["karmada-scheduler-estimator"].enabled) return [];
  return teamMembers.filter(({ estimator }) => estimator !== undefined).map(({ name }) => name);
}

type AgentsPlan = Omit<FleetPlan, "estimators">;

/** The agents of members in Pull mode. */
export function planAgents(
  members: readonly FleetMember[],
  settings: Deployment["controlPlane"]["karmada-agent"],
): AgentsPlan {
  const agent = (member: FleetMember) =>
    karmadaAgentProcess({
      ...settings,
      member: member.name,
      api: frontOfApi,
      memberUrl: urlOf(member),
      proxy: member.proxy,
      inMember: member.agent.kind === "inMember",
      bootstrapped: member.agent.registration === "bootstrapToken",
    });
  const agents = (kind: FleetMember["agent"]["kind"]) => {
    const served = members.filter((member) => member.syncMode === "Pull" && member.agent.kind === kind);
    return new Map(served.map((member) => [member.name, agent(member)]));
  };
  return { agents: agents("beside"), agentsInMembers: agents("inMember") };
}

/** The agent of a member, wherever it runs; undefined in Push mode. */
export const agentOf = ({ agents, agentsInMembers }: AgentsPlan, member: string): Process | undefined =>
  agents.get(member) ?? agentsInMembers.get(member);

type FleetMember = Deployment<unknown>["members"][number];

/** The URL with which it is registered. */
function urlOf({ name, credentials }: FleetMember): Text {
  switch (credentials.kind) {
    case "simulated":
      return memberApi(name).url;
    case "kubeconfig":
      return credentials.server;
    case "ssh":
      if (credentials.server === undefined) throw new Error(`${name}: an agent must be told the address of its member`);
      return credentials.server;
  }
}
