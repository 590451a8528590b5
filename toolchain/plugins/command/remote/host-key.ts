import ssh2 from "ssh2";
import type { ServerHostKeyAlgorithm } from "ssh2";

/** The only host key to accept. */
export interface HostKey {
  /** What to ask the server for, so that it shows the key of this kind if it has several. */
  readonly algorithms: ServerHostKeyAlgorithm[];
  matches(shown: Buffer): boolean;
}

/**
 * @param line as in authorized_keys
 * @throws Error when it is not one
 */
export function parseHostKey(line: string): HostKey {
  const parsed = ssh2.utils.parseKey(line);
  if (parsed instanceof Error) throw new Error("failed to parse host key: ssh: no key found");
  const expected = (Array.isArray(parsed) ? parsed[0]! : parsed).getPublicSSH();
  const type = line
    .trim()
    .split(/\s+/)
    .find((word) => /^(ssh|ecdsa|sk)-/.test(word)) as ServerHostKeyAlgorithm;
  // an RSA key is the same for each of its signature algorithms; servers of today refuse the oldest
  const algorithms = type === "ssh-rsa" ? (["rsa-sha2-512", "rsa-sha2-256", "ssh-rsa"] as const) : [type];
  return { algorithms: [...algorithms], matches: (shown) => shown.equals(expected) };
}
