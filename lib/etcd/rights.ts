import { X509Certificate } from "node:crypto";
import { EtcdError, permissionDenied } from "./client.ts";

/** A right that an etcd user needs for something. */
export interface Right {
  /** `needs to read and write every key below /karmada/`. */
  readonly needed: string;
  /** The commands that give it to a user, and what can be done instead. */
  readonly grant: (user: string) => string;
}

/**
 * An error as it is; for a refusal of etcd's authentication one that names the user refused and the right that is
 * missing.
 */
export function explainRights(error: unknown, certificate: string, { needed, grant }: Right): unknown {
  if (!isRefusal(error)) return error;
  const user = commonNameOf(certificate);
  if (/user name is empty/.test(error.message) || user === undefined) {
    return new Error(
      `${error.message}: etcd's authentication is on, and the client certificate names no user\n` +
        "give a certificate whose common name is a user of etcd (etcdctl user add <name> --no-password)",
      { cause: error },
    );
  }
  if (/user (name )?not found/.test(error.message)) {
    return new Error(
      `${error.message}: etcd has no user "${user}", whom the client certificate names\n` +
        `etcdctl user add ${user} --no-password; ${grant(user)}`,
      { cause: error },
    );
  }
  return new Error(
    `${error.message}: the user "${user}", whom the client certificate names, ${needed}\n${grant(user)}`,
    {
      cause: error,
    },
  );
}

/**
 * Whether etcd's authentication refuses, which before 3.6 only the text tells. Every member would give the same answer.
 */
export const isRefusal = (error: unknown): error is EtcdError =>
  error instanceof EtcdError &&
  (error.code === permissionDenied ||
    /permission denied|user name is empty|user (name )?not found/.test(error.message));

function commonNameOf(certificate: string): string | undefined {
  return /^CN=(.+)$/m.exec(new X509Certificate(certificate).subject)?.[1];
}
