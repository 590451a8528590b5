import { type ComponentName, componentNames } from "../spec/control-plane/component-names.ts";
import type { Deployment } from "../spec/deployment.ts";
import { HostsLayout } from "./placement/hosts-layout.ts";
import type { Process } from "./process.ts";
import type { ControlPlaneProcesses } from "./processes/control-plane.ts";
import { type BehindApiserver, haproxyProcess } from "./processes/haproxy.ts";

/**
 * The haproxies in front of the API servers, one on each host of our own load balancer, which also lead the API server
 * beside them to the servers behind it.
 */
export function planBalancers(
  deployment: Deployment<unknown>,
  controlPlane: ControlPlaneProcesses,
): readonly Process[] {
  const { placement } = deployment;
  if (placement.kind !== "hosts" || placement.loadBalancer.kind !== "haproxy") return [];
  const { hosts, port } = placement.loadBalancer;
  const layout = new HostsLayout({ ...deployment, placement });
  const apiservers = controlPlane["kube-apiserver"].map(({ name }) => name);
  return hosts.map((host) => {
    const behind = componentNames.flatMap((component) =>
      behindApiserver(component, controlPlane[component], layout, host),
    );
    return haproxyProcess({ host, port, apiservers, behind });
  });
}

/**
 * The replicas of a component as servers behind the API servers, in one host's order of preference: its own first, then
 * those after it; none if the API servers do not call it over HTTP.
 */
function behindApiserver(
  component: ComponentName,
  replicas: readonly Process[],
  layout: HostsLayout,
  host: string,
): BehindApiserver[] {
  const [first] = replicas;
  if (first?.callers?.["secure"]?.includes("kube-apiserver") !== true || first.probe.kind !== "http") return [];
  const names = replicas.map(({ name }) => name);
  const own = Math.max(
    0,
    names.findIndex((name) => layout.hostOf(name).name === host),
  );
  return [
    {
      component,
      replicas: [...names.slice(own), ...names.slice(0, own)],
      readyPath: first.servingPath ?? first.probe.path,
    },
  ];
}
