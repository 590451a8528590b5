import { type KeyObject, X509Certificate } from "node:crypto";
import type { Problem } from "../problems.ts";
import { seconds } from "../values/units.ts";
import { eachGiven } from "./authorities.ts";
import { day, noCertificate, otherKey, readCertificates, readPrivateKey, timeProblem } from "./pem.ts";
import type { Pki } from "./pki.ts";

/** Finds given authorities and keys that cannot sign. */
export function checkAuthorities({ authorities, serviceAccountKey }: Pki, now: Date): Problem[] {
  const all = eachGiven(authorities).flatMap(({ name, certificate, key, alsoTrusted }) => {
    const path = ["pki", "authorities", name];
    const { certificate: read, problem } = readCertificate(certificate, now);
    return [
      ...(problem === undefined ? [] : [{ path: [...path, "certificate"], message: problem }]),
      ...checkKey([...path, "key"], key, read),
      ...(alsoTrusted === undefined ? [] : checkTrusted([...path, "alsoTrusted"], alsoTrusted, now, read)),
    ];
  });
  return [
    ...all,
    ...checkApart(authorities),
    ...(serviceAccountKey === undefined ? [] : checkKey(["pki", "serviceAccountKey"], serviceAccountKey)),
  ];
}

/** Warns of authorities that expire before what they sign now would. Nothing here renews given ones. */
export function authorityWarnings(
  { authorities, certificateValidity }: Pick<Pki, "certificateValidity"> & { readonly authorities: Certificates },
  now: Date,
): string[] {
  const needed = now.getTime() + seconds(certificateValidity) * 1000;
  return Object.entries(authorities).flatMap(([name, { certificate }]) => {
    const { validToDate } = new X509Certificate(certificate);
    if (validToDate.getTime() >= needed) return [];
    return [
      `pki.authorities.${name}: ends on ${day(validToDate)}, sooner than a certificate of now would (pki.certificateValidity ${certificateValidity})\n` +
        "that day everything that it signed ends to be valid, and no up renews it: give another authority before, and hand out kubeconfigs anew",
    ];
  });
}

type Certificates = Readonly<Record<string, { readonly certificate: string }>>;

function readCertificate(pem: string, now: Date): { certificate?: X509Certificate; problem?: string } {
  const count = countIn(pem);
  if (count > 1) return { problem: `got ${count} certificates, want that of the authority alone` };
  try {
    const certificate = new X509Certificate(pem);
    const problem = unfit(certificate, now);
    return problem === undefined ? { certificate } : { certificate, problem };
  } catch {
    return { problem: noCertificate };
  }
}

const countIn = (pem: string): number => pem.match(/-----BEGIN CERTIFICATE-----/g)?.length ?? 0;

/** What stops to be valid is refused: nobody needs it any more. */
function checkTrusted(path: readonly string[], pem: string, now: Date, signer?: X509Certificate): Problem[] {
  const all = readCertificates(pem);
  if (all !== undefined && all.length !== countIn(pem))
    return [
      { path, message: `got ${countIn(pem)} certificates in one another, want each to begin on a line of its own` },
    ];
  const found = (all ?? []).map((each) =>
    each.fingerprint256 === signer?.fingerprint256
      ? "got the authority's own certificate again, want further ones"
      : unfit(each, now),
  );
  return (all === undefined ? [noCertificate] : found).flatMap((message) =>
    message === undefined ? [] : [{ path, message }],
  );
}

function unfit(certificate: X509Certificate, now: Date): string | undefined {
  const { ca } = certificate;
  const subject = certificate.subject.split("\n").join(", ");
  if (!ca)
    return `got the certificate of "${subject}", which is no authority: it may not sign (basicConstraints CA:FALSE)`;
  if (!certificate.checkIssued(certificate) || !certificate.verify(certificate.publicKey))
    return `got an authority that another one signed ("${certificate.issuer.split("\n").join(", ")}"), want one that signed itself: whoever trusts it would have to trust all that the other one signed`;
  const problem = timeProblem(certificate, "this authority", now);
  return certificate.validToDate < now ? `${problem}, and so did all that it signed` : problem;
}

function checkKey(path: readonly string[], pem: string, certificate?: X509Certificate): Problem[] {
  const read = readPrivateKey(pem);
  if ("problem" in read) return [{ path, message: read.problem }];
  const { key } = read;
  const kind = unfitKey(key);
  if (kind !== undefined)
    return [{ path, message: `got ${kind}, want RSA of at least 2048 bits, or ECDSA P-256, P-384 or P-521` }];
  if (certificate !== undefined && !certificate.checkPrivateKey(key)) return [{ path, message: otherKey }];
  return [];
}

const curves: ReadonlySet<string | undefined> = new Set(["prime256v1", "secp384r1", "secp521r1"]);

/** What is wrong with a key that the programs of Kubernetes cannot or should not sign with. */
function unfitKey({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): string | undefined {
  switch (type) {
    case "rsa":
      return (details?.modulusLength ?? 0) < 2048 ? `an RSA key of ${details?.modulusLength} bits` : undefined;
    case "ec":
      return curves.has(details?.namedCurve) ? undefined : `an ECDSA key of the curve ${details?.namedCurve}`;
    default:
      return `a key of the type ${type}`;
  }
}

/** Whoever has a certificate of the front proxy's authority may impersonate anybody. */
function checkApart({ karmada, "front-proxy": front }: Pki["authorities"]): Problem[] {
  if (karmada === undefined || front === undefined) return [];
  const trusted = trustedFor(karmada);
  if (!trustedFor(front).some((each) => trusted.includes(each))) return [];
  return [
    {
      path: ["pki", "authorities", "front-proxy"],
      message:
        "got the same as pki.authorities.karmada, whose clients could then speak for anybody: leave it out, and one is made",
    },
  ];
}

/** The fingerprint of each certificate that is trusted for a given authority. */
const trustedFor = ({ certificate, alsoTrusted = "" }: NonNullable<Pki["authorities"]["karmada"]>): string[] =>
  [certificate, alsoTrusted].flatMap((pem) => (readCertificates(pem) ?? []).map((each) => each.fingerprint256));
