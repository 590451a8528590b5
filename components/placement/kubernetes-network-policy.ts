import * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import type { KubernetesPlacement } from "../../spec/deployment.ts";
import { metricsPorts } from "../metrics-port.ts";
import type { Process } from "../process.ts";
import { type Home, metadataOf, selectorOf } from "./kubernetes-objects.ts";
import { componentLabel } from "./kubernetes-pod.ts";

type Settings = KubernetesPlacement<unknown>["networkPolicies"];

/**
 * Admits to the pods of a process only necessary traffic: from anywhere to exposed ports, which require a certificate;
 * to other ports from its client components, and from metrics collectors. The node's own kubelet is always admitted
 * (https://kubernetes.io/docs/concepts/services-networking/network-policies/). Egress stays open: members, and whatever
 * is named in arguments, may be anywhere.
 */
export function policiesOf(home: Home, process: Process, settings: Settings, opts: pulumi.CustomResourceOptions) {
  if (!settings.enabled) return [];
  const ingress = ingressOf(home, process, settings);
  const policy = new k8s.networking.v1.NetworkPolicy(
    `${home.name}-${process.name}`,
    {
      metadata: metadataOf(home, process),
      spec: {
        podSelector: { matchLabels: selectorOf(process) },
        policyTypes: ["Ingress"],
        ...(ingress.length > 0 && { ingress }),
      },
    },
    opts,
  );
  return [policy];
}

function ingressOf(
  { names }: Home,
  { name, ports, callers = {} }: Process,
  { metricsFrom }: Settings,
): k8s.types.input.networking.v1.NetworkPolicyIngressRule[] {
  const isExposed = (port: string) => names.isExposed(name, port);
  const to = (some: readonly string[]) => some.map((port) => ({ protocol: "TCP", port: names.port(name, port) }));
  const exposed = ports.filter(isExposed);
  const called = Object.entries(callers).filter(([port]) => !isExposed(port));
  const scraped = ports.filter((port) => metricsPorts.includes(port) && !isExposed(port));
  const components = (of: readonly string[]) =>
    of.map((component) => ({ podSelector: { matchLabels: { [componentLabel]: component } } }));
  const namespaces = metricsFrom.map((namespace) => ({
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
  }));
  return [
    ...(exposed.length > 0 ? [{ ports: to(exposed) }] : []),
    ...called.map(([port, of]) => ({ from: components(of), ports: to([port]) })),
    ...(namespaces.length > 0 && scraped.length > 0 ? [{ from: namespaces, ports: to(scraped) }] : []),
  ];
}
