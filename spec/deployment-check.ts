import { checkAddons } from "./addons/check.ts";
import type { Context } from "./context.ts";
import { checkComponentFiles } from "./control-plane/component-files.ts";
import { checkSkew } from "./control-plane/component-versions.ts";
import { checkComponents, checkReplicas } from "./control-plane/control-plane.ts";
import { checkEncryption } from "./control-plane/encryption.ts";
import { checkFailover } from "./control-plane/failover.ts";
import type { Sections } from "./deployment.ts";
import { checkEtcd, checkEtcdAccess } from "./etcd/etcd.ts";
import { checkEtcdOfStack } from "./etcd/offered.ts";
import { checkHandOver } from "./hand-over.ts";
import { checkKeptProgram, checkOwnName } from "./kept-name.ts";
import { checkAgents, planeOfAgents } from "./members/agent-check.ts";
import { checkEstimatorNames } from "./members/estimator-names.ts";
import { checkCredentials, checkPreserved, checkProxyHeaders } from "./members/members.ts";
import { checkModes } from "./members/sync-mode.ts";
import { checkMonitoring } from "./monitoring.ts";
import { checkAuthorities } from "./pki/authorities-check.ts";
import { checkAuthorityKeys } from "./pki/authority-keys.ts";
import { checkPki } from "./pki/pki.ts";
import { checkPinned } from "./placement/pinned-images.ts";
import { checkPlacement } from "./placement/placement-check.ts";
import { directoryOf } from "./placement/placement.ts";
import { checkPolicies } from "./policies/policies-check.ts";
import type { Problem } from "./problems.ts";
import { checkRestore } from "./snapshots/restore.ts";
import { checkApart, checkSnapshots } from "./snapshots/snapshots.ts";
import { refuseVolumes } from "./snapshots/volume.ts";
import { checkVersions } from "./versions.ts";

/** The sections of a stack file that are valid by themselves. */
type Valid = Partial<Sections>;

/** Finds what is wrong between fields, each rule checked once the sections it reads are valid by themselves. */
export function checkDeployment(parsed: Valid, context: Context): Problem[] {
  const { versions, placement, addons } = parsed;
  return [
    ...checkKeptProgram("karmada", context),
    ...("name" in parsed ? checkOwnName(parsed.name, context) : []),
    ...(versions ? checkVersions(versions) : []),
    ...checkOwnPki(parsed, context),
    ...checkOwnEtcd(parsed, context),
    ...(placement ? checkPlacement(placement, parsed, context) : []),
    ...checkControlPlane(parsed, context),
    ...checkMembers(parsed, context),
    ...checkImages(parsed),
    ...(addons ? checkAddons(addons, parsed) : []),
    ...checkOwnPolicies(parsed, context),
    ...checkOwnSnapshots(parsed, context),
    ...checkOwnMonitoring(parsed),
  ];
}

function checkOwnPki({ pki, etcd }: Valid, context: Context): Problem[] {
  if (pki === undefined) return [];
  return [
    ...checkPki(pki),
    ...checkAuthorities(pki, context.now ?? new Date()),
    ...checkAuthorityKeys(pki, etcd?.kind),
  ];
}

function checkOwnEtcd({ etcd, versions, placement }: Valid, context: Context): Problem[] {
  if (etcd === undefined) return [];
  return [
    ...(versions ? checkEtcd(etcd, versions) : []),
    ...checkEtcdAccess(etcd, context.now ?? new Date()),
    ...checkEtcdOfStack(etcd, placement, context),
  ];
}

function checkControlPlane({ controlPlane, versions, placement }: Valid, context: Context): Problem[] {
  if (controlPlane === undefined) return [];
  return [
    ...checkFailover(controlPlane),
    ...checkEncryption(controlPlane, placement?.kind),
    ...checkComponentFiles(controlPlane, context),
    ...(versions ? [...checkSkew(controlPlane, versions), ...checkComponents(controlPlane, versions)] : []),
    ...(placement ? checkReplicas(controlPlane, placement) : []),
  ];
}

function checkMembers({ members, controlPlane, placement, pki }: Valid, context: Context): Problem[] {
  if (members === undefined) return [];
  return [
    ...checkCredentials(members, context),
    ...checkPreserved(members),
    ...checkProxyHeaders(members),
    ...(controlPlane ? checkModes(members, controlPlane.networks, networksMissing) : []),
    ...(controlPlane?.["karmada-scheduler-estimator"].enabled
      ? checkEstimatorNames(members, "controlPlane.karmada-scheduler-estimator")
      : []),
    ...(controlPlane ? checkHandOver(members, controlPlane.networks) : []),
    ...checkAgents(members, placement && pki && planeOfAgents({ placement, pki })),
  ];
}

const networksMissing = (wanted: string): Problem => ({
  path: ["controlPlane", "networks"],
  message: `missing, ${wanted}`,
});

/** Images that are pinned, for pods of the control plane and for agents in members. */
function checkImages({ versions, controlPlane, placement, members = [] }: Valid): Problem[] {
  if (versions === undefined || controlPlane === undefined) return [];
  const declared = { versions, controlPlane };
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

function checkOwnPolicies({ policies, members }: Valid, context: Context): Problem[] {
  if (policies === undefined || members === undefined) return [];
  const names = members.map(({ name }) => name);
  return checkPolicies(policies, names, context);
}

function checkOwnSnapshots({ snapshots, etcd, placement }: Valid, context: Context): Problem[] {
  if (snapshots === undefined) return [];
  return [
    ...checkSnapshots(snapshots),
    ...(etcd?.kind === "managed" ? checkRestore(etcd.restore, etcd.members, snapshots.targets) : []),
    ...(placement?.kind === "local" ? refuseVolumes(snapshots.targets) : []),
    ...(placement ? checkApart(snapshots, directoryOf(placement, context)) : []),
  ];
}

const checkOwnMonitoring = ({ monitoring, placement }: Valid): Problem[] =>
  monitoring && placement ? checkMonitoring(monitoring, placement) : [];
