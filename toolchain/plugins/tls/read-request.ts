import { createPublicKey } from "node:crypto";
import { decodeNames } from "./alternative-names.ts";
import type { Request } from "./certificate.ts";
import { children, readElement, readObjectIdentifier } from "./der-reader.ts";
import type { Element } from "./der-reader.ts";
import { decodeExtensions, OID } from "./extensions.ts";
import { decodePem } from "./pem.ts";
import { decodeSubject } from "./subject.ts";

const EXTENSION_REQUEST = "1.2.840.113549.1.9.14";

/**
 * A certificate request (RFC 2986).
 * @throws Error in the provider's words
 */
export function readRequest(pem: string): Request {
  const der = readPem(pem, "CERTIFICATE REQUEST");
  try {
    const [information] = children(readElement(der));
    const [, subject, publicKey, attributes] = children(information!);
    return {
      subject: decodeSubject(subject!),
      names: decodeNames(requestedExtensions(attributes).get(OID.alternativeNames)),
      publicKey: createPublicKey({ key: publicKey!.encoded, format: "der", type: "spki" }),
    };
  } catch {
    throw new Error("failed to parse certificate request: asn1: structure error");
  }
}

/** @throws Error when there is no block, or one of another type */
export function readPem(pem: string, type: string): Buffer {
  const block = decodePem(pem);
  if (!block) throw new Error(`failed to decode PEM of expected type "${type}" from bytes`);
  if (block.type !== type) throw new Error(`invalid PEM type - expected "${type}", got "${block.type}"`);
  return block.der;
}

function requestedExtensions(attributes: Element | undefined): Map<string, Buffer> {
  for (const attribute of attributes ? children(attributes) : []) {
    const [type, values] = children(attribute);
    if (readObjectIdentifier(type!) === EXTENSION_REQUEST) return decodeExtensions(children(values!)[0]!);
  }
  return new Map();
}
