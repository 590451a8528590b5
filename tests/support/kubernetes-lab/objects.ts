import { join } from "node:path";
import type { Cluster } from "../cluster.ts";
import { corednsImage } from "./images.ts";

/** Of the range that the tests' API servers give to Services. */
export const serviceDns = "10.97.0.10";
/** The first of it is always the API server's. */
export const serviceApi = "10.97.0.1";
export const serviceNetwork = "10.97.0.0/16";
export const storageClass = "lab";

interface Applied {
  readonly path: string;
  readonly body: object;
}

/** What a cluster has before anyone uses it: names, a storage class, and volumes on the node. */
export function objectsOf(cluster: Cluster, domain: string, directory: string, volumes: number): Applied[] {
  return [
    ...coredns(cluster, domain),
    applied("/apis/storage.k8s.io/v1/storageclasses", {
      apiVersion: "storage.k8s.io/v1",
      kind: "StorageClass",
      metadata: { name: storageClass },
      provisioner: "kubernetes.io/no-provisioner",
      volumeBindingMode: "WaitForFirstConsumer",
    }),
    ...Array.from({ length: volumes }, (_, i) => volume(`lab-${i}`, join(directory, String(i)))),
  ];
}

const volume = (name: string, path: string) =>
  applied("/api/v1/persistentvolumes", {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name },
    spec: {
      capacity: { storage: "10Gi" },
      accessModes: ["ReadWriteOnce"],
      storageClassName: storageClass,
      persistentVolumeReclaimPolicy: "Retain",
      local: { path },
      nodeAffinity: {
        required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "kubernetes.io/os", operator: "Exists" }] }] },
      },
    },
  });

function coredns(cluster: Cluster, domain: string): Applied[] {
  const metadata = { name: "coredns", namespace: "kube-system" };
  const labels = { app: "coredns" };
  const inSystem = "/api/v1/namespaces/kube-system";
  return [
    applied(`${inSystem}/secrets`, {
      apiVersion: "v1",
      kind: "Secret",
      metadata,
      stringData: { Corefile: corefile(domain), kubeconfig: cluster.kubeconfig },
    }),
    applied(`${inSystem}/services`, {
      apiVersion: "v1",
      kind: "Service",
      metadata,
      spec: {
        clusterIP: serviceDns,
        selector: labels,
        ports: [
          { name: "udp", port: 53, protocol: "UDP" },
          { name: "tcp", port: 53, protocol: "TCP" },
        ],
      },
    }),
    applied("/apis/apps/v1/namespaces/kube-system/deployments", {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata,
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            automountServiceAccountToken: false,
            dnsPolicy: "Default",
            containers: [
              {
                name: "coredns",
                image: corednsImage,
                command: ["coredns", "-conf", "/etc/coredns/Corefile"],
                volumeMounts: [{ name: "config", mountPath: "/etc/coredns" }],
                readinessProbe: { httpGet: { path: "/ready", port: 8181 }, periodSeconds: 1 },
              },
            ],
            volumes: [{ name: "config", secret: { secretName: "coredns" } }],
          },
        },
      },
    }),
  ];
}

/** Every directive and brace on a line of its own: its parser asks for that. */
const corefile = (domain: string) => `.:53 {
  errors
  ready :8181
  kubernetes ${domain} in-addr.arpa {
    kubeconfig /etc/coredns/kubeconfig
    pods insecure
    ttl 2
  }
  cache 2
}
`;

function applied(
  collection: string,
  body: Record<string, unknown> & { readonly metadata: { readonly name: string } },
): Applied {
  return { path: `${collection}/${body.metadata.name}`, body };
}
