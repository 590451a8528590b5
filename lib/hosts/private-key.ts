import ssh2 from "ssh2";
import type { SshEndpoint } from "./address.ts";

/** Why an endpoint's private key cannot be used, as far as the key itself tells; undefined if there is no reason. */
export function whyKeyIsUnusable({ privateKey, passphrase }: Pick<SshEndpoint, "privateKey" | "passphrase">) {
  if (privateKey === undefined) return undefined;
  const parsed = ssh2.utils.parseKey(privateKey, passphrase);
  return parsed instanceof Error ? inWords(parsed) : undefined;
}

/** What ssh2's keyParser says about a key that it cannot read. */
function inWords({ message }: Error): string {
  if (/no passphrase given$/.test(message)) {
    return "the private key is locked and no passphrase is given\ngive its passphrase, or log in by an agent that has opened it";
  }
  if (/passphrase\?$/i.test(message)) return "the private key is not opened by its passphrase";
  return `the private key cannot be used: ${message}`;
}
