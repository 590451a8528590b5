import ssh2 from "ssh2";
import type { SshEndpoint } from "./address.ts";

/** Why nobody can log in with an endpoint's private key, as far as the key itself tells; nothing when there is none. */
export function whyKeyIsUnusable({ privateKey, passphrase }: Pick<SshEndpoint, "privateKey" | "passphrase">) {
  if (privateKey === undefined) return undefined;
  const parsed = ssh2.utils.parseKey(privateKey, passphrase);
  return parsed instanceof Error ? inWords(parsed) : undefined;
}

/** What ssh2's keyParser says of a key that it cannot read. */
function inWords({ message }: Error): string {
  if (/no passphrase given$/.test(message)) {
    return "the private key is locked and no passphrase is given\ngive its passphrase, or log in by an agent that has opened it";
  }
  if (/passphrase\?$/i.test(message)) return "the private key is not opened by its passphrase";
  return `the private key cannot be used: ${message}`;
}
