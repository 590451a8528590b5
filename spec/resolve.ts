import type { Addon } from "./addons/addons.ts";
import { type ReadAddons, readAddons } from "./addons/objects.ts";
import type { Context } from "./context.ts";
import { resolveComponents } from "./control-plane/control-plane.ts";
import { checkDeployment } from "./deployment-check.ts";
import { type Deployment, type Sections, sections } from "./deployment.ts";
import { resolveManaged } from "./etcd/etcd.ts";
import { reachedEtcd } from "./etcd/offered.ts";
import { imagesOfPlane } from "./members/agent.ts";
import { checkMultiClusterServices } from "./members/multi-cluster-services.ts";
import { resolveMembers } from "./members/resolve.ts";
import { teamMembers } from "./members/teams.ts";
import { inOneForm, keyInOneForm } from "./pki/authorities.ts";
import { endpointOfLoadBalancer } from "./placement/load-balancer.ts";
import { resolvePlacement } from "./placement/placement.ts";
import { checkPoliciesOfAddons } from "./policies/policies-of-addons.ts";
import { policyObjects } from "./policies/policies.ts";
import { frozen, readStack } from "./read-stack.ts";
import { resolveSnapshots } from "./snapshots/snapshots.ts";

/**
 * Fills in every default of a stack's configuration and checks all of it.
 *
 * @throws SpecError with every problem at once
 */
export function resolve(config: unknown, context: Context): Deployment {
  const stack = readStack(sections, config, context);
  const addons = addonsOf(stack.valid, context);
  const typed = stack.withoutProblems([
    ...checkDeployment(stack.valid, context),
    ...addons.problems,
    ...checkPoliciesOfAddons(addons.addons, stack.valid.policies ?? []),
    ...checkMultiClusterServices(addons.addons, stack.valid),
  ]);
  return frozen(filled(typed, addons.addons, context));
}

function addonsOf({ addons = [], members = [], placement }: Partial<Sections>, context: Context): ReadAddons {
  const names = members.map(({ name }) => name);
  const own = placement?.kind === "kubernetes" ? placement.namespace : undefined;
  return readAddons(addons, names, context, own);
}

function filled(
  { memberGroups: _, policyTemplatesFrom: _from, ...sections }: Sections,
  addons: readonly Addon[],
  context: Context,
): Deployment {
  return {
    ...sections,
    addons,
    name: sections.name ?? context.stack,
    placement: resolvePlacement(sections.placement, context),
    controlPlane: resolveComponents(sections.controlPlane, sections.placement, sections.versions, context.files),
    pki: resolvePki(sections),
    members: resolveMembers(
      sections.members,
      { networks: sections.controlPlane.networks, images: imagesOfPlane(sections.placement) },
      context,
    ),
    teamMembers: teamMembers(context.served ?? []),
    ...policyObjects(sections.policies, context),
    etcd: resolveEtcd(sections, context),
    snapshots: resolveSnapshots(sections.snapshots, context),
  } as Deployment;
}

function resolveEtcd({ etcd, placement }: Pick<Sections, "etcd" | "placement">, context: Context) {
  return etcd.kind === "external" ? reachedEtcd(etcd, placement, context) : resolveManaged(etcd, context);
}

/** The load balancer's name is one of the API servers', and keys of authorities stay out of a host cluster. */
function resolvePki({ pki, placement }: Pick<Sections, "pki" | "placement">): Deployment["pki"] {
  const endpoint = endpointOf(placement);
  const names = endpoint === undefined ? [] : [new URL(endpoint).hostname];
  return {
    signRequests: placement.kind !== "kubernetes",
    ...pki,
    authorities: inOneForm(pki.authorities),
    ...(pki.serviceAccountKey && { serviceAccountKey: keyInOneForm(pki.serviceAccountKey) }),
    extraNames: [...new Set([...pki.extraNames, ...names])],
  } as Deployment["pki"];
}

function endpointOf(placement: Sections["placement"]): string | undefined {
  switch (placement.kind) {
    case "local":
      return undefined;
    case "hosts":
      return endpointOfLoadBalancer(placement.loadBalancer);
    case "kubernetes":
      return placement.exposure.endpoint;
  }
}
