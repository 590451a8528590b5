import { createHash, randomBytes } from "node:crypto";
import { stringify } from "yaml";

/** A key of `secretbox` (XSalsa20 with Poly1305). */
export interface EncryptionKey {
  readonly name: string;
  /** 32 bytes as base64. */
  readonly secret: string;
}

/** A key that nobody else has, nor its name: what is encrypted says by which. */
export function newKey(): EncryptionKey {
  const bytes = randomBytes(32);
  const name = `key-${createHash("sha256").update(bytes).digest("hex").slice(0, 10)}`;
  return { name, secret: bytes.toString("base64") };
}

/** What an API server is told of encryption. */
export interface EncryptionSettings {
  /** All that it has to know, the one it writes with first. */
  readonly keys: readonly EncryptionKey[];
  /** What it writes encrypted. */
  readonly encrypted: readonly string[];
  /** What it writes in clear, and reads both ways. */
  readonly clear: readonly string[];
}

/** The file of `--encryption-provider-config`. What stands first among the providers is written with, each is read with. */
export function encryptionConfiguration({ keys, encrypted, clear }: EncryptionSettings): string {
  const secretbox = { secretbox: { keys } };
  const identity = { identity: {} };
  const sets = [
    { resources: encrypted, providers: [secretbox, identity] },
    { resources: clear, providers: [identity, secretbox] },
  ];
  return stringify(
    {
      apiVersion: "apiserver.config.k8s.io/v1",
      kind: "EncryptionConfiguration",
      resources: sets.filter(({ resources }) => resources.length > 0),
    },
    { aliasDuplicateObjects: false },
  );
}
