import { generateKeyPairSync } from "node:crypto";
import { authorityWarnings } from "../../../spec/pki/authorities-check.ts";
import { resolve } from "../../../spec/resolve.ts";
import { createAuthority, type Authority } from "../../support/certificates.ts";
import { context, problemsOf } from "../configuration.ts";

const now = new Date();
const year = 365 * 24 * 3600 * 1000;
const pem = { format: "pem", type: "pkcs8" } as const;
let corporate: Authority;
let other: Authority;

beforeAll(async () => {
  [corporate, other] = await Promise.all([createAuthority("corporate"), createAuthority("other")]);
});

const problemsWith = (pki: object, at = now) => problemsOf({ pki }, { now: at });
const given = (changes: object = {}, name = "karmada") => ({
  authorities: { [name]: { certificate: corporate.certificate, key: corporate.key, ...changes } },
});

test("authorities and the key of service accounts can be given", () => {
  const { key: serviceAccountKey } = other;
  expect(problemsWith({ ...given(), serviceAccountKey })).toEqual([]);
  expect(problemsWith(given({}, "front-proxy"))).toEqual([]);
});

test("what stands around a certificate or a key in its file is no difference", () => {
  const read = (certificate: string, key: string) =>
    resolve({ pki: given({ certificate, key }) }, { ...context, now }).pki.authorities;
  const { certificate, key } = corporate;
  expect(read(`subject=CN = corporate-ca\n${certificate}\n\n`, `\n${key}`)).toEqual(read(certificate, key));
});

test("etcd has authorities of its own in any case", () => {
  expect(problemsWith(given({}, "etcd"))).toEqual([
    "pki.authorities.etcd: unknown key, want one of karmada, front-proxy",
  ]);
});

test.each([
  [
    "expired",
    () => new Date(now.getTime() + 2 * year),
    /^pki.authorities.karmada.certificate: this authority expired on \d{4}-\d\d-\d\d, and so did all that it signed$/,
  ],
  [
    "not yet valid",
    () => new Date(now.getTime() - year),
    /^pki.authorities.karmada.certificate: this authority is valid only from \d{4}-\d\d-\d\d, check the clock of this machine$/,
  ],
])("an authority that is %s is refused", (_, at, message) => {
  expect(problemsWith(given(), at())).toEqual([expect.stringMatching(message)]);
});

test("what is no authority of its own is refused", async () => {
  const leaf = await corporate.issue({ commonName: "somebody" });
  expect(problemsWith(given(leaf))).toEqual([
    'pki.authorities.karmada.certificate: got the certificate of "CN=somebody", which is no authority: it may not sign (basicConstraints CA:FALSE)',
  ]);
  expect(problemsWith(given({ certificate: corporate.certificate + other.certificate }))).toEqual([
    "pki.authorities.karmada.certificate: got 2 certificates, want that of the authority alone",
  ]);
  expect(problemsWith(given({ certificate: "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----" }))).toEqual([
    "pki.authorities.karmada.certificate: this is not a certificate: it does not parse",
  ]);
});

test("a key has to be one that can sign, and the authority's", () => {
  const want = "want RSA of at least 2048 bits, or ECDSA P-256, P-384 or P-521";
  const short = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey;
  const odd = generateKeyPairSync("ec", { namedCurve: "secp256k1" }).privateKey;
  const edwards = generateKeyPairSync("ed25519").privateKey;
  const messages = {
    [other.key]: "this private key does not belong to the certificate beside it",
    [short.export(pem).toString()]: `got an RSA key of 1024 bits, ${want}`,
    [odd.export(pem).toString()]: `got an ECDSA key of the curve secp256k1, ${want}`,
    [edwards.export(pem).toString()]: `got a key of the type ed25519, ${want}`,
    [odd.export({ ...pem, cipher: "aes-256-cbc", passphrase: "secret" }).toString()]:
      "this private key wants a passphrase, give it without one: openssl pkey -in FILE",
    nothing: "this is not a private key in PEM form (not shown: a secret)",
  };
  for (const [key, message] of Object.entries(messages))
    expect(problemsWith(given({ key }))).toEqual([`pki.authorities.karmada.key: ${message}`]);
  expect(problemsWith({ serviceAccountKey: edwards.export(pem).toString() })).toEqual([
    `pki.serviceAccountKey: got a key of the type ed25519, ${want}`,
  ]);
});

test("one authority is not two: clients of the API could speak for anybody", () => {
  const { karmada } = given().authorities;
  expect(problemsWith({ authorities: { karmada, "front-proxy": karmada } })).toEqual([
    "pki.authorities.front-proxy: got the same as pki.authorities.karmada, whose clients could then speak for anybody: leave it out, and one is made",
  ]);
});

test("an authority is warned of that ends before a certificate of now would", () => {
  const { pki } = resolve(
    { pki: { ...given(), certificateValidity: "720h", renewBefore: "24h" } },
    { ...context, now },
  );
  expect(authorityWarnings(pki, now)).toEqual([]);
  const [warning] = authorityWarnings(pki, new Date(now.getTime() + year - 10 * 24 * 3600 * 1000));
  expect(warning).toMatch(
    /^pki\.authorities\.karmada: ends on \d{4}-\d\d-\d\d, sooner than a certificate of now would \(pki\.certificateValidity 720h\)\n/,
  );
});
