import { createPrivateKey, createPublicKey } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { decodePem } from "./pem.ts";

export const ALGORITHMS = ["RSA", "ECDSA", "ED25519"] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

/** The PEM types a private key may come in, and what is in them. */
const ENCODINGS: Readonly<Record<string, "pkcs1" | "sec1" | "pkcs8">> = {
  "RSA PRIVATE KEY": "pkcs1",
  "EC PRIVATE KEY": "sec1",
  "PRIVATE KEY": "pkcs8",
};
/** PEM types the provider knows, but not as private keys. */
const OTHER_TYPES = ["PUBLIC KEY", "CERTIFICATE", "CERTIFICATE REQUEST"];

/** @throws Error in the provider's words; never with anything of the key */
export function parsePrivateKey(pem: string): KeyObject {
  const block = decodePem(pem);
  if (!block) {
    const size = Buffer.byteLength(pem);
    throw new Error(`failed to decode PEM block: decoded bytes 0, undecoded ${size}`);
  }
  const type = ENCODINGS[block.type];
  if (type === undefined) {
    throw new Error(
      OTHER_TYPES.includes(block.type)
        ? `unable to determine parser for PEM preamble: ${block.type}`
        : `unsupported PEM preamble/type: ${block.type}`,
    );
  }
  try {
    return createPrivateKey({ key: block.der, format: "der", type });
  } catch {
    throw new Error(`failed to parse private key given PEM preamble '${block.type}': not a key of this type`);
  }
}

export function algorithmOf(key: KeyObject): Algorithm {
  switch (key.asymmetricKeyType) {
    case "rsa":
      return "RSA";
    case "ec":
      return "ECDSA";
    case "ed25519":
      return "ED25519";
    default:
      throw new Error(`unsupported private key type: ${key.asymmetricKeyType}`);
  }
}

/** The public key as certificates carry it (SubjectPublicKeyInfo). */
export function publicKeyDer(key: KeyObject): Buffer {
  const publicKey = key.type === "private" ? createPublicKey(key) : key;
  return publicKey.export({ format: "der", type: "spki" });
}
