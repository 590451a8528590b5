/** The attributes more than one resource type has. */
import { atLeast, eachNotEmpty, eachOneOf } from "../bridge/checks.ts";
import type { Attribute } from "../bridge/schema.ts";
import { subjectAttribute } from "./subject.ts";
import { planReadyForRenewal } from "./renewal.ts";
import { USES } from "./uses.ts";

const flag: Attribute = { kind: "boolean", default: false, replace: true };
const list: Attribute = { kind: "strings", replace: true };

/** A text the provider makes, which stays as long as the resource. */
export const output: Attribute = { kind: "string", output: true, keep: true };

/** Whom a request or self-signed certificate is for. */
export const nameAttributes: Readonly<Record<string, Attribute>> = {
  subject: subjectAttribute,
  dnsNames: list,
  ipAddresses: { ...list, check: eachNotEmpty },
  uris: { ...list, check: eachNotEmpty },
};

/** What every certificate has. */
export const certificateAttributes: Readonly<Record<string, Attribute>> = {
  validityPeriodHours: {
    kind: "integer",
    required: "Number of hours, after initial issuing, that the certificate will remain valid for.",
    replace: true,
    check: atLeast(0),
  },
  allowedUses: {
    ...list,
    required:
      "List of key usages allowed for the issued certificate. Values are defined in " +
      "[RFC 5280](https://datatracker.ietf.org/doc/html/rfc5280) and combine flags defined by both " +
      "[Key Usages](https://datatracker.ietf.org/doc/html/rfc5280#section-4.2.1.3) and " +
      "[Extended Key Usages](https://datatracker.ietf.org/doc/html/rfc5280#section-4.2.1.12). " +
      `Accepted values: \`${USES.join("`, `")}\`.`,
    check: eachOneOf(USES),
  },
  earlyRenewalHours: { kind: "integer", default: 0, check: atLeast(0) },
  isCaCertificate: flag,
  maxPathLength: { kind: "integer", computed: true, keep: true, replace: true, check: atLeast(-1) },
  setSubjectKeyId: flag,
  certPem: output,
  readyForRenewal: { kind: "boolean", output: true, default: false, plan: planReadyForRenewal },
  validityStartTime: output,
  validityEndTime: output,
  id: output,
};

export const setAuthorityKeyId = flag;

/** A PEM whose change replaces; a state that holds something else, of old plugins a hash, is only updated. */
export function pemInput(description: string, { sensitive = false } = {}): Attribute {
  return { kind: "string", required: description, sensitive, replace: ({ prior }) => isPem(prior) };
}

function isPem(value: unknown): boolean {
  return typeof value === "string" && /^-----BEGIN [A-Za-z ]+-----\n[\s\S]+\n-----END [A-Za-z ]+-----\n?$/.test(value);
}
