import { readAddons } from "./addon-objects.ts";
import { checkAddons } from "./addons-check.ts";
import type { Addon } from "./addons.ts";
import { imagesOfPlane } from "./agent.ts";
import { checkAgents, planeOfAgents } from "./agent-check.ts";
import { inOneForm, keyInOneForm } from "./authorities.ts";
import { checkAuthorityKeys } from "./authority-keys.ts";
import { checkAuthorities } from "./authorities-check.ts";
import { checkSkew } from "./component-versions.ts";
import type { Context } from "./context.ts";
import { checkComponents, checkReplicas, resolveComponents } from "./control-plane.ts";
import { type Deployment, type Sections, sections } from "./deployment.ts";
import { checkEndpoints, checkEtcd, checkEtcdAccess, resolveManaged } from "./etcd.ts";
import { checkComponentFiles } from "./component-files.ts";
import { checkEncryption } from "./encryption.ts";
import { checkEstimatorNames } from "./estimator-names.ts";
import { checkFailover } from "./failover.ts";
import { checkHandOver } from "./hand-over.ts";
import type { TypedHosts } from "./hosts.ts";
import { checkHooks, checkHooksOnHosts } from "./hooks.ts";
import { checkEtcdHosts, checkHosts } from "./hosts-check.ts";
import { checkEtcdInPods, checkKubernetes } from "./kubernetes-check.ts";
import type { TypedKubernetes } from "./kubernetes.ts";
import { checkKeptProgram, checkOwnName } from "./kept-name.ts";
import { checkLoadBalancer, endpointOfLoadBalancer } from "./load-balancer.ts";
import { checkMemberServices } from "./member-services.ts";
import { checkCredentials, checkPreserved, checkProxyHeaders } from "./members.ts";
import { checkMonitoring } from "./monitoring.ts";
import { checkMultiClusterServices } from "./multi-cluster-services.ts";
import { checkEtcdOfStack, reachedEtcd } from "./offered-etcd.ts";
import { checkPinned } from "./pinned-images.ts";
import { checkPki } from "./pki.ts";
import { directoryOf, resolvePlacement } from "./placement.ts";
import { checkLocalPorts, checkPortsOfHosts } from "./port-room.ts";
import type { Problem } from "./problems.ts";
import { checkPoliciesOfAddons } from "./policies-of-addons.ts";
import { checkPolicies } from "./policies-check.ts";
import { policyObjects } from "./policies.ts";
import { frozen, readStack } from "./read-stack.ts";
import { checkRemote } from "./remote-check.ts";
import { resolveMembers } from "./resolve-members.ts";
import { checkRestore } from "./restore.ts";
import { refuseVolumes } from "./snapshot-volume.ts";
import { checkApart, checkSnapshots, resolveSnapshots } from "./snapshots.ts";
import { checkModes } from "./sync-mode.ts";
import { teamMembers } from "./teams.ts";
import { checkVersions } from "./versions.ts";
import { checkWrittenOnHosts } from "./written-on-hosts.ts";

/**
 * Fills in every default of a stack's configuration and checks all of it.
 *
 * @throws SpecError with every problem at once
 */
export function resolve(config: unknown, context: Context): Deployment {
  let addons: readonly Addon[] = [];
  const parsed = readStack(sections, config, context, (parsed) => {
    const names = (parsed.members ?? []).map((member) => member.name);
    const own = parsed.placement?.kind === "kubernetes" ? parsed.placement.namespace : undefined;
    const read = readAddons(parsed.addons ?? [], names, context, own);
    addons = read.addons;
    return [
      ...checkAcross(parsed, context),
      ...read.problems,
      ...checkPoliciesOfAddons(addons, parsed.policies ?? []),
      ...checkMultiClusterServices(addons, parsed),
    ];
  });
  return frozen(filled(parsed, addons, context));
}

