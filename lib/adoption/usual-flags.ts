/**
 * Flags that installers give every Karmada. Here they follow from the deployment, with the same or other values. Only
 * other flags are the operator's own choice.
 */
export const usualFlags: ReadonlySet<string> = new Set([
  // addresses, ports and names
  ...[
    "bind-address",
    "secure-port",
    "advertise-address",
    "metrics-bind-address",
    "health-probe-bind-address",
    "server-port",
  ],
  ...[
    "cluster-name",
    "cluster-domain",
    "apiserver-count",
    "service-cluster-ip-range",
    "cluster-cidr",
    "node-cidr-mask-size",
  ],
  // whom it trusts, and who it is
  ...[
    "kubeconfig",
    "authentication-kubeconfig",
    "authorization-kubeconfig",
    "client-ca-file",
    "root-ca-file",
    "cert-dir",
  ],
  ...["tls-cert-file", "tls-private-key-file", "tls-min-version", "service-account-issuer", "service-account-key-file"],
  ...["service-account-signing-key-file", "service-account-private-key-file", "use-service-account-credentials"],
  ...["cluster-signing-cert-file", "cluster-signing-key-file", "proxy-client-cert-file", "proxy-client-key-file"],
  ...["requestheader-allowed-names", "requestheader-client-ca-file", "requestheader-extra-headers-prefix"],
  ...[
    "requestheader-group-headers",
    "requestheader-username-headers",
    "authorization-mode",
    "enable-bootstrap-token-auth",
  ],
  ...["grpc-auth-cert-file", "grpc-auth-key-file", "grpc-client-ca-file", "scheduler-estimator-ca-file"],
  ...["scheduler-estimator-cert-file", "scheduler-estimator-key-file", "enable-scheduler-estimator"],
  // etcd
  ...["etcd-servers", "etcd-cafile", "etcd-certfile", "etcd-keyfile", "etcd-prefix"],
  // what is the same everywhere
  ...["allow-privileged", "disable-admission-plugins", "enable-admission-plugins", "runtime-config", "audit-log-path"],
  ...["audit-log-maxage", "audit-log-maxbackup", "max-requests-inflight", "max-mutating-requests-inflight"],
  ...["allocate-node-cidrs", "leader-elect", "leader-elect-resource-namespace", "cluster-status-update-frequency", "v"],
  ...["logging-format", "feature-gates", "insecure-skip-tls-verify", "default-not-ready-toleration-seconds"],
  ...["default-unreachable-toleration-seconds"],
]);
