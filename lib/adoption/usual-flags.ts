import {
  admissionPlugins,
  kubeControllers,
  serviceAccountIssuer,
  serviceClusterIpRange,
} from "../../spec/placement/kubernetes-choices.ts";
import type { ProgramName } from "./workloads.ts";

/**
 * What is somebody's own choice of the values that a flag has: what neither follows from the deployment here nor is
 * what installers give every Karmada. Of a list it is what else is in it.
 *
 * @param values all that the program is told, in their order
 */
export function ownValues(program: ProgramName, flag: string, values: readonly string[]): readonly string[] {
  if (followed.has(flag) || followedBy[program]?.has(flag)) return [];
  const usual = usualLists[program]?.[flag];
  if (usual !== undefined) return values.map((value) => withoutUsual(value, usual)).filter((rest) => rest !== "");
  const one = usualOnes[program]?.[flag] ?? usualOnes.any[flag];
  if (one === undefined) return [...new Set(values)];
  return values.slice(-1).filter((last) => !one.includes(last) && !(last === "" && one.includes("true")));
}

const withoutUsual = (list: string, usual: readonly string[]): string =>
  list
    .split(",")
    .filter((each) => !usual.includes(each))
    .join(",");

type Usual = Readonly<Record<string, readonly string[]>>;

/** The last value counts. By karmadactl, the Helm chart and karmada-operator; `v` by those of older versions as well. */
const usualOnes: { readonly any: Usual } & Readonly<Partial<Record<ProgramName, Usual>>> = {
  any: {
    "allow-privileged": ["true"],
    "audit-log-maxage": ["0"],
    "audit-log-maxbackup": ["0"],
    "audit-log-path": ["-"],
    "cluster-status-update-frequency": ["10s"],
    "enable-bootstrap-token-auth": ["true"],
    "leader-elect": ["true"],
    "logging-format": ["text"],
    "max-mutating-requests-inflight": ["500"],
    "max-requests-inflight": ["1500"],
    "service-cluster-ip-range": [serviceClusterIpRange],
    "tls-min-version": ["VersionTLS13"],
    "use-service-account-credentials": ["true"],
    v: ["2", "4", "5"],
  },
  "kube-apiserver": { "audit-log-path": [""] },
};

/** Each value adds to the others. */
const usualLists: Readonly<Partial<Record<ProgramName, Usual>>> = {
  "kube-apiserver": {
    "authorization-mode": ["Node", "RBAC"],
    "disable-admission-plugins": admissionPlugins.off,
    "enable-admission-plugins": admissionPlugins.on,
    "runtime-config": [],
    "service-account-issuer": [serviceAccountIssuer],
  },
  "kube-controller-manager": { controllers: kubeControllers },
};

/** No controller runs there that would heed it. */
const followedBy: Readonly<Partial<Record<ProgramName, ReadonlySet<string>>>> = {
  "kube-controller-manager": new Set(["service-cluster-ip-range"]),
};

const followed: ReadonlySet<string> = new Set([
  // addresses, ports and names
  ...[
    "bind-address",
    "secure-port",
    "advertise-address",
    "metrics-bind-address",
    "health-probe-bind-address",
    "server-port",
  ],
  ...["cluster-name", "cluster-domain", "apiserver-count", "cluster-cidr", "node-cidr-mask-size"],
  // whom it trusts, and who it is
  ...[
    "kubeconfig",
    "authentication-kubeconfig",
    "authorization-kubeconfig",
    "client-ca-file",
    "root-ca-file",
    "cert-dir",
  ],
  ...["tls-cert-file", "tls-private-key-file", "service-account-key-file"],
  ...["service-account-signing-key-file", "service-account-private-key-file"],
  ...["cluster-signing-cert-file", "cluster-signing-key-file", "proxy-client-cert-file", "proxy-client-key-file"],
  ...["requestheader-allowed-names", "requestheader-client-ca-file", "requestheader-extra-headers-prefix"],
  ...["requestheader-group-headers", "requestheader-username-headers", "insecure-skip-tls-verify"],
  ...["grpc-auth-cert-file", "grpc-auth-key-file", "grpc-client-ca-file", "scheduler-estimator-ca-file"],
  ...["scheduler-estimator-cert-file", "scheduler-estimator-key-file", "enable-scheduler-estimator"],
  // etcd
  ...["etcd-servers", "etcd-cafile", "etcd-certfile", "etcd-keyfile", "etcd-prefix"],
  // settings of their own, or none here
  ...["feature-gates", "leader-elect-resource-namespace", "allocate-node-cidrs"],
]);
