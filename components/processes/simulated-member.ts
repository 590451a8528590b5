import { bind, type CertificateRequest, data, host, port, type Process, type Text, text } from "../process.ts";
import { type ApiAccess, type ApiServer, serverKubeconfigArgs } from "./api-client.ts";
import { authority } from "./certificates.ts";
import type { EtcdConnection } from "./etcd-client.ts";
import { kubeApiserverProcess } from "./kube-apiserver.ts";
import { signingArgs, signingFiles } from "./kube-controller-manager.ts";
import { kwokProcess } from "./kwok.ts";

/**
 * A Kubernetes cluster with a real API server, controllers and scheduler, whose nodes and pods are simulated by KWOK.
 */
export interface SimulatedMember {
  readonly name: string;
  readonly kubernetesVersion: string;
  readonly kwokVersion: string;
  /** Endpoints and identity in the etcd that all simulated members share; the prefix is this member's own. */
  readonly etcd: EtcdConnection;
  readonly serviceClusterIpRange: string;
}

/** The processes of a member, by their kind. Nothing in it is replicated: it is for tests and demonstrations. */
export interface SimulatedMemberProcesses {
  readonly apiserver: Process;
  readonly controllerManager: Process;
  readonly scheduler: Process;
  readonly kwok: Process;
}

/** The programs of one simulated cluster. Its etcd is shared with the others. */
export function simulatedMemberProcesses(member: SimulatedMember): SimulatedMemberProcesses {
  return {
    apiserver: apiserverProcess(member),
    controllerManager: controllerManagerProcess(member),
    scheduler: schedulerProcess(member),
    kwok: kwokProcess({
      name: `${member.name}-kwok`,
      version: member.kwokVersion,
      access: memberAdminAccess(member.name),
    }),
  };
}

/** How the member's own programs and the control plane reach it. */
export function memberApi(member: string): ApiServer {
  const apiserver = `${member}-kube-apiserver`;
  return {
    url: text`https://${host(apiserver)}:${port("secure", apiserver)}`,
    authority: memberAuthority(member),
  };
}

/** The member's certificate authority and service-account key pair; the prefix keeps them apart from Karmada's own. */
export const memberAuthority = (member: string): string => `member-${member}`;

/** The administrator of one simulated member. */
export const memberAdmin = (member: string): CertificateRequest => ({
  name: `member-${member}-admin`,
  authority: memberAuthority(member),
  commonName: "kubernetes-admin",
  organization: "system:masters",
  usages: ["client"],
});

function memberAdminAccess(member: string): ApiAccess {
  const admin = memberAdmin(member);
  const { url: server, authority } = memberApi(member);
  const files = { kubeconfig: { from: "kubeconfig", certificate: admin.name, authority, server } } as const;
  return { path: "kubeconfig", files, certificates: [admin] };
}

function apiserverProcess(member: SimulatedMember): Process {
  const name = `${member.name}-kube-apiserver`;
  return kubeApiserverProcess({
    ...quiet(member.kubernetesVersion),
    name,
    etcd: member.etcd,
    authority: memberAuthority(member.name),
    certificate: `member-${member.name}-apiserver`,
    serviceAccountPair: memberAuthority(member.name),
    serviceAccountIssuer: "https://kubernetes.default.svc.cluster.local",
    serviceClusterIpRange: member.serviceClusterIpRange,
    hosts: [[host(name)]],
    // It serves a handful of clients, straight from etcd, rather than with a watch cache per kind that wakes every
    // second for nobody.
    args: ["--watch-cache=false", "--kubelet-preferred-address-types=InternalIP"],
    files: {},
    certificates: [],
  });
}

function controllerManagerProcess(member: SimulatedMember): Process {
  const controllerManager = controller(member, "kube-controller-manager", [
    // No volume is ever attached to simulated nodes, and this controller looks ten times a second.
    "--controllers=*,-persistentvolume-attach-detach-controller",
  ]);
  return {
    ...controllerManager,
    args: [...controllerManager.args, ...signingArgs(), "--use-service-account-credentials=true"],
    files: {
      ...controllerManager.files,
      "pki/ca.crt": authority(memberAuthority(member.name)),
      ...signingFiles(memberAuthority(member.name), memberAuthority(member.name)),
    },
  };
}

const schedulerProcess = (member: SimulatedMember): Process => controller(member, "kube-scheduler");

/**
 * Serves only its own probe, with a certificate it makes itself. It logs in as the member's administrator: separate
 * identities would protect nothing in a cluster for trials.
 */
function controller(
  member: SimulatedMember,
  component: "kube-controller-manager" | "kube-scheduler",
  flags: readonly Text[] = [],
): Process {
  const access = memberAdminAccess(member.name);
  const args: readonly Text[] = [
    ...serverKubeconfigArgs(access),
    text`--bind-address=${bind}`,
    text`--secure-port=${port("secure")}`,
    text`--cert-dir=${data()}`,
    "--leader-elect=false",
    ...flags,
  ];
  return {
    name: `${member.name}-${component}`,
    component,
    program: { name: component, version: member.kubernetesVersion },
    args,
    ports: ["secure"],
    files: access.files,
    certificates: access.certificates,
    limits: oneCore,
    probe: { kind: "http", scheme: "https", port: "secure", path: "/healthz" },
    startDeadline: "120s",
    stopDeadline: "10s",
  };
}

const quiet = (version: string) => ({ version, logLevel: 1, featureGates: {}, extraArgs: {}, resources: oneCore });

/** One thread at work: handing work from one of Go's threads to another costs more. */
const oneCore = { cpu: "1" };
