import { randomBytes } from "node:crypto";
import { stringify } from "yaml";
import { sha256 } from "../sha256.ts";

/** A key of `secretbox` (XSalsa20 with Poly1305). */
export interface EncryptionKey {
  readonly name: string;
  /** 32 bytes as base64. */
  readonly secret: string;
}

/** A new key with a unique name: encrypted data name the key they are encrypted with. */
export function newKey(): EncryptionKey {
  const bytes = randomBytes(32);
  const name = `key-${sha256(bytes).slice(0, 10)}`;
  return { name, secret: bytes.toString("base64") };
}

/** The encryption settings of an API server. */
export interface EncryptionSettings {
  /** All keys it has to know, the one it writes with first. */
  readonly keys: readonly EncryptionKey[];
  /** Resources it writes encrypted. */
  readonly encrypted: readonly string[];
  /** Resources it writes in clear, and reads both ways. */
  readonly clear: readonly string[];
}

/** The file of `--encryption-provider-config`. The first provider is used for writing, all of them for reading. */
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
