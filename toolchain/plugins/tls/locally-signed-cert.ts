import type { Log } from "../server/index.ts";
import type { BridgedResource } from "../bridge/schema.ts";
import { issue } from "./certificate.ts";
import { certificateAttributes, output, pemInput } from "./certificate-attributes.ts";
import { algorithmOf } from "./key.ts";
import { reading, readKey } from "./own-key.ts";
import { readAuthority } from "./read-authority.ts";
import { readRequest } from "./read-request.ts";
import { markWhenDue, replaceWhenDue } from "./renewal.ts";

const PEM = "[PEM (RFC 1421)](https://datatracker.ietf.org/doc/html/rfc1421) format.";

/** https://github.com/hashicorp/terraform-provider-tls/blob/main/internal/provider/resource_locally_signed_cert.go */
export const locallySignedCert: BridgedResource = {
  attributes: {
    caCertPem: pemInput(`Certificate data of the Certificate Authority (CA) in ${PEM}`),
    caPrivateKeyPem: pemInput(`Private key of the Certificate Authority (CA) used to sign the certificate, in ${PEM}`, {
      sensitive: true,
    }),
    certRequestPem: pemInput(`Certificate request data in ${PEM}`),
    ...certificateAttributes,
    caKeyAlgorithm: output,
  },
  async create(planned, log) {
    const request = reading("certificate request PEM", () => readRequest(planned["certRequestPem"] as string));
    const privateKey = readKey(planned["caPrivateKeyPem"], "CA private key");
    const authority = reading("CA certificate PEM", () => readAuthority(planned["caCertPem"] as string));
    if (!authority.isAuthority) warn(log);
    return { ...issue(planned, request, { ...authority, privateKey }), caKeyAlgorithm: algorithmOf(privateKey) };
  },
  read: markWhenDue,
  modifyPlan: replaceWhenDue,
};

function warn(log: Log): void {
  log(
    "warning",
    "[WARNING] Certificate provided as Authority does not appear to be a valid Certificate Authority. The resulting " +
      "certificate might fail certificate validation.: Potentially Invalid Certificate Authority",
  );
}
