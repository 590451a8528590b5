import * as k8s from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { LoadBalancerAddress, type LoadBalancerAddressArgs } from "../../providers/load-balancer-address.ts";
import type { KubernetesPlacement } from "../../spec/deployment.ts";
import { apiserverName } from "../processes/control-plane.ts";
import { type Home, metadataOf, selectorOf, unawaited } from "./kubernetes-objects.ts";
import { componentLabel } from "./kubernetes-pod.ts";
import { type Led, memberHost } from "./kubernetes-reach.ts";

type Exposure = KubernetesPlacement<unknown>["exposure"];
type ByIngress = Extract<Exposure, { kind: "ingress" }>;
type Process = { readonly name: string; readonly component: string };
type Spec = k8s.types.input.core.v1.ServiceSpec;
type LoadBalancer = Pick<Extract<Exposure, { kind: "loadBalancer" }>, "annotations" | "sourceRanges"> & {
  readonly loadBalancerClass?: string;
};

/** The ways from outside to what is exposed. */
export interface Outside {
  readonly resources: readonly pulumi.Resource[];
  /** Load balancers, which may be assigned an address. */
  readonly loadBalancers: { readonly apiServer?: LoadBalancerAddress; readonly etcd?: LoadBalancerAddress };
}

/** What is reached from outside: the API servers, if there are any, and members of etcd, if they are ours. */
export interface Reached {
  readonly apiServer: boolean;
  readonly etcd: readonly string[];
}

/**
 * The ways from outside to what is reached; nothing for node ports, which the programs' own Services have. Each kind has
 * its own names, so that this program can use the old ones until the new ones work.
 */
export function outsideOf(
  home: Home,
  { exposure, kubeconfig }: { readonly exposure: Exposure; readonly kubeconfig: pulumi.Output<string> },
  { apiServer: hasApi, etcd }: Reached,
  opts: pulumi.CustomResourceOptions,
): Outside {
  const led = etcd.length === 0 ? [] : home.names.allLed(etcd);
  switch (exposure.kind) {
    case "nodePort":
      return { resources: [], loadBalancers: {} };
    case "loadBalancer": {
      const { loadBalancerClass } = exposure;
      const balancer = (to: Process, spec: Spec, settings: LoadBalancer) => {
        const ofClass = loadBalancerClass === undefined ? {} : { loadBalancerClass };
        const service = loadBalancer(home, to, spec, { ...settings, ...ofClass }, opts);
        return addressOf(
          home,
          to,
          { kubeconfig, annotations: settings.annotations },
          { ...opts, dependsOn: [service] },
        );
      };
      const secure = [{ name: "secure", port: exposure.port, targetPort: home.names.port(apiserverName, "secure") }];
      const loadBalancers = {
        ...(hasApi && { apiServer: balancer(apiServer, { selector: selectorOf(apiServer), ports: secure }, exposure) }),
        ...(etcd.length > 0 && { etcd: balancer(members, toMembers(exposure.etcd.port, led), exposure.etcd) }),
      };
      return { resources: Object.values(loadBalancers), loadBalancers };
    }
    case "ingress":
      return { resources: ingresses(home, exposure, { hasApi, led }, opts), loadBalancers: {} };
    case "clusterIP":
      return { resources: etcd.length > 0 ? [inside(home, led, opts)] : [], loadBalancers: {} };
  }
}

function ingresses(
  home: Home,
  exposure: ByIngress,
  { hasApi, led }: { readonly hasApi: boolean; readonly led: readonly Led[] },
  opts: pulumi.CustomResourceOptions,
) {
  const rules = [rule(exposure.host, apiserverName, home.names.port(apiserverName, "secure"))];
  const api = hasApi ? [ingress(home, apiServer, rules, exposure, opts)] : [];
  if (led.length === 0) return api;
  const toEach = led.map(({ name, offset }) =>
    rule(memberHost(exposure, name), allMembers, firstClientPort(home) + offset),
  );
  return [...api, inside(home, led, opts), ingress(home, members, toEach, exposure, opts)];
}

const apiServer = { name: apiserverName, component: "kube-apiserver" };
const members = { name: "etcd", component: "etcd" };

/** Name of the Service with a port for every member. */
const allMembers = "etcd-outside";

const firstClientPort = ({ names }: Home): number => names.port("etcd-0", "client");

/** None is ready before a majority has found each other, which takes this program. */
const toMembers = (firstPort: number, led: readonly Led[]): Spec => ({
  selector: { [componentLabel]: members.component },
  publishNotReadyAddresses: true,
  ports: led.map(({ port, offset }) => ({ name: port, port: firstPort + offset, targetPort: port })),
});

function inside(home: Home, led: readonly Led[], opts: pulumi.CustomResourceOptions) {
  const metadata = unawaited(metadataOf(home, members, allMembers));
  const spec = { type: "ClusterIP", ...toMembers(firstClientPort(home), led) };
  return new k8s.core.v1.Service(`${home.name}-${allMembers}`, { metadata, spec }, opts);
}

const balancerName = ({ name }: Process): string => `${name}-load-balancer`;

/** A cloud takes minutes for one. */
const balancerSeconds = 600;

function addressOf(
  { name, namespace }: Home,
  to: Process,
  declared: Pick<LoadBalancerAddressArgs, "kubeconfig" | "annotations">,
  { provider: _, ...opts }: pulumi.CustomResourceOptions,
): LoadBalancerAddress {
  const service = balancerName(to);
  const args = { ...declared, namespace, service, timeoutSeconds: balancerSeconds };
  return new LoadBalancerAddress(`${name}-${service}-address`, args, opts);
}

function loadBalancer(
  home: Home,
  to: Process,
  spec: Spec,
  { annotations, sourceRanges, loadBalancerClass }: LoadBalancer,
  opts: pulumi.CustomResourceOptions,
) {
  const name = balancerName(to);
  return new k8s.core.v1.Service(
    `${home.name}-${name}`,
    {
      metadata: unawaited(metadataOf(home, to, name), annotations),
      spec: {
        ...spec,
        type: "LoadBalancer",
        ...(loadBalancerClass !== undefined && { loadBalancerClass }),
        ...(sourceRanges.length > 0 && { loadBalancerSourceRanges: [...sourceRanges] }),
      },
    },
    opts,
  );
}

function ingress(
  home: Home,
  to: Process,
  rules: k8s.types.input.networking.v1.IngressRule[],
  { ingressClass, annotations }: ByIngress,
  opts: pulumi.CustomResourceOptions,
) {
  return new k8s.networking.v1.Ingress(
    `${home.name}-${to.name}`,
    {
      metadata: unawaited(metadataOf(home, to, to.name), annotations),
      spec: {
        ...(ingressClass !== undefined && { ingressClassName: ingressClass }),
        // Without a Secret: the backend shows its own certificate.
        tls: [{ hosts: rules.map(({ host }) => host as string) }],
        rules,
      },
    },
    opts,
  );
}

const rule = (host: string, name: string, number: number) => ({
  host,
  http: { paths: [{ path: "/", pathType: "Prefix", backend: { service: { name, port: { number } } } }] },
});
