import "reflect-metadata";
import { webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";
import type { EtcdConnection } from "../etcd/client.ts";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const hour = 3600 * 1000;

/**
 * A self-signed certificate for an etcd on 127.0.0.1 and its client: as root, the user that every etcd with
 * authentication has, and who may read everything.
 */
export async function rootCertificate(): Promise<EtcdConnection> {
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as webcrypto.CryptoKeyPair;
  const made = await x509.X509CertificateGenerator.createSelfSigned(
    {
      name: [{ CN: ["root"] }],
      notBefore: new Date(Date.now() - hour),
      notAfter: new Date(Date.now() + 24 * hour),
      signingAlgorithm: algorithm,
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.SubjectAlternativeNameExtension([{ type: "ip", value: "127.0.0.1" }]),
      ],
    },
    webcrypto as never,
  );
  const key = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey));
  const certificate = made.toString("pem");
  return { ca: certificate, certificate, key: x509.PemConverter.encode(key, "PRIVATE KEY") };
}
