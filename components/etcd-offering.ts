import type { Deployment } from "../spec/deployment.ts";
import type { OfferedEtcd } from "../spec/etcd/offered.ts";
import type { Versions } from "../spec/versions.ts";
import type { Output } from "@pulumi/pulumi";
import { clientUrls, etcdReach, innerUrls, memberAddresses, reach } from "./etcd-reach.ts";
import { client } from "./processes/certificates.ts";
import type { EtcdAccessArgs, RestoreAccessArgs } from "./etcd-access.ts";
import { type EtcdPlan, isManaged, overridesOf } from "./etcd-plan.ts";
import type { Ground } from "./placed.ts";

/** Those that a snapshot tells; an etcd by itself has no version of Karmada. */
type EtcdVersions = Pick<Versions, "etcd"> & Partial<Pick<Versions, "karmada">>;

/** What a deployment gives out for stacks that take snapshots of it or restore it. */
export function etcdAccess(
  { name, versions, placement }: Pick<Deployment<unknown>, "name" | "placement"> & { readonly versions: EtcdVersions },
  plan: EtcdPlan,
  ground: Ground,
): EtcdAccessArgs {
  return {
    deployment: name,
    ...etcdReach(plan, ground),
    parts: overridesOf(plan).map((part) => ({ name: part.name, endpoints: clientUrls(part, ground) })),
    prefix: plan.connection.prefix,
    karmadaVersion: versions.karmada ?? "",
    etcdVersion: versions.etcd,
    dataDirectories: isManaged(plan) && "directory" in placement ? [placement.directory] : [],
  };
}

/** What a restore needs in addition. */
export function restoreAccess(
  plan: EtcdPlan,
  ground: Ground,
  programs: string[],
): { readonly managed?: RestoreAccessArgs } {
  if (!isManaged(plan)) return {};
  const parts = overridesOf(plan).map((part) => [part.name, memberAddresses(part, ground)] as const);
  return {
    managed: {
      runtime: ground.placement.etcdRuntime(),
      members: memberAddresses(plan, ground),
      parts: Object.fromEntries(parts),
      programs,
    },
  };
}

/** Who the control planes of other stacks are, for an etcd by itself. */
export const planeClient = client("karmada-etcd-client", "system:karmada:etcd-client", "etcd");

/** What an etcd by itself gives out for control planes that keep their data there. @param clusterId once it serves */
export function etcdClient(plan: EtcdPlan, ground: Ground, clusterId: Output<string>): OfferedEtcd<Output<string>> {
  const { endpoints: outside, ...credentials } = reach(plan, ground, planeClient.name);
  const endpoints = innerUrls(plan, ground);
  return { endpoints, ...(endpoints.join() !== outside.join() && { outside }), ...credentials, clusterId };
}
