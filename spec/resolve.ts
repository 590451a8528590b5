import { readAddons } from "./addon-objects.ts";
import { checkAddons } from "./addons-check.ts";
import type { Addon } from "./addons.ts";
import { resolveAgent } from "./agent.ts";
import { checkAgents } from "./agent-check.ts";
import { checkSkew } from "./component-versions.ts";
import type { Context } from "./context.ts";
import { checkComponents, checkReplicas, resolveComponents } from "./control-plane.ts";
import { type Deployment, type Sections, sections } from "./deployment.ts";
import { checkEndpoints, checkEtcd } from "./etcd.ts";
import type { TypedHosts } from "./hosts.ts";
import { checkHooks } from "./hooks.ts";
import { checkEtcdHosts, checkHosts } from "./hosts-check.ts";
import { checkEtcdInPods, checkKubernetes } from "./kubernetes-check.ts";
import type { TypedKubernetes } from "./kubernetes.ts";
import { checkLoadBalancer, endpointOfLoadBalancer } from "./load-balancer.ts";
import { allMembers, checkDirectories } from "./member-groups.ts";
import { checkCredentials, checkNames, readCredentials } from "./members.ts";
import { checkMonitoring } from "./monitoring.ts";
import { name } from "./name.ts";
import { checkPki } from "./pki.ts";
import { directoryOf, resolvePlacement } from "./placement.ts";
import { type Problem, SpecError } from "./problems.ts";
import { checkPolicies } from "./policies-check.ts";
import { policyObjects } from "./policies.ts";
import { allPolicies } from "./policy-templates.ts";
import { checkRemote } from "./remote-check.ts";
import { checkRestore } from "./restore.ts";
import { parseSections } from "./sections.ts";
import { checkApart, checkSnapshots, resolveSnapshots } from "./snapshots.ts";
import { checkModes, chosenMode } from "./sync-mode.ts";
import { checkVersions } from "./versions.ts";
import { parse } from "./wording.ts";

/**
 * Fills in every default of a stack's configuration and checks all of it.
 *
 * @throws SpecError with every problem at once
 */
export function resolve(config: unknown, context: Context): Deployment {
  const typed = (config ?? {}) as Readonly<Record<string, unknown>>;
  const groups = parse(sections.memberGroups, typed.memberGroups, ["memberGroups"]);
  const all = allMembers(groups.problems.length === 0 ? typed : { members: typed.members }, context.directories);
  const made = allPolicies(typed, context.templates);
  const { parsed, problems } = parseSections(sections, {
    ...typed,
    members: all.members,
    policies: made.policies,
  });
  problems.push(...made.problems);
  // Without those that could not be made the others have other places in the list.
  if (made.problems.length > 0) delete parsed.policies;
  problems.push(...checkNames(all.members, all.place), ...checkAcross(parsed, context));
  problems.push(...checkDirectories(groups.value ?? [], context.directories));
  const names = (parsed.members ?? []).map((member) => member.name);
  const own = parsed.placement?.kind === "kubernetes" ? parsed.placement.namespace : undefined;
  const read = readAddons(parsed.addons ?? [], names, context, own);
  problems.push(...read.problems);
  if (problems.length > 0)
    throw new SpecError(context.stack, inOrder(problems.map((each) => all.place(made.place(each)))));
  return frozen(filled(parsed as Sections, read.addons, context));
}

/** Rules between fields, each as soon as the sections it reads are right by themselves. */
function checkAcross(parsed: Partial<Sections>, context: Context): Problem[] {
  const { versions, placement, pki, etcd, controlPlane, members, addons, policies, snapshots, monitoring } = parsed;
  return [
    ...("name" in parsed && parsed.name === undefined ? checkDefaultName(context.stack) : []),
    ...(versions ? checkVersions(versions) : []),
    ...(pki ? checkPki(pki) : []),
    ...(etcd && versions ? checkEtcd(etcd, versions) : []),
    ...(placement?.kind === "hosts" ? checkOnHosts(placement, parsed) : []),
    ...(placement?.kind === "kubernetes" ? checkInPods(placement, parsed, context) : []),
    ...(etcd && placement?.kind === "local" ? checkEndpoints(etcd, placement) : []),
    ...(controlPlane && versions ? checkSkew(controlPlane, versions) : []),
    ...(controlPlane && versions ? checkComponents(controlPlane, versions) : []),
    ...(controlPlane && placement ? checkReplicas(controlPlane, placement) : []),
    ...(members ? checkCredentials(members, context) : []),
    ...(members && controlPlane ? checkModes(members, controlPlane) : []),
    ...(members ? checkAgents(members, parsed) : []),
    ...(addons ? checkAddons(addons, parsed) : []),
    ...(members && policies
      ? checkPolicies(
          policies,
          members.map(({ name: member }) => member),
          context,
        )
      : []),
    ...(snapshots ? checkSnapshots(snapshots) : []),
    ...(etcd?.kind === "managed" && snapshots ? checkRestore(etcd.restore, etcd.members, snapshots.targets) : []),
    ...(monitoring && placement ? checkMonitoring(monitoring, placement) : []),
    ...(snapshots && placement ? checkApart(snapshots, directoryOf(placement, context)) : []),
  ];
}

function checkOnHosts(placement: TypedHosts, sections: Partial<Sections>): Problem[] {
  const { etcd } = sections;
  return [
    ...checkHosts(placement),
    ...checkHooks(placement),
    ...checkLoadBalancer(placement.loadBalancer, placement.hosts),
    ...(etcd ? checkEtcdHosts(placement, etcd) : []),
    ...checkRemote(placement.kind, sections),
  ];
}

function checkInPods(placement: TypedKubernetes, sections: Partial<Sections>, context: Context): Problem[] {
  const { etcd } = sections;
  return [
    ...checkKubernetes(placement, context),
    ...(etcd ? checkEtcdInPods(etcd) : []),
    ...checkRemote(placement.kind, sections),
  ];
}

function checkDefaultName(stack: string): Problem[] {
  const [problem] = parse(name, stack, ["name"]).problems;
  if (!problem) return [];
  return [{ ...problem, message: `missing, and the name of the stack does not serve: ${problem.message}` }];
}

/** By section, in the order of the schema. */
function inOrder(problems: readonly Problem[]): Problem[] {
  const order = Object.keys(sections);
  return problems.toSorted((a, b) => order.indexOf(String(a.path[0])) - order.indexOf(String(b.path[0])));
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
    controlPlane: resolveComponents(sections.controlPlane, sections.placement, sections.versions),
    pki: resolvePki(sections),
    members: sections.members.map((member) => ({
      ...member,
      ...chosenMode(member, sections.controlPlane.networks),
      agent: resolveAgent(member.agent, sections.placement),
      credentials: readCredentials(member.credentials, context),
    })),
    ...policyObjects(sections.policies, context),
    snapshots: resolveSnapshots(sections.snapshots, context),
  } as Deployment;
}

/** The load balancer's name is one of the API servers', and keys of authorities stay out of a host cluster. */
function resolvePki({ pki, placement }: Pick<Sections, "pki" | "placement">): Deployment["pki"] {
  const endpoint = endpointOf(placement);
  const names = endpoint === undefined ? [] : [new URL(endpoint).hostname];
  return {
    signRequests: placement.kind !== "kubernetes",
    ...pki,
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

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}
