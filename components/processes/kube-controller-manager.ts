import { kubeControllers } from "../../spec/placement/kubernetes-choices.ts";
import { type Duration, seconds } from "../../spec/values/units.ts";
import { bind, file, host, port, type Process, type Text, text } from "../process.ts";
import { apiAccess, type ApiServer, serverKubeconfigArgs } from "./api-client.ts";
import { authority, authorityCertificate, pair, serving, servingArgs } from "./certificates.ts";
import { leaderElection } from "./controller.ts";
import { type ComponentSettings, limits, settingsArgs } from "./settings.ts";

/** A replica of the Kubernetes controllers of the Karmada API. */
export interface KarmadaKubeControllerManager extends ComponentSettings {
  readonly name: string;
  /** The process names of all its replicas, this one included. */
  readonly instances: readonly string[];
  readonly elects: boolean;
  readonly api: ApiServer;
  /** Whether it signs certificate requests, for which it is given the authority's key. */
  readonly signRequests: boolean;
  /** Whether more is trusted for that authority than the certificate that belongs to its key. */
  readonly trustsSeveral: boolean;
  /** How long what it signs is to be valid at most. */
  readonly certificateValidity: Duration;
}

/** The Kubernetes controllers of the Karmada API. Built-in roles cover its identity: it needs no RBAC of ours. */
export function kubeControllerManagerProcess(manager: KarmadaKubeControllerManager): Process {
  const access = apiAccess(manager.api, "kube-controller-manager", "system:kube-controller-manager");
  // It takes only one certificate beside the key.
  const signing = manager.trustsSeveral ? "pki/signing-ca.crt" : "pki/ca.crt";
  const leaf = serving(
    "kube-controller-manager-server",
    "kube-controller-manager",
    manager.instances.map((name) => [host(name)]),
  );
  return {
    name: manager.name,
    component: "kube-controller-manager",
    program: { name: "kube-controller-manager", version: manager.version },
    args: [
      ...serverKubeconfigArgs(access),
      text`--bind-address=${bind}`,
      text`--secure-port=${port("secure")}`,
      ...servingArgs("pki/kube-controller-manager"),
      "--tls-min-version=VersionTLS13",
      text`--client-ca-file=${file("pki/ca.crt")}`,
      text`--requestheader-client-ca-file=${file("pki/front-proxy-ca.crt")}`,
      `--controllers=${kubeControllers.filter((each) => manager.signRequests || each !== "csrsigning").join(",")}`,
      ...(manager.signRequests ? [...signingArgs(signing), ...longestArgs(manager)] : tokenArgs),
      "--use-service-account-credentials=true",
      ...leaderElection(manager.elects, "kube-system"),
      "--cluster-name=karmada",
      ...settingsArgs(manager),
    ],
    ports: ["secure"],
    files: {
      "pki/ca.crt": authority("karmada"),
      "pki/front-proxy-ca.crt": authority("front-proxy"),
      ...(manager.signRequests && manager.trustsSeveral && { [signing]: authorityCertificate("karmada") }),
      ...(manager.signRequests ? signingFiles("karmada", "karmada") : tokenFiles("karmada")),
      ...pair("pki/kube-controller-manager", leaf.name),
      ...access.files,
    },
    certificates: [leaf, ...access.certificates],
    ...limits(manager),
    probe: { kind: "http", scheme: "https", port: "secure", path: "/healthz", authority: "karmada" },
    startDeadline: "120s",
    stopDeadline: "10s",
  };
}

/** Flags for signing service-account tokens, and the CA in them. */
const tokenArgs: readonly Text[] = [
  text`--root-ca-file=${file("pki/ca.crt")}`,
  text`--service-account-private-key-file=${file("pki/sa.key")}`,
];

/** It would cut what is longer to a year, its default; who asks for less gets less. */
const longestArgs = ({ certificateValidity }: KarmadaKubeControllerManager): readonly Text[] =>
  seconds(certificateValidity) > seconds("8760h") ? [`--cluster-signing-duration=${certificateValidity}`] : [];

const tokenFiles = (serviceAccountPair: string): Process["files"] => ({
  "pki/sa.key": { from: "service-account-key", part: "private", pair: serviceAccountPair },
});

/** Flags for signing certificates too. @param certificate the file with the one that belongs to the key */
export const signingArgs = (certificate = "pki/ca.crt"): readonly Text[] => [
  text`--cluster-signing-cert-file=${file(certificate)}`,
  text`--cluster-signing-key-file=${file("pki/ca.key")}`,
  ...tokenArgs,
];

/** The keys those flags name. */
export const signingFiles = (authorityName: string, serviceAccountPair: string): Process["files"] => ({
  "pki/ca.key": { from: "authority-key", authority: authorityName },
  ...tokenFiles(serviceAccountPair),
});
