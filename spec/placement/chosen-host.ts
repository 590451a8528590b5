import { sha256 } from "../../toolchain/sha256.ts";

/**
 * The host, among those that may run it, of a program that serves a member: the same one as long as it is in the list,
 * whichever others come and go.
 */
export function chosenHost(process: string, hosts: readonly string[]): string | undefined {
  const weight = (host: string) => sha256(`${host}/${process}`);
  return hosts.toSorted((a, b) => (weight(a) < weight(b) ? -1 : 1))[0];
}
