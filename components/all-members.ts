import type * as pulumi from "@pulumi/pulumi";
import { followEstimators } from "./estimators-in-use.ts";
import { allTokenHolders, estimatorAskers } from "./karmada-plan.ts";
import { checkMembers } from "./member-checks.ts";
import { type OwnMembers, type OwnMembersArgs, registerMembers } from "./own-members.ts";
import { serveTeams, type TeamMembers } from "./team-members.ts";

interface AllMembers {
  readonly own: OwnMembers;
  /** What runs for members of other stacks; undefined when there are none. */
  readonly ofTeams: TeamMembers | undefined;
}

/** Registers the deployment's own members, serves those of teams, and has each preview check all of them. */
export function createMembers(
  name: string,
  args: Omit<OwnMembersArgs, "declaredBy">,
  parent: pulumi.Resource,
): AllMembers {
  const { deployment, plan, ground, restoredGround, controlPlane, needs, owner } = args;
  const declaredBy = `karmada/${deployment.name}` as const;
  const karmadaKubeconfig = controlPlane.kubeconfig;
  const own = registerMembers(name, { ...args, declaredBy }, parent);
  const ofTeams = serveTeams(
    name,
    {
      members: deployment.teamMembers,
      estimators: plan.fleet.estimators,
      ground: restoredGround,
      tokenHolders: allTokenHolders(plan),
      provider: controlPlane.api.provider,
      karmadaKubeconfig,
      needs,
      after: own.waysInUse === undefined ? [] : [own.waysInUse],
      owner,
    },
    parent,
  );
  const { placement } = ground;
  followEstimators(
    `${name}-estimators-in-use`,
    [...own.estimators, ...(ofTeams?.estimators ?? [])],
    placement,
    estimatorAskers(plan),
    { parent, dependsOn: controlPlane.estimatorAskers },
  );
  checkMembers(name, { deployment, declaredBy, plan, placement, members: own, karmadaKubeconfig, owner }, parent);
  return { own, ofTeams };
}
