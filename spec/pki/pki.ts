import { z } from "zod";
import type { Problem } from "../problems.ts";
import { certified } from "../values/address.ts";
import { duration, hours, seconds } from "../values/units.ts";
import { authorities, serviceAccountKey } from "./authorities.ts";
import { authorityKeys } from "./authority-keys.ts";
import { clients } from "./clients.ts";

export const pki = z
  .strictObject({
    authorityValidity: duration
      .default("87600h")
      .describe(
        "How long each certificate authority is valid. One that has less than `certificateValidity` left is renewed by the next `up`, with its key and with all that it signed; where that is more than half of its validity, one that has half of it left.",
      ),
    certificateValidity: duration.default("8760h").describe("How long each certificate is valid."),
    renewBefore: duration
      .default("720h")
      .describe("A certificate that has less than this left is renewed by the next `up`."),
    extraNames: z
      .array(certified)
      .default([])
      .describe("Further host names and IP addresses the API server is reached by; its certificate is valid for them."),
    signRequests: z
      .boolean()
      .optional()
      .describe(
        "Whether kube-controller-manager signs certificate requests, as `karmadactl register` makes them: it is given the key of Karmada's authority for it. Default: not in a host cluster, yes elsewhere.",
      ),
    authorityKeys,
    authorities,
    serviceAccountKey,
    clients,
  })
  .prefault({})
  .describe("Certificates.");

export type Pki = z.output<typeof pki>;

/** Finds durations that contradict each other. */
export function checkPki(pki: Pick<Pki, "authorityValidity" | "certificateValidity" | "renewBefore">): Problem[] {
  const problems: Problem[] = [];
  if (hours(pki.renewBefore) >= hours(pki.certificateValidity)) {
    const rounded = seconds(pki.renewBefore) < seconds(pki.certificateValidity) ? " in whole hours, rounded up" : "";
    problems.push({
      path: ["pki", "renewBefore"],
      message: `got "${pki.renewBefore}", want less than pki.certificateValidity ("${pki.certificateValidity}")${rounded}, or every update renews every certificate`,
    });
  }
  if (seconds(pki.certificateValidity) > seconds(pki.authorityValidity))
    problems.push({
      path: ["pki", "certificateValidity"],
      message: `got "${pki.certificateValidity}", want at most pki.authorityValidity ("${pki.authorityValidity}"): a certificate cannot outlive its authority`,
    });
  return problems;
}
