import type { KeyObject } from "node:crypto";
import { checksum } from "./checksum.ts";
import { publicKeyDer } from "./key.ts";
import { opensshPublicKey } from "./openssh.ts";
import { encodePem } from "./pem.ts";

/** What is shown of a key's public half, by the names of the outputs. */
export function publicKeyOutputs(key: KeyObject) {
  const der = publicKeyDer(key);
  const { line, md5, sha256 } = opensshPublicKey(key);
  return {
    id: checksum(der),
    publicKeyPem: encodePem("PUBLIC KEY", der),
    publicKeyOpenssh: line,
    publicKeyFingerprintMd5: md5,
    publicKeyFingerprintSha256: sha256,
  };
}
