import type * as pulumi from "@pulumi/pulumi";
import { isManaged } from "./etcd-plan.ts";
import type { Etcd, EtcdArgs } from "./etcd.ts";
import { ExternalEtcd } from "./external-etcd.ts";
import { ManagedEtcd } from "./managed-etcd.ts";

/** Makes the planned cluster, or looks at the existing one. */
export function createEtcd(
  name: string,
  { plan, ground, restoring, before = { hooks: [], snapshot: () => undefined } }: EtcdArgs,
  opts: pulumi.ComponentResourceOptions,
): Etcd {
  if (!isManaged(plan)) return new ExternalEtcd(name, { plan, ground, programs: restoring.programs, before }, opts);
  const taken = before.snapshot([]);
  const first = [...(taken ? [taken] : []), ...before.hooks];
  return new ManagedEtcd(name, { plan, ground, restoring, first }, opts);
}
