import { X509Certificate } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { children, readElement } from "./der-reader.ts";
import { decodeExtensions, OID } from "./extensions.ts";
import { readPem } from "./read-request.ts";

/** What of a certificate signing with its key needs. */
export interface Authority {
  /** Its subject, DER. */
  readonly name: Buffer;
  readonly keyIdentifier: Buffer | undefined;
  readonly publicKey: KeyObject;
  /** Whether it says that it is an authority. */
  readonly isAuthority: boolean;
}

/** @throws Error in the provider's words */
export function readAuthority(pem: string): Authority {
  const der = readPem(pem, "CERTIFICATE");
  try {
    const certificate = new X509Certificate(der);
    const [content] = children(readElement(der));
    const parts = children(content!);
    const name = parts[5]!; // after version, serial number, algorithm, issuer and validity
    const list = parts.find(({ tag }) => tag === 0xa3);
    const extensions = list ? decodeExtensions(children(list)[0]!) : new Map<string, Buffer>();
    const identifier = extensions.get(OID.subjectKeyIdentifier);
    return {
      name: name.encoded,
      keyIdentifier: identifier && readElement(identifier).content,
      publicKey: certificate.publicKey,
      isAuthority: certificate.ca,
    };
  } catch {
    throw new Error("failed to parse certificate: x509: malformed certificate");
  }
}
