import { randomBytes } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { Diagnostic } from "../bridge/schema.ts";
import type { State } from "../bridge/schema.ts";
import type { AlternativeNames } from "./alternative-names.ts";
import { explicit, integer, sequence, time } from "./der.ts";
import { encodeExtensions } from "./extensions.ts";
import { publicKeyDer } from "./key.ts";
import { keyIdentifier } from "./key-identifier.ts";
import { encodePem } from "./pem.ts";
import { signed, signer } from "./signature.ts";
import { encodeSubject, isEmptySubject } from "./subject.ts";
import type { Subject } from "./subject.ts";
import { timestamp } from "./timestamp.ts";

const VERSION_3 = 2;
const HOUR_MS = 3_600_000;

/** Who signs. */
export interface Issuer {
  /** Its name, DER. */
  readonly name: Buffer;
  readonly privateKey: KeyObject;
  readonly keyIdentifier: Buffer | undefined;
  /** The public key its certificate names; not checked for one that signs itself. */
  readonly publicKey?: KeyObject;
}

export interface Request {
  readonly subject: Subject;
  readonly names: AlternativeNames;
  readonly publicKey: KeyObject;
  /** The certificate signs itself: its own name and key identifier are the issuer's. */
  readonly selfSignedWith?: KeyObject;
}

/** The planned attributes with the outputs both kinds of certificate have. */
export function issue(planned: State, request: Request, issuer?: Issuer): State {
  const isAuthority = planned["isCaCertificate"] === true;
  if (isAuthority && isEmptySubject(request.subject)) {
    const detail = "Must contain at least one Distinguished Name when creating Certificate Authority (CA)";
    throw new Diagnostic("Invalid Certificate Subject", detail);
  }
  const withIdentifier = isAuthority || planned["setSubjectKeyId"] === true;
  const subjectKeyIdentifier = withIdentifier ? keyIdentifier(request.publicKey) : undefined;
  const subject = encodeSubject(request.subject);
  const signing = issuer ?? {
    name: subject,
    privateKey: request.selfSignedWith!,
    keyIdentifier: subjectKeyIdentifier,
  };
  // planned as unknown when the user left it out
  const maxPathLength = typeof planned["maxPathLength"] === "number" ? planned["maxPathLength"] : undefined;
  refuse(signing, isAuthority, maxPathLength);
  const serial = BigInt(`0x${randomBytes(16).toString("hex")}`);
  const start = new Date();
  const end = new Date(start.getTime() + (planned["validityPeriodHours"] as number) * HOUR_MS);
  const content = attempt(() =>
    sequence(
      explicit(0, integer(VERSION_3)),
      integer(serial),
      signer(signing.privateKey).algorithm,
      signing.name,
      sequence(time(start), time(end)),
      subject,
      publicKeyDer(request.publicKey),
      encodeExtensions({
        uses: planned["allowedUses"] as readonly string[],
        isAuthority,
        maxPathLength,
        subjectKeyIdentifier,
        authorityKeyIdentifier: authorityKeyIdentifier(planned, signing, subject),
        names: request.names,
        hasSubject: subject.length > 2,
      }),
    ),
  );
  return {
    ...planned,
    maxPathLength,
    id: serial.toString(),
    certPem: encodePem("CERTIFICATE", signed(content, signing.privateKey)),
    validityStartTime: timestamp(start),
    validityEndTime: timestamp(end),
  };
}

/** Go tells the issuer's identifier by itself, except where issuer and subject are the same. */
function authorityKeyIdentifier(planned: State, issuer: Issuer, subject: Buffer): Buffer | undefined {
  if (planned["setAuthorityKeyId"] === true) {
    if (issuer.keyIdentifier) return issuer.keyIdentifier;
    throw new Diagnostic("Invalid Certificate Authority", "Could not determine Authority Key Identifier");
  }
  return issuer.name.equals(subject) ? undefined : issuer.keyIdentifier;
}

function refuse({ privateKey, publicKey }: Issuer, isAuthority: boolean, maxPathLength: number | undefined): void {
  if (!isAuthority && (maxPathLength ?? 0) > 0) throw failed("x509: only CAs are allowed to specify MaxPathLen");
  if (publicKey && !publicKeyDer(publicKey).equals(publicKeyDer(privateKey))) {
    throw failed("x509: provided PrivateKey doesn't match parent's PublicKey");
  }
}

function attempt<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Diagnostic) throw error;
    throw failed((error as Error).message);
  }
}

function failed(reason: string): Diagnostic {
  return new Diagnostic("Failed to create certificate", reason);
}
