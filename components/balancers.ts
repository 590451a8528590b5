import type { Deployment } from "../spec/deployment.ts";
import type { Process } from "./process.ts";
import { haproxyProcess } from "./processes/haproxy.ts";

/** What leads to the API servers, one on each host of a load balancer that is ours. */
export function planBalancers({ placement }: Deployment<unknown>, apiservers: readonly Process[]): readonly Process[] {
  if (placement.kind !== "hosts" || placement.loadBalancer.kind !== "haproxy") return [];
  const { hosts, port } = placement.loadBalancer;
  const names = apiservers.map(({ name }) => name);
  return hosts.map((host) => haproxyProcess({ host, port, apiservers: names }));
}
