import { isIP } from "node:net";
import * as pulumi from "@pulumi/pulumi";
import * as tls from "@pulumi/tls";
import type { CertificateRequest } from "../process.ts";
import { authorityRenewalHours, type Lifetimes } from "./lifetimes.ts";

/** PEM throughout; keys are secret. */
export interface Leaf {
  readonly certificate: pulumi.Output<string>;
  readonly key: pulumi.Output<string>;
  /** RFC 3339. */
  readonly expires: pulumi.Output<string>;
}

/** A certificate authority; its key signs leaves. */
export type Authority = Leaf;

/** The key pair of service-account tokens, PEM; the private one is secret. */
export interface ServiceAccountKey {
  /** `SHA256:` and its fingerprint. */
  readonly fingerprint: pulumi.Output<string>;
  readonly public: pulumi.Output<string>;
  readonly private: pulumi.Output<string>;
}

/** A leaf request whose hosts are known. */
export type ResolvedRequest = Omit<CertificateRequest, "hosts"> & { readonly hosts: readonly string[] };

/** An authority and, unless it is its first one, the name of its key. No name has a slash. */
export interface KeyedAuthority {
  readonly name: string;
  readonly key?: string;
}

/**
 * A root certificate with its own key: ECDSA P-256, like every certificate here. The key outlives a renewal, so that
 * the certificate before and the one after it vouch for the same leaves.
 */
export function createAuthority(
  parent: pulumi.Resource,
  pki: string,
  { name, key }: KeyedAuthority,
  lifetimes: Lifetimes,
): Authority {
  const resource = [`${pki}-ca-${name}`, ...(key === undefined ? [] : [key])].join("/");
  const subject = [name.endsWith("ca") ? name : `${name}-ca`, ...(key === undefined ? [] : [key])].join("-");
  const { privateKeyPem } = ecdsaKey(parent, `${resource}-key`);
  const certificate = new tls.SelfSignedCert(
    resource,
    {
      privateKeyPem,
      subject: { commonName: subject },
      isCaCertificate: true,
      setSubjectKeyId: true,
      allowedUses: ["cert_signing", "crl_signing", "digital_signature"],
      validityPeriodHours: lifetimes.authorityHours,
      earlyRenewalHours: authorityRenewalHours(lifetimes),
    },
    { parent },
  );
  return { certificate: certificate.certPem, key: pulumi.secret(privateKeyPem), expires: certificate.validityEndTime };
}

/** A leaf certificate with its own key. */
export function createLeaf(
  parent: pulumi.Resource,
  pki: string,
  request: ResolvedRequest,
  authority: Authority,
  lifetimes: Lifetimes,
): Leaf {
  const name = `${pki}-${request.name}`;
  const { privateKeyPem } = ecdsaKey(parent, `${name}-key`);
  const dnsNames = request.hosts.filter((host) => isIP(host) === 0);
  const ipAddresses = request.hosts.filter((host) => isIP(host) !== 0);
  const csr = new tls.CertRequest(
    `${name}-request`,
    {
      privateKeyPem,
      subject: {
        commonName: request.commonName,
        ...(request.organization === undefined ? {} : { organization: request.organization }),
      },
      ...(dnsNames.length > 0 ? { dnsNames } : {}),
      ...(ipAddresses.length > 0 ? { ipAddresses } : {}),
    },
    { parent },
  );
  const certificate = new tls.LocallySignedCert(
    name,
    {
      certRequestPem: csr.certRequestPem,
      caCertPem: authority.certificate,
      caPrivateKeyPem: authority.key,
      allowedUses: ["digital_signature", ...request.usages.map((usage) => `${usage}_auth`)],
      validityPeriodHours: lifetimes.leafHours,
      earlyRenewalHours: lifetimes.renewBeforeHours,
    },
    { parent },
  );
  return { certificate: certificate.certPem, key: pulumi.secret(privateKeyPem), expires: certificate.validityEndTime };
}

/** The pair that signs service-account tokens; never renewed with certificates, or every token would become invalid. */
export function createServiceAccountKey(parent: pulumi.Resource, pki: string, pair: string): ServiceAccountKey {
  const key = ecdsaKey(parent, `${pki}-sa-${pair}`);
  return {
    fingerprint: key.publicKeyFingerprintSha256,
    public: key.publicKeyPem,
    private: pulumi.secret(key.privateKeyPem),
  };
}

function ecdsaKey(parent: pulumi.Resource, name: string): tls.PrivateKey {
  return new tls.PrivateKey(name, { algorithm: "ECDSA", ecdsaCurve: "P256" }, { parent });
}
