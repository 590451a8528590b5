import { type CertificateRequest, file, type FileSource, type Text, text } from "../process.ts";
import { authority, client, pair } from "./certificates.ts";

/** What a component needs to ask the members' estimators, with a certificate of its own. */
export function estimatorClient(component: "karmada-scheduler" | "karmada-descheduler"): {
  readonly args: readonly Text[];
  readonly files: Readonly<Record<string, FileSource>>;
  readonly certificates: readonly CertificateRequest[];
} {
  const grpc = client(`${component}-grpc`, `system:karmada:${component}-grpc`);
  return {
    args: [
      text`--scheduler-estimator-ca-file=${file("pki/ca.crt")}`,
      text`--scheduler-estimator-cert-file=${file("pki/scheduler-estimator-client.crt")}`,
      text`--scheduler-estimator-key-file=${file("pki/scheduler-estimator-client.key")}`,
    ],
    files: { "pki/ca.crt": authority("karmada"), ...pair("pki/scheduler-estimator-client", grpc.name) },
    certificates: [grpc],
  };
}
