/** What the installers of Karmada 1.18 write down of their planes, as far as it is read: facts from their templates. */
import type { KubeObject } from "../../../lib/kube/client.ts";

/** One installer's names and places. */
export interface Installer {
  readonly labels: Readonly<Record<string, string>>;
  readonly names: {
    readonly apiserver: string;
    readonly manager: string;
    readonly controller: string;
    readonly etcd: string;
  };
  /** Path of a file of the API server's, and the Secret it comes from. */
  readonly pki: string;
  readonly secret: string;
  readonly etcdPki: string;
  readonly etcdSecret: string;
  readonly kubeconfig: {
    readonly path: string;
    readonly mount: string;
    readonly secret: string;
    readonly subPath?: string;
  };
  readonly files: Readonly<Record<"ca" | "etcdCa" | "etcdClient" | "serving", string>>;
}

/** `pkg/karmadactl/cmdinit`. */
export const karmadactl: Installer = {
  labels: { "karmada.io/bootstrapping": "app-defaults" },
  names: {
    apiserver: "karmada-apiserver",
    manager: "kube-controller-manager",
    controller: "karmada-controller-manager",
    etcd: "etcd",
  },
  pki: "/etc/karmada/pki",
  secret: "karmada-cert",
  etcdPki: "/etc/karmada/pki",
  etcdSecret: "karmada-cert",
  kubeconfig: {
    path: "/etc/karmada/config/karmada.config",
    mount: "/etc/karmada/config",
    secret: "karmada-controller-manager-config",
  },
  files: { ca: "ca", etcdCa: "etcd-ca", etcdClient: "etcd-client", serving: "apiserver" },
};

/** `charts/karmada`, for a release called `karmada`. */
export const chart: Installer = {
  labels: { "app.kubernetes.io/managed-by": "Helm" },
  names: {
    apiserver: "karmada-apiserver",
    manager: "karmada-kube-controller-manager",
    controller: "karmada-controller-manager",
    etcd: "etcd",
  },
  pki: "/etc/kubernetes/pki",
  secret: "karmada-cert",
  etcdPki: "/etc/etcd/pki",
  etcdSecret: "karmada-cert",
  kubeconfig: {
    path: "/etc/kubeconfig",
    mount: "/etc/kubeconfig",
    subPath: "kubeconfig",
    secret: "karmada-kubeconfig",
  },
  files: { ca: "server-ca", etcdCa: "server-ca", etcdClient: "karmada", serving: "karmada" },
};

/** `operator/pkg/controlplane`, for a Karmada called `demo`. */
export const operator: Installer = {
  labels: { "app.kubernetes.io/managed-by": "karmada-operator" },
  names: {
    apiserver: "demo-karmada-apiserver",
    manager: "demo-kube-controller-manager",
    controller: "demo-karmada-controller-manager",
    etcd: "demo-etcd",
  },
  pki: "/etc/karmada/pki",
  secret: "demo-karmada-cert",
  etcdPki: "/etc/karmada/pki/etcd-client",
  etcdSecret: "demo-karmada-etcd-cert",
  kubeconfig: {
    path: "/etc/karmada/config/karmada.config",
    mount: "/etc/karmada/config",
    secret: "demo-karmada-controller-manager-config",
  },
  files: { ca: "ca", etcdCa: "etcd-ca", etcdClient: "etcd-client", serving: "apiserver" },
};

/** The Deployments and the StatefulSet of a plane. @param more further flags of its programs */
export function workloadsOf(
  installer: Installer,
  more: Readonly<Record<string, readonly string[]>> = {},
): { deployments: KubeObject[]; statefulsets: KubeObject[] } {
  const { names, pki, secret, etcdPki, etcdSecret, kubeconfig, files } = installer;
  const made = (name: string, image: string, command: string[], mounts: Mount[]) =>
    workload(installer, name, image, [...command, ...(more[name] ?? [])], mounts);
  const certificates: Mount = { mount: pki, secret };
  const config: Mount = {
    mount: kubeconfig.mount,
    secret: kubeconfig.secret,
    ...(kubeconfig.subPath && { subPath: kubeconfig.subPath }),
  };
  const apiserver = [
    "kube-apiserver",
    `--client-ca-file=${pki}/${files.ca}.crt`,
    `--etcd-cafile=${etcdPki}/${files.etcdCa}.crt`,
    `--etcd-certfile=${etcdPki}/${files.etcdClient}.crt`,
    `--etcd-keyfile=${etcdPki}/${files.etcdClient}.key`,
    `--etcd-servers=https://${names.etcd}-client.karmada-system.svc.cluster.local:2379`,
    "--secure-port=5443",
    "--runtime-config=",
    "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
    `--service-account-key-file=${pki}/karmada.key`,
    `--service-account-signing-key-file=${pki}/karmada.key`,
    `--requestheader-client-ca-file=${pki}/front-proxy-ca.crt`,
    `--tls-cert-file=${pki}/${files.serving}.crt`,
  ];
  const etcdMounts: Mount[] = etcdPki === pki ? [certificates] : [certificates, { mount: etcdPki, secret: etcdSecret }];
  const manager = [
    "kube-controller-manager",
    `--cluster-signing-key-file=${pki}/${files.ca}.key`,
    "--controllers=namespace",
  ];
  return {
    deployments: [
      made(names.apiserver, "registry.k8s.io/kube-apiserver:v1.35.3", apiserver, etcdMounts),
      made(names.manager, "registry.k8s.io/kube-controller-manager:v1.35.3", manager, [certificates]),
      made(
        names.controller,
        "docker.io/karmada/karmada-controller-manager:v1.18.2",
        ["/bin/karmada-controller-manager", `--kubeconfig=${kubeconfig.path}`],
        [config],
      ),
    ],
    statefulsets: [made(names.etcd, "quay.io/coreos/etcd:v3.6.6", ["/usr/local/bin/etcd"], [])],
  };
}

interface Mount {
  readonly mount: string;
  readonly secret: string;
  readonly subPath?: string;
}

const workload = (
  { labels }: Installer,
  name: string,
  image: string,
  command: string[],
  mounts: Mount[],
): KubeObject => ({
  metadata: { name, labels },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        containers: [
          {
            name,
            image,
            command,
            volumeMounts: mounts.map(({ mount, subPath }, i) => ({
              name: `v${i}`,
              mountPath: mount,
              ...(subPath && { subPath }),
            })),
          },
        ],
        volumes: mounts.map(({ secret }, i) => ({ name: `v${i}`, secret: { secretName: secret } })),
      },
    },
  },
});
