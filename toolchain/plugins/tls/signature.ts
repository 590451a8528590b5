import { sign as signBytes } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { bitString, nothing, objectIdentifier, sequence } from "./der.ts";

/** Go's choice of hash by key; SHA-256 for every RSA key and the curves up to P-256. */
const ECDSA: Readonly<Record<string, { oid: string; hash: string }>> = {
  secp384r1: { oid: "1.2.840.10045.4.3.3", hash: "sha384" },
  secp521r1: { oid: "1.2.840.10045.4.3.4", hash: "sha512" },
};

/** The algorithm identifier that goes with a key, and the way to sign with it. */
export function signer(key: KeyObject): { algorithm: Buffer; sign(content: Buffer): Buffer } {
  switch (key.asymmetricKeyType) {
    case "rsa":
      return with_(sequence(objectIdentifier("1.2.840.113549.1.1.11"), nothing), "sha256", key);
    case "ec": {
      const { oid, hash } = ECDSA[key.asymmetricKeyDetails?.namedCurve ?? ""] ?? {
        oid: "1.2.840.10045.4.3.2",
        hash: "sha256",
      };
      return with_(sequence(objectIdentifier(oid)), hash, key);
    }
    default:
      return with_(sequence(objectIdentifier("1.3.101.112")), null, key);
  }
}

/** The content and its signature: what both certificates and requests are. */
export function signed(content: Buffer, key: KeyObject): Buffer {
  const { algorithm, sign } = signer(key);
  return sequence(content, algorithm, bitString(sign(content)));
}

function with_(algorithm: Buffer, hash: string | null, key: KeyObject) {
  return { algorithm, sign: (content: Buffer) => signBytes(hash, content, { key, dsaEncoding: "der" }) };
}
