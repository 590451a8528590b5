import { admissionPlugins, serviceAccountIssuer } from "../../spec/placement/kubernetes-choices.ts";
import { file, type Process, type Text, text } from "../process.ts";
import { authority, client, pair } from "./certificates.ts";
import type { EtcdConnection } from "./etcd-client.ts";
import { kubeApiserverProcess } from "./kube-apiserver.ts";
import type { ComponentSettings } from "./settings.ts";

/** One API server of the control plane. */
export interface KarmadaApiserver extends ComponentSettings {
  readonly name: string;
  readonly etcd: EtcdConnection;
  readonly serviceClusterIpRange: string;
  /** Whether it has encryption settings for etcd. */
  readonly encrypts: boolean;
  /** How long it may take to say whether it is ready, since it asks a key service. @default it asks none */
  readonly answersWithin?: `${number}s` | undefined;
  /** Every name and address clients use for it, those of its other replicas included. */
  readonly hosts: readonly Text[];
}

/**
 * Aggregator routing stays off: with it a Service of type ExternalName is refused, and that is how the aggregated
 * servers are reached. The ServiceAccount admission plugin is off, because it would change pod templates.
 */
export function karmadaApiserverProcess(server: KarmadaApiserver): Process {
  const frontProxy = client("front-proxy-client", "front-proxy-client", "front-proxy");
  return kubeApiserverProcess({
    ...server,
    authority: "karmada",
    certificate: "apiserver",
    serviceAccountPair: "karmada",
    serviceAccountIssuer,
    args: [
      `--disable-admission-plugins=${admissionPlugins.off.join(",")}`,
      `--enable-admission-plugins=${admissionPlugins.on.join(",")}`,
      text`--proxy-client-cert-file=${file("pki/front-proxy-client.crt")}`,
      text`--proxy-client-key-file=${file("pki/front-proxy-client.key")}`,
      text`--requestheader-client-ca-file=${file("pki/front-proxy-ca.crt")}`,
      "--requestheader-allowed-names=front-proxy-client",
      "--requestheader-extra-headers-prefix=X-Remote-Extra-",
      "--requestheader-group-headers=X-Remote-Group",
      "--requestheader-username-headers=X-Remote-User",
      "--max-requests-inflight=1500",
      "--max-mutating-requests-inflight=500",
      ...(server.encrypts ? [text`--encryption-provider-config=${file(encryptionFile)}`] : []),
    ],
    files: {
      "pki/front-proxy-ca.crt": authority("front-proxy"),
      ...pair("pki/front-proxy-client", frontProxy.name),
      ...(server.encrypts && { [encryptionFile]: { from: "given" } as const }),
    },
    certificates: [frontProxy],
  });
}

/** Its file with the keys for encryption at rest. */
export const encryptionFile = "encryption.yaml";
