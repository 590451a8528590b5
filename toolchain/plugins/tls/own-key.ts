import type { KeyObject } from "node:crypto";
import { Diagnostic } from "../bridge/schema.ts";
import { pemInput } from "./certificate-attributes.ts";
import { parsePrivateKey } from "./key.ts";

const DESCRIPTION =
  "Private key in [PEM (RFC 1421)](https://datatracker.ietf.org/doc/html/rfc1421) format, that the certificate will " +
  "belong to. This can be read from a separate file using the " +
  "[`file`](https://www.terraform.io/language/functions/file) interpolation function.";

/** The key a request or self-signed certificate is made with. */
export const ownKey = pemInput(DESCRIPTION, { sensitive: true });

/** @param what of the message when it cannot be read, for instance `private key` */
export function readKey(pem: unknown, what: string): KeyObject {
  return reading(`${what} PEM`, () => parsePrivateKey(pem as string));
}

/** @throws Diagnostic `Failed to parse <what>: ...` */
export function reading<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Diagnostic(`Failed to parse ${what}`, (error as Error).message);
  }
}
