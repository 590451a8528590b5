import "reflect-metadata";
import { webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";

x509.cryptoProvider.set(webcrypto as never);

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const year = 365 * 24 * 3600 * 1000;

/** A certificate and its key, PEM. */
export interface Leaf {
  readonly certificate: string;
  readonly key: string;
}

export interface LeafRequest {
  readonly commonName: string;
  readonly organization?: string;
  /** DNS names and IP addresses. */
  readonly hosts?: readonly string[];
  /** Already expired. @default false */
  readonly expired?: boolean;
}

/** An authority made for a test. */
export interface Authority extends Leaf {
  /** A leaf for server and client use. */
  issue(request: LeafRequest): Promise<Leaf>;
  /** A certificate that it had before, of the same key and name, PEM: it has ended. */
  former(): Promise<string>;
}

/** @param since when it begins to be valid @default a minute ago */
export async function createAuthority(name: string, since = new Date(Date.now() - 60_000)): Promise<Authority> {
  const keys = await generate();
  const signItself = (notBefore: Date, notAfter: Date) =>
    x509.X509CertificateGenerator.createSelfSigned({
      name: [{ CN: [`${name}-ca`] }],
      notBefore,
      notAfter,
      signingAlgorithm: algorithm,
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      ],
    });
  const issuer = await signItself(since, new Date(Date.now() + year));
  return {
    certificate: issuer.toString("pem"),
    key: await privateKey(keys),
    async issue({ commonName, organization, hosts = [], expired = false }) {
      const leaf = await generate();
      const certificate = await x509.X509CertificateGenerator.create({
        subject: [{ CN: [commonName] }, ...(organization === undefined ? [] : [{ O: [organization] }])],
        issuer: issuer.subject,
        notBefore: new Date(Date.now() - (expired ? 2 : 1) * 60_000),
        notAfter: new Date(Date.now() + (expired ? -60_000 : year)),
        signingAlgorithm: algorithm,
        publicKey: leaf.publicKey,
        signingKey: keys.privateKey,
        extensions: [
          new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
          new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
          ...(hosts.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(hosts.map(generalName))]),
        ],
      });
      return { certificate: certificate.toString("pem"), key: await privateKey(leaf) };
    },
    async former() {
      const [begun, ended] = [year, 60_000].map((before) => new Date(Date.now() - before));
      return (await signItself(begun!, ended!)).toString("pem");
    },
  };
}

/** A key pair for service-account tokens, PEM. */
export async function createServiceAccountKey(): Promise<{ publicKey: string; privateKey: string }> {
  const keys = await generate();
  const spki = Buffer.from(await webcrypto.subtle.exportKey("spki", keys.publicKey));
  return { publicKey: x509.PemConverter.encode(spki, "PUBLIC KEY"), privateKey: await privateKey(keys) };
}

const generate = () =>
  webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]) as Promise<webcrypto.CryptoKeyPair>;

async function privateKey(keys: webcrypto.CryptoKeyPair): Promise<string> {
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey));
  return x509.PemConverter.encode(pkcs8, "PRIVATE KEY");
}

const generalName = (host: string): x509.JsonGeneralName => ({
  type: /^[\d.]+$|:/.test(host) ? "ip" : "dns",
  value: host,
});
