import { z } from "zod";
import { secret, text } from "../field.ts";
import { authorityIn, noCertificate, otherKey, readCertificates, readPrivateKey, timeProblem } from "../pki/pem.ts";
import type { Problem } from "../problems.ts";
import { serverWithPort } from "../values/address.ts";

/** A certificate, as files have them. */
export const certificate = text(/-----BEGIN CERTIFICATE-----/, "a certificate in PEM form");

/** A client's identity at etcd. */
export const clientPair = {
  certificate: certificate.describe("Client certificate, in PEM form."),
  key: secret("a private key in PEM form").describe("Private key of the client certificate, in PEM form."),
};

/** How an etcd is reached by its addresses. */
export const etcdEndpoints = {
  endpoints: z
    .array(serverWithPort("https://etcd-1.example.org:2379"))
    .min(1)
    .describe("Client addresses of its members."),
  ca: certificate.describe("Authority that signed its certificates, in PEM form."),
  ...clientPair,
};

/** Where the keys of a Karmada are in it. */
export const etcdPrefix = (example: string) =>
  text(/^\/[-\w./]*[-\w.]$/, `a path such as "${example}"`).default(example);

interface Pair {
  readonly certificate: string;
  readonly key: string;
}

/** Finds an authority, certificates and keys with which etcd cannot be reached. @param path of what has them */
export function checkAccess(path: Problem["path"], given: Pair & { readonly ca: string }, now: Date): Problem[] {
  const authority = authorityIn(given.ca, now);
  const wrong = authority === undefined ? noCertificate : timeProblem(authority, "this authority", now);
  return [...(wrong === undefined ? [] : [{ path: [...path, "ca"], message: wrong }]), ...checkPair(path, given, now)];
}

/** Finds a certificate and a key with which etcd cannot be reached. @param path of what has them */
export function checkPair(path: Problem["path"], { certificate, key }: Pair, now: Date): Problem[] {
  const [first] = readCertificates(certificate) ?? [];
  const problem = first === undefined ? noCertificate : timeProblem(first, "this certificate", now);
  const read = readPrivateKey(key);
  const other = "key" in read && first !== undefined && !first.checkPrivateKey(read.key) ? otherKey : undefined;
  const wrong = "problem" in read ? read.problem : other;
  return [
    ...(problem === undefined ? [] : [{ path: [...path, "certificate"], message: problem }]),
    ...(wrong === undefined ? [] : [{ path: [...path, "key"], message: wrong }]),
  ];
}
