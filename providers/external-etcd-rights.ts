import { X509Certificate } from "node:crypto";
import { EtcdError } from "../lib/etcd/client.ts";
import type { ExternalEtcdInputs } from "./external-etcd.ts";

/** gRPC's number for what a user may not do. */
const permissionDenied = 7;

/** The same error; where etcd's authentication is what refuses, with the user it refuses and the right that is missing. */
export function explainRights(
  error: unknown,
  { certificate, prefix }: Pick<ExternalEtcdInputs, "certificate" | "prefix">,
): unknown {
  if (!(error instanceof EtcdError) || error.code === undefined) return error;
  const user = commonNameOf(certificate);
  if (/user name is empty/.test(error.message) || (user === undefined && error.code === permissionDenied)) {
    return new Error(
      `${error.message}: etcd's authentication is on, and the client certificate names no user\n` +
        "give a certificate whose common name is a user of etcd (etcdctl user add <name> --no-password)",
      { cause: error },
    );
  }
  const grant =
    `etcdctl role add karmada; etcdctl role grant-permission karmada --prefix=true readwrite ${prefix}/; ` +
    `etcdctl user grant-role ${user} karmada`;
  if (/user name not found/.test(error.message)) {
    return new Error(
      `${error.message}: etcd has no user "${user}", whom the client certificate names\n` +
        `etcdctl user add ${user} --no-password; ${grant}`,
      { cause: error },
    );
  }
  if (error.code !== permissionDenied) return error;
  return new Error(
    `${error.message}: the user "${user}", whom the client certificate names, needs to read and write every key below ${prefix}/\n` +
      grant,
    { cause: error },
  );
}

function commonNameOf(certificate: string): string | undefined {
  return /^CN=(.+)$/m.exec(new X509Certificate(certificate).subject)?.[1];
}
