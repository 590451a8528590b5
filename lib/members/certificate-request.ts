import "reflect-metadata";
import { webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** A certificate request with a key of its own, PEM: ECDSA P-256, as every certificate here. */
export async function makeRequest(
  commonName: string,
  organization: string,
): Promise<{ readonly request: string; readonly key: string }> {
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as webcrypto.CryptoKeyPair;
  const made = await x509.Pkcs10CertificateRequestGenerator.create(
    { name: [{ CN: [commonName] }, { O: [organization] }], keys, signingAlgorithm: algorithm },
    webcrypto as never,
  );
  const key = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey));
  return { request: made.toString("pem"), key: x509.PemConverter.encode(key, "PRIVATE KEY") };
}
