import { X509Certificate } from "node:crypto";
import type { Problem } from "./implementation.ts";

/** Problems of a connection to etcd that can be found before it is used. */
export function checkEtcd({
  endpoints,
  ca,
  certificate,
}: {
  endpoints?: string[];
  ca?: string;
  certificate?: string;
}): Problem[] {
  const bad = (endpoints ?? []).filter((each) => !URL.canParse(each) || new URL(each).protocol !== "https:");
  return [
    ...(endpoints?.length === 0 ? [{ property: "endpoints", reason: "got none, want at least one https URL" }] : []),
    ...bad.map((each) => ({ property: "endpoints", reason: `got "${each}", want https://host:port` })),
    ...expired("ca", ca),
    ...expired("certificate", certificate),
  ];
}

/** Problems of a certificate by itself. */
export function expired(property: string, pem: string | undefined): Problem[] {
  if (pem === undefined) return [];
  try {
    const { validTo, validToDate } = new X509Certificate(pem);
    return validToDate.getTime() > Date.now() ? [] : [{ property, reason: `expired on ${validTo}` }];
  } catch {
    return [{ property, reason: "is not a PEM certificate" }];
  }
}
