import { z } from "zod";
import { text, whole, words } from "../field.ts";
import { address, endpoint as anEndpoint, network, subdomain } from "../values/address.ts";
import { annotationRecord, labelKeyPattern } from "../values/labels.ts";

const domain = subdomain("karmada.example.org");
const port = whole(1, 65535);
/** Port of the first member; those after it leave room for as many members as there may be. */
const firstPort = whole(1, 65529);
const annotations = annotationRecord.default({});

const endpoint = anEndpoint
  .optional()
  .describe("What clients are given: a load balancer or DNS name of yours. Default: where this program goes.");

const loadBalancer = {
  address: address
    .optional()
    .describe(
      "Address or name that leads to it; certificates are valid for it. Default: what it is assigned, which the first `up` waits for.",
    ),
  annotations: annotations.describe("Annotations of its Service, by which a cloud is told what it is to be like."),
  sourceRanges: z
    .array(network)
    .default([])
    .describe("Networks that are let in, where the load balancer keeps to it. Default: any."),
};

export const exposure = z
  .discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("nodePort").describe("By ports that are the same on every node."),
      addresses: z
        .array(address)
        .min(1)
        .describe("Addresses or names of nodes, or of what leads to them. This program goes to the first."),
      apiServer: port.default(32443).describe("Port of the API servers."),
      etcd: firstPort
        .default(32379)
        .describe(
          "Port of etcd-0; etcd-1 has the next one, and so on up to etcd-6. Members of `etcd.overrides` have theirs from 10 after it on, or 20 where it holds leases without events. Only certificates of ours are let in.",
        ),
      endpoint,
    }),
    z.strictObject({
      kind: z
        .literal("loadBalancer")
        .describe(
          "By two load balancers of the host cluster's: one of the API servers, one of etcd with a port for each member.",
        ),
      ...loadBalancer,
      port: port.default(5443).describe("Port of the API servers."),
      loadBalancerClass: text(labelKeyPattern, 'a load balancer class such as "example.org/balancer"')
        .optional()
        .describe(
          "Who is to make them, where there are several. It cannot be changed while they exist. Default: the cloud's own.",
        ),
      etcd: z
        .strictObject({
          ...loadBalancer,
          port: firstPort
            .default(2379)
            .describe(
              "Port of etcd-0; etcd-1 has the next one, and so on; there are five from the start. Members of `etcd.overrides` have theirs from 10 after it on, or 20 where it holds leases without events; there are three from the start.",
            ),
        })
        .describe(
          "The one of etcd, by which this program reaches its members. Only our own certificates are accepted.",
        ),
      endpoint,
    }),
    z.strictObject({
      kind: z
        .literal("ingress")
        .describe(
          "By an Ingress whose controller passes TLS through by the name that is asked for: programs show certificates to each other, not to a controller.",
        ),
      host: domain.describe("Name of the API servers."),
      etcdDomain: domain
        .optional()
        .describe(
          "What is below which the members of etcd have their names: `etcd-0.<domain>` and so on. Default: `host`.",
        ),
      port: port.default(443).describe("Port where the controller takes TLS."),
      ingressClass: words("the name of an ingress class")
        .optional()
        .describe("Default: the default one of the cluster."),
      annotations: annotations.describe(
        'Annotations of the Ingresses; the one that makes the controller pass TLS through, `nginx.ingress.kubernetes.io/ssl-passthrough: "true"` for instance, has to be among them. Known controllers are held to it in the preview.',
      ),
      endpoint,
    }),
    z.strictObject({
      kind: z
        .literal("clusterIP")
        .describe("Not at all: this program comes by a route of its own, or runs in the host cluster."),
      addresses: z
        .array(address)
        .default([])
        .describe(
          "Addresses or names by which that route leads to the Services `karmada-apiserver` and `etcd-outside`; this program goes to the first. Default: the names of Services and members, as pods resolve them.",
        ),
      apiServer: port.default(5443).describe("Port of the API servers there; theirs is 5443."),
      etcd: firstPort
        .default(2379)
        .describe(
          "Port of etcd-0 there; etcd-1 has the next one, and so on up to etcd-6, as they have at `etcd-outside`; members of `etcd.overrides` from 10 or 20 after it on, as there.",
        ),
      endpoint,
    }),
  ])
  .describe("How the API servers are reached from outside the cluster, and etcd by this program.");

export type TypedExposure = z.output<typeof exposure>;
