import { z } from "zod";
import type { Context } from "../context.ts";
import { kubeconfigKinds, readKubeconfig } from "../credentials.ts";
import { fieldNotes, text, words } from "../field.ts";
import { hooksHere } from "../hooks.ts";
import { domain } from "../values/address.ts";
import { eachOnce } from "../values/each-once.ts";
import { image, prefix } from "../values/image.ts";
import { labelKey } from "../values/labels.ts";
import { size, wait } from "../values/units.ts";
import { exposure } from "./exposure.ts";
import { annotations, labels, nodeSelector, pods, priorityClass, tolerations } from "./pod-settings.ts";
import { login } from "./registry-login.ts";

export const label = text(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, 'a DNS-1123 label such as "karmada-system"');
export const pullPolicy = z.enum(["IfNotPresent", "Always", "Never"]);

const images = z
  .strictObject({
    kubernetes: prefix
      .default("registry.k8s.io")
      .describe("What stands before `/kube-apiserver:v<version>` and `/kube-controller-manager:v<version>`."),
    etcd: prefix.default("quay.io/coreos").describe("What stands before `/etcd:v<version>`."),
    karmada: prefix
      .default("docker.io/karmada")
      .describe("What stands before `/karmada-scheduler:v<version>` and so on."),
    pinned: z
      .record(words("the name of a program"), image)
      .default({})
      .describe(
        "Whole images by program (`etcd`, `kube-apiserver`, `karmada-scheduler`), for digests. They have to be of the declared versions: a tag that names another one is refused, a digest alone tells none.",
      ),
    node: image
      .default("docker.io/library/node:24-bookworm-slim")
      .describe(
        "Image with Node.js 22 or later on its PATH, for programs of ours: what takes scheduled snapshots, and what brings a snapshot to its volume in a restore.",
      ),
    pullPolicy: pullPolicy.default("IfNotPresent").describe("When nodes pull them."),
    login: login
      .optional()
      .describe("Logins for the registries, as in `~/.docker/config.json`. Default: what the nodes have."),
  })
  .prefault({})
  .describe("Where the images come from.");

const storage = z
  .strictObject({
    storageClass: words("the name of a storage class").optional().describe("Default: the default one of the cluster."),
    hostPath: text(/^(\/(?!\.\.?(\/|$))[^/]+)+$/, 'an absolute path such as "/var/lib/karmada-etcd"')
      .optional()
      .describe(
        "A directory of the nodes, made where it is missing: data of a member lie below it on one node, which its pod keeps to. For host clusters without storage. Default: volumes of the storage class.",
      ),
    size: size
      .default("10Gi")
      .describe("Of the volume of each member. With `hostPath` nobody holds it to that: the disk of the node does."),
  })
  .prefault({})
  .describe(
    "The volumes of etcd's members: one PersistentVolumeClaim for each time that a member begins with empty data. A change is for those to come.",
  );

export const networkPolicies = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe(
        "Whether each program has a NetworkPolicy: only its clients reach it, anyone the API servers and etcd, which require a certificate. Metrics and health are served without one, so that they are closed to other pods by default.",
      ),
    metricsFrom: z
      .array(label)
      .default([])
      .describe("Namespaces whose pods may reach the metrics, such as that of Prometheus."),
  })
  .prefault({})
  .describe(
    "Who may reach the pods, where the network of the cluster enforces it. What they reach themselves is not limited.",
  );

/** Whatever is typed here instead of an object may be a credential. */
export const credentials = z
  .discriminatedUnion("kind", [...kubeconfigKinds])
  .register(fieldNotes, { want: "an object with a kind", hidden: true });

export const kubernetes = z.strictObject({
  kind: z.literal("kubernetes").describe("Every program is a pod of a host cluster."),
  credentials: credentials.describe("How the host cluster is reached, by who may make a namespace and all in it."),
  namespace: label
    .default("karmada-system")
    .describe(
      "Namespace of the deployment, made and deleted with it. It cannot be changed while the deployment exists.",
    ),
  clusterDomain: domain("cluster.local").default("cluster.local").describe("DNS domain of the host cluster."),
  images,
  storage,
  exposure,
  nodeSelector: nodeSelector.default({}).describe("Labels of the nodes to run on."),
  tolerations: tolerations.default([]).describe("Taints of nodes that are no obstacle."),
  networkPolicies,
  spreadOver: z
    .array(labelKey)
    .superRefine(eachOnce("label"))
    .default(["kubernetes.io/hostname"])
    .describe(
      "Labels of nodes over whose values the pods of a kind are spread evenly, as far as there is room: `topology.kubernetes.io/zone` too, where every node has it. Nodes that lack one of them count for nothing here. Zones are preferred to be different in any case.",
    ),
  antiAffinity: z
    .enum(["preferred", "required"])
    .default("preferred")
    .describe(
      "Whether members of etcd, and replicas of one program, may share a node: `preferred` lets them where there is no other, `required` never does.",
    ),
  rolloutTimeout: wait
    .default("10m")
    .describe(
      "How long the pods of a program may take to have nodes and their images, and to serve; that of a member of etcd, to run. After that `up` ends with what they lack; what ran goes on, and the next `up` does.",
    ),
  priorityClass: priorityClass.describe("Priority class of every pod."),
  labels: labels.describe("Labels of every pod, such as those that costs are counted by."),
  annotations: annotations.describe("Annotations of every pod."),
  pods,
  hooks: hooksHere,
});

export type TypedKubernetes = z.output<typeof kubernetes>;

/** Its kubeconfig read. */
export function resolveKubernetes(typed: TypedKubernetes, context: Context) {
  return { ...typed, credentials: readKubeconfig(typed.credentials, context) };
}
