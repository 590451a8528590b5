import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";

/** A private key, or what is wrong with it. Nothing of it is shown. */
export function readPrivateKey(pem: string): { readonly key: KeyObject } | { readonly problem: string } {
  try {
    return { key: createPrivateKey(pem) };
  } catch {
    return {
      problem: pem.includes("ENCRYPTED")
        ? "this private key wants a passphrase, give it without one: openssl pkey -in FILE"
        : "this is not a private key in PEM form (not shown: a secret)",
    };
  }
}

/** The certificates of a text in their order; undefined when one of them, or all of it, is none. */
export function readCertificates(pem: string): readonly X509Certificate[] | undefined {
  const parts = pem.match(/^-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/gm);
  try {
    return parts?.map((part) => new X509Certificate(part));
  } catch {
    return undefined;
  }
}

/** The first certificate of a text; undefined when that is none. */
export function certificateIn(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

/**
 * The first authority in a bundle that is valid at a given time, else the first one: the others may only be kept for
 * what they once signed. Undefined when one of them, or all of it, is none.
 */
export function authorityIn(pem: string, now: Date): X509Certificate | undefined {
  const all = readCertificates(pem);
  return all?.find((each) => timeProblem(each, "", now) === undefined) ?? all?.[0];
}

/** What is wrong with a certificate by itself. @param read finds the one of a text that has to be valid */
export function certificateProblem(pem: string, read: typeof authorityIn = certificateIn): string | undefined {
  const certificate = read(pem, new Date());
  if (certificate === undefined) return "is not a PEM certificate";
  const { validTo, validToDate } = certificate;
  return validToDate.getTime() > Date.now() ? undefined : `expired on ${validTo}`;
}

/** Why a certificate is not valid at a given time; undefined when it is. @param what its name in the message */
export function timeProblem(
  { validFromDate, validToDate }: X509Certificate,
  what: string,
  now: Date,
): string | undefined {
  if (validToDate < now) return `${what} expired on ${day(validToDate)}`;
  if (validFromDate > now) return `${what} is valid only from ${day(validFromDate)}, check the clock of this machine`;
  return undefined;
}

export const noCertificate = "this is not a certificate: it does not parse";
export const otherKey = "this private key does not belong to the certificate beside it";
export const day = (date: Date): string => date.toISOString().slice(0, 10);
