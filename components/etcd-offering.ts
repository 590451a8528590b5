import type { Deployment } from "../spec/deployment.ts";
import { clientUrls, etcdReach, memberAddresses } from "./etcd-reach.ts";
import type { EtcdAccessArgs, RestoreAccessArgs } from "./etcd-access.ts";
import { type EtcdPlan, isManaged, overridesOf } from "./etcd-plan.ts";
import type { Ground } from "./placed.ts";

/** What a deployment gives out for stacks that take snapshots of it or restore it. */
export function etcdAccess(
  { name, versions, placement }: Pick<Deployment<unknown>, "name" | "versions" | "placement">,
  plan: EtcdPlan,
  ground: Ground,
): EtcdAccessArgs {
  return {
    deployment: name,
    ...etcdReach(plan, ground),
    parts: overridesOf(plan).map((part) => ({ name: part.name, endpoints: clientUrls(part, ground) })),
    prefix: plan.connection.prefix,
    karmadaVersion: versions.karmada,
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
