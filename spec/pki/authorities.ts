import { createPrivateKey, X509Certificate } from "node:crypto";
import { z } from "zod";
import { certificate } from "../etcd/endpoints.ts";
import { secret } from "../field.ts";
import { readCertificates } from "./pem.ts";

const privateKey = () => secret("a private key in PEM form");

const authority = z.strictObject({
  certificate: certificate.describe("Its certificate, in PEM form; it has to have signed itself."),
  key: privateKey().describe("Its private key, RSA or ECDSA, in PEM form and without a passphrase."),
  alsoTrusted: certificate
    .optional()
    .describe(
      "Certificates of further authorities, in PEM form, one after another: what they have signed is accepted too. For the time in which another authority takes the place of this one.",
    ),
});

/** None of etcd's: only programs of ours have certificates of those. */
export const authorities = z
  .strictObject({
    karmada: authority
      .optional()
      .describe("Signs for the Karmada API and its clients; what it signed elsewhere before is valid as well."),
    "front-proxy": authority
      .optional()
      .describe("Signs for the API server where it passes requests on to aggregated API servers."),
  })
  .prefault({})
  .describe(
    "Certificate authorities that are there already, instead of new ones. A change signs every certificate anew, and ends what the former authority signed unless it is `alsoTrusted`.",
  );

export const serviceAccountKey = privateKey()
  .optional()
  .describe(
    "The private key that signs service-account tokens, RSA or ECDSA, in PEM form, instead of a new one: the tokens that it signed before are valid as well.",
  );

/** By name, as they are typed. */
export type GivenAuthorities = Readonly<Partial<Record<"karmada" | "front-proxy", GivenAuthority | undefined>>>;

interface GivenAuthority {
  readonly certificate: string;
  readonly key: string;
  readonly alsoTrusted?: string | undefined;
}

/** Those that are given, with their names. */
export const eachGiven = (given: GivenAuthorities) =>
  Object.entries(given).flatMap(([name, authority]) => (authority === undefined ? [] : [{ name, ...authority }]));

/** The given ones, normalised: text around a certificate or a key in its file makes no difference. */
export const inOneForm = (given: GivenAuthorities): GivenAuthorities =>
  Object.fromEntries(
    eachGiven(given).map(({ name, certificate, key, alsoTrusted }) => [
      name,
      {
        certificate: new X509Certificate(certificate).toString(),
        key: keyInOneForm(key),
        ...(alsoTrusted !== undefined && { alsoTrusted: readCertificates(alsoTrusted)!.join("") }),
      },
    ]),
  );

/** A private key, normalised: PKCS #8, PEM. */
export const keyInOneForm = (key: string): string =>
  createPrivateKey(key).export({ format: "pem", type: "pkcs8" }).toString();
