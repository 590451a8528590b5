import type { KubeClient, KubeObject } from "../kube/client.ts";
import { error, type Finding, type HostClusterNeeds, type IngressNeeds, warning } from "./needs.ts";

/**
 * Finds that there is no class for the Ingresses, or that its controller would terminate TLS itself: client
 * certificates would not get through.
 */
export async function judgeIngressClass(
  client: KubeClient,
  { ingress }: Pick<HostClusterNeeds, "ingress">,
): Promise<Finding[]> {
  if (ingress === undefined) return [];
  const { items } = await client.get<{ items: KubeObject[] }>("/apis/networking.k8s.io/v1/ingressclasses");
  const { ingressClass: wanted } = ingress;
  const found = items.find((each) => (wanted === "" ? isDefault(each) : each.metadata?.name === wanted));
  if (found !== undefined) return judgePassthrough(found, ingress);
  const there = items.map(({ metadata }) => metadata?.name).join(", ") || "none";
  const message =
    wanted === ""
      ? `the host cluster has no default ingress class, want one named in placement.exposure (there is ${there})`
      : `the host cluster has no ingress class "${wanted}", there is ${there}`;
  return [error("ingress", message)];
}

function judgePassthrough({ metadata, spec }: KubeObject, { annotations }: IngressNeeds): Finding[] {
  const controller = String(spec?.controller);
  const name = `an Ingress without TLS passthrough: "${metadata?.name}" is of ${controller}`;
  const wanted = passthroughs.find(([prefix]) => controller.startsWith(prefix))?.[1];
  if (wanted === "none")
    return [
      error(
        "ingress",
        `${name}, which passes no TLS of an Ingress through, want another class or another kind of placement.exposure`,
      ),
    ];
  if (wanted === undefined) {
    if (Object.keys(annotations).length > 0) return [];
    return [
      warning(
        "ingress",
        `"${metadata?.name}" is of ${controller}, which has to pass TLS through, and no annotation tells it to`,
      ),
    ];
  }
  const [key, value] = wanted;
  const got = annotations[key];
  if (got === value) return [];
  const found = got === undefined ? "is missing" : `is "${got}"`;
  return [error("ingress", `${name}, and in placement.exposure.annotations ${key} ${found}, want "${value}"`)];
}

/**
 * The annotation that makes a controller pass TLS through, by the prefix of its name in an IngressClass; `none` for
 * those that cannot, or only for kinds of their own.
 */
const passthroughs: readonly (readonly [controller: string, by: readonly [key: string, value: string] | "none"])[] = [
  // Its flag --enable-ssl-passthrough is needed as well: https://kubernetes.github.io/ingress-nginx/user-guide/tls/#ssl-passthrough
  ["k8s.io/ingress-nginx", ["nginx.ingress.kubernetes.io/ssl-passthrough", "true"]],
  // https://haproxy-ingress.github.io/docs/configuration/keys/#ssl-passthrough
  ["haproxy-ingress.github.io/controller", ["haproxy-ingress.github.io/ssl-passthrough", "true"]],
  // https://www.haproxy.com/documentation/kubernetes-ingress/
  ["haproxy.org/ingress-controller", ["haproxy.org/ssl-passthrough", "true"]],
  // https://docs.cilium.io/en/stable/network/servicemesh/ingress/
  ["cilium.io/ingress-controller", ["ingress.cilium.io/tls-passthrough", "enabled"]],
  ["openshift.io/ingress-to-route", ["route.openshift.io/termination", "passthrough"]],
  ["nginx.org/ingress-controller", "none"],
  ["traefik.io/ingress-controller", "none"],
  ["projectcontour.io/", "none"],
  ["ingress-controllers.konghq.com/", "none"],
  ["ingress.k8s.aws/alb", "none"],
  ["k8s.io/ingress-gce", "none"],
];

const isDefault = ({ metadata }: KubeObject): boolean =>
  metadata?.annotations?.["ingressclass.kubernetes.io/is-default-class"] === "true";
