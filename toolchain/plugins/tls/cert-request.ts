import { Diagnostic } from "../bridge/schema.ts";
import type { BridgedResource } from "../bridge/schema.ts";
import { configuredNames, encodeNames } from "./alternative-names.ts";
import type { AlternativeNames } from "./alternative-names.ts";
import { nameAttributes, output } from "./certificate-attributes.ts";
import { checksum } from "./checksum.ts";
import { explicit, integer, objectIdentifier, sequence, set } from "./der.ts";
import { extension, OID } from "./extensions.ts";
import { algorithmOf, publicKeyDer } from "./key.ts";
import { ownKey, readKey } from "./own-key.ts";
import { encodePem } from "./pem.ts";
import { signed } from "./signature.ts";
import { configuredSubject, encodeSubject } from "./subject.ts";

const EXTENSION_REQUEST = "1.2.840.113549.1.9.14";

/** https://github.com/hashicorp/terraform-provider-tls/blob/main/internal/provider/resource_cert_request.go */
export const certRequest: BridgedResource = {
  attributes: {
    privateKeyPem: ownKey,
    ...nameAttributes,
    keyAlgorithm: output,
    certRequestPem: output,
    id: output,
  },
  async create(planned) {
    const key = readKey(planned["privateKeyPem"], "private key");
    const subject = encodeSubject(configuredSubject(planned["subject"]));
    const attributes = requested(configuredNames(planned));
    const der = signed(sequence(integer(0), subject, publicKeyDer(key), attributes), key);
    return {
      ...planned,
      id: checksum(der),
      certRequestPem: encodePem("CERTIFICATE REQUEST", der),
      keyAlgorithm: algorithmOf(key),
    };
  },
};

/** The extensions asked for, as an attribute of the request (RFC 2986, RFC 2985 section 5.4.2). */
function requested(names: AlternativeNames): Buffer {
  try {
    const extensions = extension(OID.alternativeNames, encodeNames(names), false);
    if (extensions.length === 0) return explicit(0);
    return explicit(0, sequence(objectIdentifier(EXTENSION_REQUEST), set(sequence(...extensions))));
  } catch (error) {
    throw new Diagnostic("Error creating certificate request", (error as Error).message);
  }
}
