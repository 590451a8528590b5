import { createHash } from "node:crypto";
import type { ServerHostKeyAlgorithm } from "ssh2";

/** The keys a host may show. */
export interface HostKeyPins {
  /** What to ask it for, so that it shows a key of a kind that is known; empty when only fingerprints are. */
  readonly algorithms: readonly ServerHostKeyAlgorithm[];
  accepts(shown: Buffer): boolean;
  /** In words, for the message when it shows another key. */
  readonly expected: string;
}

/**
 * Reads the recorded keys of a host: see {@link SshEndpoint.hostKey}. Blank lines and comments are skipped.
 *
 * @throws when a line is neither a key nor a fingerprint, or marked as another's or as revoked (sshd(8)), or there is none:
 *   without one, anybody could be the host
 */
export function parseHostKeys(text: string): HostKeyPins {
  const lines = text.split("\n").map((line) => line.trim());
  const pins = lines.filter((line) => line !== "" && !line.startsWith("#")).map(parseLine);
  if (pins.length === 0) throw new Error("no host key is given, so nobody could tell the host from another");
  const kinds = [...new Set(pins.flatMap(({ kind }) => (kind === undefined ? [] : [kind])))];
  return {
    algorithms: pins.some(({ kind }) => kind === undefined) ? [] : kinds.flatMap(algorithmsOf),
    accepts: (shown) => pins.some((pin) => pin.fingerprint === fingerprint(shown)),
    expected: [...new Set(pins.map((pin) => pin.fingerprint))].join(" or "),
  };
}

/** As `ssh-keygen -l` shows it. */
export function fingerprint(key: Buffer): string {
  return `SHA256:${createHash("sha256").update(key).digest("base64").replace(/=+$/, "")}`;
}

/** `ssh-ed25519`, from a key in wire format. */
export function kindOf(key: Buffer): string {
  return key.subarray(4, 4 + key.readUInt32BE(0)).toString("latin1");
}

interface Pin {
  readonly fingerprint: string;
  /** Absent when only the fingerprint is known. */
  readonly kind?: string;
}

function parseLine(line: string): Pin {
  if (line.startsWith("@")) {
    throw new Error(
      `got "${line}" as host key, want the key of the host itself: one that is marked ${line.split(/\s/)[0]} in known_hosts is none`,
    );
  }
  const words = line.split(/\s+/);
  // Alone, or as `ssh-keygen -l` prints it: 256 SHA256:... host1 (ED25519)
  const noted = words.find((word) => /^SHA256:[A-Za-z0-9+/]{43}$/.test(word));
  if (noted !== undefined) return { fingerprint: noted };
  // A host may be called `ssh-gateway`: that is no kind of key, since no key follows it.
  const found = words.map((kind, i) => ({ kind, key: Buffer.from(words[i + 1] ?? "", "base64") })).find(isKey);
  if (found === undefined) {
    throw new Error(`got "${line}" as host key, want a line of known_hosts or a fingerprint "SHA256:..."`);
  }
  return { fingerprint: fingerprint(found.key), kind: found.kind };
}

const isKey = ({ kind, key }: { readonly kind: string; readonly key: Buffer }): boolean =>
  /^(ssh-|ecdsa-|sk-)/.test(kind) && key.length >= 20 && kindOf(key) === kind;

/** An RSA key is the same for each of its signature algorithms; current servers refuse the oldest. */
function algorithmsOf(kind: string): ServerHostKeyAlgorithm[] {
  return kind === "ssh-rsa" ? ["rsa-sha2-512", "rsa-sha2-256"] : [kind as ServerHostKeyAlgorithm];
}
