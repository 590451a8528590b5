import { createPublicKey } from "node:crypto";
import type { BridgedResource } from "../bridge/schema.ts";
import { configuredNames } from "./alternative-names.ts";
import { issue } from "./certificate.ts";
import { certificateAttributes, nameAttributes, output, setAuthorityKeyId } from "./certificate-attributes.ts";
import { algorithmOf } from "./key.ts";
import { ownKey, readKey } from "./own-key.ts";
import { markWhenDue, replaceWhenDue } from "./renewal.ts";
import { configuredSubject } from "./subject.ts";

/** https://github.com/hashicorp/terraform-provider-tls/blob/main/internal/provider/resource_self_signed_cert.go */
export const selfSignedCert: BridgedResource = {
  attributes: {
    // the provider's description of this one ends in a blank, which is part of the message when it is missing
    privateKeyPem: { ...ownKey, required: `${ownKey.required} ` },
    ...certificateAttributes,
    ...nameAttributes,
    setAuthorityKeyId,
    keyAlgorithm: output,
  },
  async create(planned) {
    const key = readKey(planned["privateKeyPem"], "private key");
    const request = {
      subject: configuredSubject(planned["subject"]),
      names: configuredNames(planned),
      publicKey: createPublicKey(key),
      selfSignedWith: key,
    };
    return { ...issue(planned, request), keyAlgorithm: algorithmOf(key) };
  },
  read: markWhenDue,
  modifyPlan: replaceWhenDue,
};
