import { isGiven } from "../../spec/control-plane/exclusive-flags.ts";
import { bind, file, host, port, type Process, type Text, text } from "../process.ts";
import { authority, pair, serving, servingArgs } from "./certificates.ts";
import { etcdClient, type EtcdConnection, overrideArgs } from "./etcd-client.ts";
import { type ComponentSettings, limits, settingsArgs } from "./settings.ts";

/** What the API servers of the control plane and of simulated members differ in. */
export interface KubeApiserver extends ComponentSettings {
  readonly name: string;
  readonly etcd: EtcdConnection;
  /** Authority of its serving certificate and of its clients. */
  readonly authority: string;
  /** Name of its serving certificate. */
  readonly certificate: string;
  readonly serviceAccountPair: string;
  readonly serviceAccountIssuer: string;
  readonly serviceClusterIpRange: string;
  /** Every name and address clients use for it. */
  readonly hosts: readonly Text[];
  /** How long it may take to say whether it is ready. @default 5s */
  readonly answersWithin?: `${number}s` | undefined;
  /** Admission and aggregation, which differ between a control plane and a member. */
  readonly args: readonly Text[];
  readonly files: Process["files"];
  readonly certificates: Process["certificates"];
}

/**
 * The endpoint reconciler is off: it would publish an address in default/kubernetes that nothing inside uses. An
 * authorization configuration file replaces the modes: it does not start with both, and without either lets everybody do
 * everything. The advertise address is set so that a host without a default route can run it.
 */
export function kubeApiserverProcess(server: KubeApiserver): Process {
  const etcd = etcdClient(server.etcd, server.name);
  const leaf = serving(
    server.certificate,
    server.name,
    [...server.hosts, "kubernetes.default.svc", firstServiceIp(server.serviceClusterIpRange)],
    server.authority,
  );
  const answers = server.answersWithin !== undefined && { answersWithin: server.answersWithin };
  return {
    name: server.name,
    component: "kube-apiserver",
    program: { name: "kube-apiserver", version: server.version },
    args: [
      text`--bind-address=${bind}`,
      text`--advertise-address=${host()}`,
      text`--secure-port=${port("secure")}`,
      "--endpoint-reconciler-type=none",
      ...etcd.args,
      ...overrideArgs(server.etcd),
      "--allow-privileged=true",
      ...(isGiven(server.extraArgs, "authorization-config") ? [] : ["--authorization-mode=Node,RBAC"]),
      "--enable-bootstrap-token-auth=true",
      text`--client-ca-file=${file("pki/ca.crt")}`,
      `--service-account-issuer=${server.serviceAccountIssuer}`,
      text`--service-account-key-file=${file("pki/sa.pub")}`,
      text`--service-account-signing-key-file=${file("pki/sa.key")}`,
      `--service-cluster-ip-range=${server.serviceClusterIpRange}`,
      ...servingArgs("pki/apiserver"),
      "--tls-min-version=VersionTLS13",
      `--shutdown-watch-termination-grace-period=${watchesEndWithin}`,
      ...server.args,
      ...settingsArgs(server),
    ],
    ports: ["secure"],
    files: {
      "pki/ca.crt": authority(server.authority),
      "pki/sa.pub": { from: "service-account-key", part: "public", pair: server.serviceAccountPair },
      "pki/sa.key": { from: "service-account-key", part: "private", pair: server.serviceAccountPair },
      ...pair("pki/apiserver", leaf.name),
      ...etcd.files,
      ...server.files,
    },
    certificates: [leaf, ...etcd.certificates, ...server.certificates],
    ...limits(server),
    probe: { kind: "http", scheme: "https", port: "secure", path: "/readyz", authority: server.authority, ...answers },
    startDeadline: "120s",
    stopDeadline: `${stopsWithin}s`,
  };
}

/**
 * At shutdown open watches are told to end, and it waits this long for them. By default it does not tell them, and
 * waits the 60 s that any request may take (apiserver/pkg/server/config.go).
 */
const watchesEndWithin = "3s";

/**
 * Watches of aggregated APIs, which every controller has, are not among them: nothing ends those, and it would wait the
 * same 60 s for them after everything else. Other requests under way have these seconds to finish.
 */
const stopsWithin = 10;

/** The address Kubernetes gives to the Service `default/kubernetes`: the first of the range. */
function firstServiceIp(range: string): string {
  const octets = (range.split("/")[0] ?? "").split(".").map(Number);
  return [...octets.slice(0, 3), (octets[3] ?? 0) + 1].join(".");
}
