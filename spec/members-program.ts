import type { Context } from "./context.ts";
import { schedulerWarnings } from "./control-plane/schedulers.ts";
import { deploymentReference } from "./deployment-reference.ts";
import type { Deployment } from "./deployment.ts";
import { checkHandOver } from "./hand-over.ts";
import { checkAgents } from "./members/agent-check.ts";
import { agent, type PlaneImages } from "./members/agent.ts";
import { checkEstimatorNames } from "./members/estimator-names.ts";
import { memberGroups } from "./members/groups.ts";
import type { PlaneOffered } from "./members/joining.ts";
import { checkCredentials, checkProxyHeaders, members, membersMayLeave, type TypedMember } from "./members/members.ts";
import { resolveMembers } from "./members/resolve.ts";
import { checkModes, chosenMode } from "./members/sync-mode.ts";
import { isServed } from "./members/teams.ts";
import { checkPolicies, policyWarnings } from "./policies/policies-check.ts";
import { policies, policyObjects } from "./policies/policies.ts";
import { policyTemplatesFrom } from "./policies/policy-templates.ts";
import type { Problem } from "./problems.ts";
import { program } from "./program.ts";
import { frozen, readStack } from "./read-stack.ts";
import { ownName } from "./values/name.ts";

/** Every key of the stack file of a `members` stack. */
export const membersSections = {
  program,
  name: ownName,
  deployment: deploymentReference,
  members,
  memberGroups,
  membersMayLeave,
  policies,
  policyTemplatesFrom,
};

/** The members that a team has in a deployment of another stack, every default filled in. */
export interface MembersProgram<Secret = string> extends Pick<
  Deployment<Secret>,
  "program" | "members" | "membersMayLeave" | "policies" | "rebalancers"
> {
  /** The name under which the control plane knows their owner. */
  readonly name: string;
  /** The stack whose control plane they join. */
  readonly deployment: string;
  readonly plane: PlaneOffered;
  /** Whether the deployment serves members of this stack: `teams` there. */
  readonly served: boolean;
}

/**
 * Fills in the defaults and checks all of it. `context.plane` is there as soon as `deployment` is right.
 * @throws SpecError with every problem at once
 */
export function resolveMembersProgram(config: unknown, context: Context): MembersProgram {
  const { plane } = context;
  const stack = readStack(membersSections, config, context);
  const { members, policies } = stack.valid;
  const {
    memberGroups: _,
    policyTemplatesFrom: _from,
    ...typed
  } = stack.withoutProblems([
    ...(members ? checkMembers(withAgents(members, plane), plane, context) : []),
    ...(members && policies && plane ? checkPolicies(policies, [...namesOf(members), ...plane.members], context) : []),
  ]);
  if (plane === undefined) throw new Error(`${typed.deployment}: nobody has looked at its outputs`);
  const there = { networks: plane.networks, images: plane.images as PlaneImages | undefined };
  return frozen({
    ...typed,
    name: typed.name ?? context.stack,
    plane,
    served: isServed(context.stack, plane.teams ?? []),
    members: resolveMembers(withAgents(typed.members, plane), there, context),
    ...policyObjects(typed.policies, context),
  });
}

const namesOf = (all: readonly { readonly name: string }[]): string[] => all.map(({ name }) => name);

/** Agents cannot run beside the control plane here, and its authority's key is not available. */
const withAgents = (members: readonly TypedMember[], plane: PlaneOffered | undefined): TypedMember[] =>
  members.map((member) => {
    const isPulled = plane !== undefined && chosenMode(member, plane.networks).syncMode === "Pull";
    const typed = member.agent ?? (isPulled ? agent.parse({ kind: "inMember" }) : undefined);
    if (typed === undefined) return member;
    return { ...member, agent: { ...typed, registration: typed.registration ?? "bootstrapToken" } };
  });

function checkMembers(
  members: readonly TypedMember[],
  plane: PlaneOffered | undefined,
  context: Context,
): readonly Problem[] {
  return [
    ...members.flatMap((member, i) =>
      checkMember(member, plane, context.stack).map(({ path, message }) => ({
        path: ["members", i, ...path],
        message,
      })),
    ),
    ...checkCredentials(members, context),
    ...checkProxyHeaders(members),
    ...(plane === undefined ? [] : checkJoining(members, plane)),
    ...(plane?.estimates && isServed(context.stack, plane.teams ?? [])
      ? checkEstimatorNames(members, "controlPlane.karmada-scheduler-estimator of the stack of the deployment")
      : []),
  ];
}

/** Finds settings that require the stack of the deployment. */
function checkMember(
  { name, agent, credentials, rotate, rotateEvery }: TypedMember,
  plane: PlaneOffered | undefined,
  stack: string,
): Problem[] {
  const problems: Problem[] = [];
  const found = (path: string[], message: string) => problems.push({ path, message });
  if (plane?.members.includes(name))
    found(
      ["name"],
      `got "${name}", want another name, or let go of it there first (handOver): the stack of the deployment has a member of this name`,
    );
  if (credentials.kind === "simulated")
    found(["credentials"], 'got kind "simulated", want a cluster: only the stack of the deployment simulates members');
  if (agent?.kind === "beside")
    found(["agent", "kind"], 'got "beside", want "inMember": only the stack of the deployment has a place beside it');
  if (agent?.registration === "certificate")
    found(
      ["agent", "registration"],
      'got "certificate", want "bootstrapToken": only the stack of the deployment has the authority that would issue it',
    );
  for (const [field, value] of Object.entries({ rotate, rotateEvery }))
    if (value !== undefined && plane !== undefined && !isServed(stack, plane.teams ?? []))
      found(
        [field],
        `want ${stack} among the teams of the stack of the deployment before: programs of its control plane start again for a new token`,
      );
  return problems;
}

/** Finds what the control plane does not offer to joining members. */
function checkJoining(members: readonly TypedMember[], plane: PlaneOffered): Problem[] {
  const atDeployment = (message: string): Problem => ({ path: ["deployment"], message });
  const pulled = members.find(({ agent }) => agent?.registration === "bootstrapToken");
  return [
    ...checkModes(members, plane.networks, (wanted) => atDeployment(`has no controlPlane.networks, ${wanted}`)),
    ...checkAgents(members, { ...plane, signsRequests: true }),
    ...checkHandOver(members, plane.networks),
    ...(pulled === undefined || plane.signsRequests
      ? []
      : [
          atDeployment(`signs no requests, want pki.signRequests true there: the agent of ${pulled.name} asks for one`),
        ]),
  ];
}

/** What may be unintended, a sentence each. */
export function membersWarnings({ members, policies, plane, deployment, served }: MembersProgram): string[] {
  const theirs = plane.members.map((name) => ({ name, zones: [], labels: {} }));
  return [
    ...policyWarnings({ policies, members: [...members, ...theirs] }),
    ...(plane.schedulers === undefined
      ? []
      : schedulerWarnings(policies, plane.schedulers, `controlPlane.schedulers of the stack ${deployment}`)),
    ...(plane.estimates && !served && members.length > 0
      ? [
          `deployment: ${deployment} has estimators for members of its own, not for those here: its scheduler waits up to ten seconds for each that is missing, and counts their room by what their Clusters say; name this stack among its teams`,
        ]
      : []),
  ];
}
