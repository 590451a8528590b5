import * as pulumi from "@pulumi/pulumi";
import type { LoadBalancerAddress } from "../../providers/load-balancer-address.ts";
import type { KubernetesPlacement } from "../../spec/deployment.ts";
import type { Outside } from "./kubernetes-outside.ts";

type ByLoadBalancer = Extract<KubernetesPlacement<unknown>["exposure"], { kind: "loadBalancer" }>;

/** An exposure with the addresses assigned to load balancers in place of undeclared ones. */
export async function withAssigned(
  exposure: ByLoadBalancer,
  { apiServer, etcd }: Outside["loadBalancers"],
): Promise<ByLoadBalancer> {
  const [address, ofEtcd] = await Promise.all([
    exposure.address ?? assigned(apiServer),
    exposure.etcd.address ?? assigned(etcd),
  ]);
  return {
    ...exposure,
    ...(address !== undefined && { address }),
    etcd: { ...exposure.etcd, ...(ofEtcd !== undefined && { address: ofEtcd }) },
  };
}

/** Undefined when there is none, and in a preview that cannot know it yet. @throws pulumi.RunError when it was assigned none */
async function assigned(balancer: LoadBalancerAddress | undefined): Promise<string | undefined> {
  if (balancer === undefined) return undefined;
  const address = await new Promise<string | undefined>((resolve) => {
    balancer.address.apply(resolve);
    // An output still unknown after registration stays unknown in this run.
    balancer.urn.apply(() => setTimeout(() => resolve(undefined), 200));
  });
  if (address === undefined && !pulumi.runtime.isDryRun())
    throw new pulumi.RunError(
      "a load balancer has no address, and without it there is nothing to put into certificates",
    );
  return address;
}