/** Rules between fields, each checked once the sections it reads are valid by themselves. */
function checkAcross(parsed: Partial<Sections>, context: Context): Problem[] {
  const { versions, placement, pki, etcd, controlPlane, members, addons, policies, snapshots, monitoring } = parsed;
  return [
    ...checkKeptProgram("karmada", context),
    ...("name" in parsed ? checkOwnName(parsed.name, context) : []),
    ...(versions ? checkVersions(versions) : []),
    ...(pki
      ? [...checkPki(pki), ...checkAuthorities(pki, context.now ?? new Date()), ...checkAuthorityKeys(pki, etcd?.kind)]
      : []),
    ...(etcd && versions ? checkEtcd(etcd, versions) : []),
    ...(etcd
      ? [...checkEtcdAccess(etcd, context.now ?? new Date()), ...checkEtcdOfStack(etcd, placement, context)]
      : []),
    ...(placement ? checkHooks(placement.hooks) : []),
    ...(placement?.kind === "hosts" ? checkOnHosts(placement, parsed, context) : []),
    ...(placement?.kind === "kubernetes" ? checkInPods(placement, parsed, context) : []),
    ...(etcd && placement?.kind === "local" ? checkEndpoints(etcd, placement) : []),
    ...(members && controlPlane && placement?.kind === "local"
      ? checkLocalPorts({ members, controlPlane, etcd }, teamMembers(context.served ?? []))
      : []),
    ...(controlPlane
      ? [
          ...checkFailover(controlPlane),
          ...checkEncryption(controlPlane),
          ...checkComponentFiles(controlPlane, context),
        ]
      : []),
    ...(controlPlane && versions ? checkSkew(controlPlane, versions) : []),
    ...(controlPlane && versions ? checkComponents(controlPlane, versions) : []),
    ...(controlPlane && placement ? checkReplicas(controlPlane, placement) : []),
    ...(members
      ? [...checkCredentials(members, context), ...checkPreserved(members), ...checkProxyHeaders(members)]
      : []),
    ...(members && controlPlane ? checkModes(members, controlPlane.networks, networksMissing) : []),
    ...(members && controlPlane?.["karmada-scheduler-estimator"].enabled
      ? checkEstimatorNames(members, "controlPlane.karmada-scheduler-estimator")
      : []),
    ...(members && controlPlane ? checkHandOver(members, controlPlane.networks) : []),
    ...(members ? checkAgents(members, placement && pki && planeOfAgents({ placement, pki })) : []),
    ...(versions && controlPlane ? checkAllPinned(parsed, { versions, controlPlane }) : []),
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
    ...(snapshots && placement?.kind === "local" ? refuseVolumes(snapshots.targets) : []),
    ...(monitoring && placement ? checkMonitoring(monitoring, placement) : []),
    ...(snapshots && placement ? checkApart(snapshots, directoryOf(placement, context)) : []),
  ];
}

function checkOnHosts(placement: TypedHosts, sections: Partial<Sections>, context: Context): Problem[] {
  const { etcd, members, controlPlane, snapshots } = sections;
  const served = teamMembers(context.served ?? []);
  return [
    ...checkHosts(placement, etcd),
    ...checkHooksOnHosts(placement),
    ...checkLoadBalancer(placement.loadBalancer, placement.hosts),
    ...(etcd ? checkEtcdHosts(placement, etcd) : []),
    ...(members && controlPlane
      ? [
          ...checkMemberServices({ members, controlPlane }, served),
          ...checkPortsOfHosts(placement, { members, controlPlane }, served),
        ]
      : []),
    ...(snapshots ? checkWrittenOnHosts(snapshots, context) : []),
    ...checkRemote(placement.kind, sections),
  ];
}

function checkInPods(placement: TypedKubernetes, sections: Partial<Sections>, context: Context): Problem[] {
  const { etcd } = sections;
  return [
    ...checkKubernetes(placement, context),
    ...(etcd ? checkEtcdInPods(placement, etcd) : []),
    ...checkRemote(placement.kind, sections),
  ];
}

function checkAllPinned(
  { placement, members = [] }: Partial<Sections>,
  declared: Pick<Sections, "versions" | "controlPlane">,
): Problem[] {
  const inPods =
    placement?.kind === "kubernetes"
      ? checkPinned(["placement", "images", "pinned"], placement.images.pinned, declared)
      : [];
  const inMembers = members.flatMap(({ agent }, i) =>
    agent?.kind === "inMember"
      ? checkPinned(["members", i, "agent", "images", "pinned"], agent.images.pinned ?? {}, declared)
      : [],
  );
  return [...inPods, ...inMembers];
}

const networksMissing = (wanted: string): Problem => ({
  path: ["controlPlane", "networks"],
  message: `missing, ${wanted}`,
});

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
