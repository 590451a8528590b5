import type { Context } from "../context.ts";
import type { Sections } from "../deployment.ts";
import { checkEndpoints } from "../etcd/etcd.ts";
import { checkHooks, checkHooksOnHosts } from "../hooks.ts";
import { checkMemberServices } from "../members/services.ts";
import { teamMembers } from "../members/teams.ts";
import type { Problem } from "../problems.ts";
import { checkEtcdHosts, checkHosts } from "./hosts-check.ts";
import type { TypedHosts } from "./hosts.ts";
import { checkEtcdInPods, checkKubernetes } from "./kubernetes-check.ts";
import type { TypedKubernetes } from "./kubernetes.ts";
import { checkLoadBalancer } from "./load-balancer.ts";
import { checkLocalPorts, checkPortsOfHosts } from "./port-room.ts";
import { checkRemote } from "./remote-check.ts";
import { checkWrittenOnHosts } from "./written-on-hosts.ts";

/** Finds what a deployment cannot have where it is to run, in the sections that are valid by themselves. */
export function checkPlacement(
  placement: Sections["placement"],
  parsed: Partial<Sections>,
  context: Context,
): Problem[] {
  return [...checkHooks(placement.hooks), ...checkByKind(placement, parsed, context)];
}

function checkByKind(placement: Sections["placement"], parsed: Partial<Sections>, context: Context): Problem[] {
  switch (placement.kind) {
    case "local":
      return checkLocally(placement, parsed, context);
    case "hosts":
      return checkOnHosts(placement, parsed, context);
    case "kubernetes":
      return checkInPods(placement, parsed, context);
  }
}

function checkLocally(
  placement: { readonly basePort: number },
  { etcd, members, controlPlane }: Partial<Sections>,
  context: Context,
): Problem[] {
  return [
    ...(etcd ? checkEndpoints(etcd, placement) : []),
    ...(members && controlPlane
      ? checkLocalPorts({ members, controlPlane, etcd }, teamMembers(context.served ?? []))
      : []),
  ];
}

function checkOnHosts(placement: TypedHosts, parsed: Partial<Sections>, context: Context): Problem[] {
  const { etcd, members, controlPlane, snapshots } = parsed;
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
    ...checkRemote(placement.kind, parsed),
  ];
}

function checkInPods(placement: TypedKubernetes, parsed: Partial<Sections>, context: Context): Problem[] {
  const { etcd } = parsed;
  return [
    ...checkKubernetes(placement, context),
    ...(etcd ? checkEtcdInPods(placement, etcd) : []),
    ...checkRemote(placement.kind, parsed),
  ];
}
