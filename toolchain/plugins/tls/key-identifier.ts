import { createHash } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { octetString } from "./der.ts";
import { algorithmOf, publicKeyDer } from "./key.ts";
import { children, readElement } from "./der-reader.ts";

/** The provider's subject key identifier: SHA-1 of the key, encoded after its kind. */
export function keyIdentifier(publicKey: KeyObject): Buffer {
  const [, bits] = children(readElement(publicKeyDer(publicKey)));
  const key = bits!.content.subarray(1); // the first byte counts unused bits
  // an RSA key is there in PKCS #1 and an ECDSA key as a point; of an Ed25519 key the provider takes an OCTET STRING
  return createHash("sha1")
    .update(algorithmOf(publicKey) === "ED25519" ? octetString(key) : key)
    .digest();
}
